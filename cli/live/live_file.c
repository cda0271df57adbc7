/* SPDX-License-Identifier: MIT */
/*
 * live_file.c: see live_file.h.
 *
 * The file is mapped once, as large as it can become. Pages that it does not have yet are not
 * touched, because that would make them; new pieces are found by reading.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/leftovers/leftovers.h"
#include "cli/live/live_file.h"
#include "common/proc.h"

/* between two checks for an ended process; a process that ends by itself reports it at once */
#define LIVES_NS 10000000u
/* after so many searches without a result, a place counts as empty for good */
#define HOLE 1000

const struct tl_file_header *live_file_header(const struct live_file *file)
{
	return (const struct tl_file_header *)file->memory;
}

static bool file_map(struct live_file *to, const struct leftover *file)
{
	uint64_t size = file->header.capacity;
	void *memory;

	if (!file->sound || file->header.kind != TL_FILE_BUFFERS || size < TL_FILE_PAGE ||
	    size > (uint64_t)file->stat.st_size)
		return false;
	memory = mmap(NULL, size, PROT_READ, MAP_SHARED | MAP_NORESERVE, file->fd, 0);
	if (memory == MAP_FAILED)
		return false;
	to->fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 3);
	to->memory = memory;
	to->size = size;
	to->at = file->header.header_size;
	to->pid = file->header.pid;
	if (to->fd >= 0)
		return true;
	munmap(memory, size);
	return false;
}

bool live_file_open(struct live_file *file, const char *path)
{
	struct leftover opened;

	*file = (struct live_file){.fd = -1};
	snprintf(file->path, sizeof(file->path), "%s", path);
	if (!leftover_open(path, &opened))
		return false;
	bool mapped = file_map(file, &opened);
	leftover_release(&opened);
	return mapped;
}

void live_file_close(struct live_file *file)
{
	munmap((void *)file->memory, file->size);
	close(file->fd);
}

/*
 * It has ended, and its parent has not asked how: kill finds it. A first thread that ended before
 * the others looks the same, but they count.
 */
static bool process_is_zombie(uint32_t pid)
{
	char path[32], stat[1024];

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	stat[tl_proc_read(path, stat, sizeof(stat) - 1)] = 0;
	char state = *tl_proc_stat_field(stat, 3);
	return state == 'X' || (state == 'Z' && tl_proc_stat_number(stat, 20) <= 1);
}

bool live_file_lives(struct live_file *file)
{
	uint64_t now = tl_profile_now();

	if (now - file->lived <= LIVES_NS)
		return true;
	if ((kill((pid_t)file->pid, 0) && errno == ESRCH) || process_is_zombie(file->pid))
		return false;
	file->lived = now;
	return true;
}

bool live_file_is_used(const struct live_file *file)
{
	/* Acquire: pairs with the release in tl_arena_done (layer/buffers/arena.c). */
	return atomic_load_explicit(&live_file_header(file)->state, memory_order_acquire) !=
	       TL_FILE_DONE;
}

/* If a place stays empty, the process could not make a piece there. */
void live_file_search(struct live_file *file,
		      void (*found)(void *context, const struct tl_piece *piece,
				    const struct tl_piece *head),
		      void *context)
{
	struct tl_piece head;
	off_t further;

	while (file->at < file->size &&
	       pread(file->fd, &head, sizeof(head), (off_t)file->at) == sizeof(head)) {
		if (head.magic == TL_PIECE_MAGIC && head.size && head.size % TL_FILE_PAGE == 0 &&
		    head.size <= file->size - file->at) {
			found(context, (const void *)(file->memory + file->at), &head);
			file->at += head.size;
			file->holes = 0;
			continue;
		}
		if (++file->holes < HOLE)
			return;
		file->holes = 0;
		further = lseek(file->fd, (off_t)file->at, SEEK_DATA);
		if (further <= (off_t)file->at || further % TL_FILE_PAGE)
			return;
		file->at = (uint64_t)further;
	}
}
