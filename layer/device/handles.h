/*
 * handles.h: what is known of a driver's handles: a table by the handle's value.
 *
 * Entries are the caller's structs, with a struct tl_handle as their first member. Finding takes no lock, so an entry that was ever put into a
 * table of which others may be reading has to stay in memory; a table whose users hold a lock of their own over all of it may also take entries out.
 */
#ifndef TL_LAYER_DEVICE_HANDLES_H
#define TL_LAYER_DEVICE_HANDLES_H

#include <stdatomic.h>
#include <stdint.h>

#define TL_HANDLE_BUCKETS 1024u

struct tl_handle {
	const void *key;
	struct tl_handle *_Atomic next;
};

struct tl_handles {
	struct tl_handle *_Atomic buckets[TL_HANDLE_BUCKETS];
};

/* NULL: there is none. */
struct tl_handle *tl_handles_find(const struct tl_handles *table, const void *key);

/* Only one thread at a time puts in and takes out. One with the same key that is there already is hidden. */
void tl_handles_put(struct tl_handles *table, struct tl_handle *handle);
struct tl_handle *tl_handles_take(struct tl_handles *table, const void *key);

/* This very one, if it is there, whether it is hidden or not. */
void tl_handles_remove(struct tl_handles *table, struct tl_handle *handle);

#endif
