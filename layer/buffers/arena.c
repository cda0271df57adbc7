/* SPDX-License-Identifier: MIT */
/*
 * arena.c: see arena.h.
 *
 * The file gets its full size at once, and no blocks. Pages are made when a piece is taken, by one
 * system call for all of them. MADV_POPULATE_WRITE says where there is no room, instead of a SIGBUS
 * later; before Linux 5.14 fallocate does, by the file's name. Where the file system has no room,
 * the piece becomes the process's own memory, in its place. Recording goes on, and only a crash
 * would lose it.
 *
 * Compare and exchange sets `arena` once; a thread that loses that race deletes its own. The file's
 * descriptor is closed at once, so that the program misses no number and can close none of ours.
 *
 * tl_piece.magic is stored last, with release: a process killed here leaves zeros or a whole head.
 */
#include "layer/buffers/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/memory_limits.h"
#include "common/places.h"
#include "common/proc.h"
#include "common/text.h"
#include "layer/buffers/clock.h"
#include "layer/base/environment.h"
#include "layer/buffers/pool.h"
#include "layer/buffers/upcalls.h"
#include "layer/base/run_report.h"
#include "layer/process/runtime.h"
#include "layer/base/message.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define SMALLEST (1024u * 1024)
#define LARGEST	 (UINT64_C(1) << 40)
#define TRIES	 10000u /* names tried in one folder */
#define BESIDES	 (16u * 1024 * 1024)
#define PART	 8u /* of what the process may have, that we take */
/* nanoseconds after a failure that it is tried again; then twice that, and so on */
#define RETRY	   UINT64_C(1000000000)
#define RETRY_MOST (RETRY * 64)

#define WHOLE_PAGES(size) (((size) + TL_ARENA_UNIT - 1) & ~(uint64_t)(TL_ARENA_UNIT - 1))

/* What every file begins with. */
struct beginning {
	union {
		struct tl_file_header header;
		char header_room[TL_ARENA_UNIT];
	};
	union {
		struct tl_facts_piece facts;
		char facts_room[WHOLE_PAGES(sizeof(struct tl_facts_piece))];
	};
	union {
		struct tl_output_piece output;
		char output_room[WHOLE_PAGES(sizeof(struct tl_output_piece))];
	};
	union {
		struct tl_clock_piece clock;
		char clock_room[WHOLE_PAGES(sizeof(struct tl_clock_piece))];
	};
};

/* One that is being made, or the one that was. */
struct place {
	char *memory;
	uint64_t capacity;
	char path[TL_PLACES_PATH]; /* "": no file */
};

static _Atomic(char *) arena;
static _Atomic uint64_t used;
static uint64_t capacity; /* set before `arena` */
static char path[TL_PLACES_PATH];
static struct tl_places places; /* as the environment named them when the library was loaded */
static _Atomic uint32_t making;
static _Atomic uint64_t refused_until; /* nanoseconds; 0: it was not refused */
static uint64_t refused_for;	       /* under `making` */

static struct beginning *beginning(void)
{
	/* Acquire: pairs with the store in arena_make, so that the beginning is there. */
	return (struct beginning *)atomic_load_explicit(&arena, memory_order_acquire);
}

void tl_arena_fit(void)
{
	if (tl_config.memory_given)
		return;
	uint64_t part = tl_limits_memory("") / PART;
	if (part < SMALLEST)
		part = SMALLEST;
	if (part < tl_config.memory)
		tl_config.memory = part & ~(uint64_t)(SMALLEST - 1);
}

static uint64_t arena_size_wanted(void)
{
	uint64_t size = tl_config.memory;

	if (size < SMALLEST)
		size = SMALLEST;
	if (size > LARGEST)
		size = LARGEST;
	return size & ~(uint64_t)(TL_ARENA_UNIT - 1);
}

/* --- pages */

/* For kernels that can't make pages of a mapping: by the file's name. */
static bool pages_allocate(uint64_t at, uint64_t size)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return false;
	bool done = fallocate(fd, 0, (off_t)at, (off_t)size) == 0;
	close(fd);
	return done;
}

/* Make the pages now. False where there is no room for them. */
static bool pages_fault_in(char *memory, uint64_t size, const char *file, uint64_t at)
{
	if (madvise(memory, size, MADV_POPULATE_WRITE) == 0)
		return true;
	/* Other errors are of kernels that don't know it, and of filters that don't. */
	if (errno == ENOMEM || errno == EFAULT || errno == EHWPOISON)
		return false;
	if (*file && !pages_allocate(at, size))
		return false;
	for (uint64_t i = 0; i < size; i += TL_ARENA_UNIT)
		*(volatile char *)(memory + i) = 0;
	return true;
}

static bool pages_become_own(char *memory, uint64_t size)
{
	void *mapped = mmap(memory, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);

	return mapped != MAP_FAILED && pages_fault_in(memory, size, "", 0);
}

/* --- making it */

static bool place_make_own(struct place *place)
{
	*place->path = 0;
	place->memory = mmap(NULL, place->capacity, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (place->memory == MAP_FAILED)
		return false;
	if (pages_fault_in(place->memory, sizeof(struct beginning), "", 0))
		return true;
	munmap(place->memory, place->capacity);
	return false;
}

/*
 * The file says what it is before it has anything else: nobody has to guess it of one whose process
 * died while it made it.
 */
static bool file_mark(int fd)
{
	const struct tl_file_header header = {
		.magic = TL_FILE_MAGIC,
		.version = TL_FILE_VERSION,
		.byte_order = TL_FILE_BYTE_ORDER,
		.kind = TL_FILE_UNBEGUN,
	};

	return pwrite(fd, &header, sizeof(header), 0) == sizeof(header);
}

/* A file of that size, with room for it, mapped. Exceeding RLIMIT_FSIZE would raise a signal. */
static bool file_map(struct place *place, int fd)
{
	struct rlimit limit;
	struct statvfs room;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < place->capacity)
		return false;
	/* A tmpfs without a limit says that it has no blocks at all. */
	if (fstatvfs(fd, &room) != 0 ||
	    (room.f_blocks && (uint64_t)room.f_bavail * room.f_frsize < place->capacity) ||
	    !file_mark(fd) || ftruncate(fd, (off_t)place->capacity) != 0)
		return false;
	place->memory = mmap(NULL, place->capacity, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_NORESERVE, fd, 0);
	return place->memory != MAP_FAILED;
}

/*
 * The program that this process was before an exec has left its buffers, for `tracelayer run` to
 * look at, and all that was in them is in the trace. Long chains of such programs would fill the
 * place.
 */
static bool file_delete_former(const char *file)
{
	struct tl_file_header header;
	uint32_t pid = (uint32_t)syscall(SYS_getpid);
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return false;
	bool former = read(fd, &header, sizeof(header)) == sizeof(header) &&
		      !memcmp(header.magic, TL_FILE_MAGIC, sizeof(header.magic)) &&
		      header.version == TL_FILE_VERSION && header.kind == TL_FILE_BUFFERS &&
		      header.state == TL_FILE_DONE && header.pid == pid &&
		      header.start_time == tl_proc_start_time(pid) &&
		      header.pid_namespace == tl_proc_namespace();
	close(fd);
	return former && unlink(file) == 0;
}

static int file_create(struct place *place, const char *folder)
{
	int fd = -1;

	for (unsigned number = 0; fd < 0 && number < TRIES; number++) {
		tl_places_path(place->path, folder, (uint32_t)syscall(SYS_getpid), number);
		if (access(place->path, F_OK) == 0 && !file_delete_former(place->path))
			continue;
		/*
		 * Before it is made: a process that is killed in between must not leave what nobody
		 * was told of.
		 */
		tl_report_buffers(place->path);
		fd = open(place->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd < 0 && errno != EEXIST)
			return -1;
	}
	return fd;
}

static bool place_make_in(struct place *place, const char *folder)
{
	int fd = file_create(place, folder);

	if (fd < 0)
		return false;
	bool made = file_map(place, fd);
	close(fd);
	if (made && pages_fault_in(place->memory, sizeof(struct beginning), "", 0))
		return true;
	if (made)
		munmap(place->memory, place->capacity);
	unlink(place->path);
	return false;
}

/*
 * There are addresses for that (RLIMIT_AS), and for what comes with it: the pool and, but for the
 * least, the writer's memory and thread.
 */
static bool size_is_mappable(uint64_t size)
{
	uint64_t all = size + tl_pool_size(size) + (size > SMALLEST ? BESIDES : 0);
	void *mapped =
		mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return mapped != MAP_FAILED && munmap(mapped, all) == 0;
}

/* All that was wanted, or as much of it as halving leaves. 0: not even the least. */
static uint64_t size_mappable(void)
{
	uint64_t size = arena_size_wanted();

	while (size > SMALLEST && !size_is_mappable(size))
		size = size / 2 < SMALLEST ? SMALLEST : size / 2 & ~(uint64_t)(TL_ARENA_UNIT - 1);
	return size_is_mappable(size) ? size : 0;
}

/* Less than the user asked for, so it is said. */
static void arena_say_less(uint64_t size)
{
	char line[256];
	struct tl_text text = {line, line + sizeof(line) - 1, false};

	tl_text_string(&text, "tracelayer: no addresses left for ");
	tl_text_unsigned(&text, arena_size_wanted() >> 20);
	tl_text_string(&text, "M of event buffers, so there are ");
	tl_text_unsigned(&text, size >> 20);
	tl_text_string(&text, "M; raise the limit (ulimit -v), or lower TRACELAYER_MEMORY\n");
	*text.at = 0;
	tl_message_say(line);
}

static void arena_say_place(const char *folder)
{
	char line[512];
	struct tl_text text = {line, line + sizeof(line) - 1, false};

	tl_text_string(&text, "tracelayer: ");
	tl_text_string(&text, places.folder[0]);
	tl_text_string(&text, ": no room for ");
	tl_text_unsigned(&text, arena_size_wanted() >> 20);
	tl_text_string(&text, "M of event buffers; ");
	tl_text_string(
		&text,
		folder ? "they are in "
		       : "they are in the process's own memory, and a crash loses what is not written");
	tl_text_string(&text, folder ? folder : "");
	tl_text_string(&text, ": make room there, or lower TRACELAYER_MEMORY\n");
	if (text.cut)
		return;
	*text.at = 0;
	tl_message_say(line);
}

/* In the first place that has room; where that is not the usual one, it is said. */
static bool place_make_anywhere(struct place *place)
{
	place->capacity = size_mappable();
	if (!place->capacity)
		return false;
	if (place->capacity < arena_size_wanted()) {
		if (tl_config.memory_given)
			arena_say_less(place->capacity);
		tl_config.memory = place->capacity;
	}
	/* A program that is not to be recorded leaves no file. */
	if (!tl_runtime_may_record())
		return place_make_own(place);
	if (!places.count)
		tl_places(&places);
	for (unsigned i = 0; i < places.count; i++) {
		if (!place_make_in(place, places.folder[i]))
			continue;
		if (i)
			arena_say_place(places.folder[i]);
		return true;
	}
	if (!place_make_own(place))
		return false;
	arena_say_place(NULL);
	return true;
}

/* --- its beginning */

static void piece_begin(struct tl_piece *piece, enum tl_piece_kind kind, uint64_t size)
{
	piece->kind = kind;
	piece->size = size;
	atomic_store_explicit((_Atomic uint32_t *)&piece->magic, TL_PIECE_MAGIC,
			      memory_order_release);
}

/* All but the kind, which comes last. */
static void header_fill(struct tl_file_header *header, uint64_t size)
{
	memcpy(header->magic, TL_FILE_MAGIC, sizeof(header->magic));
	header->version = TL_FILE_VERSION;
	header->byte_order = TL_FILE_BYTE_ORDER;
	header->header_size = TL_FILE_PAGE;
	header->alignment = TL_FILE_PAGE;
	header->counter = tl_clock_is_counter();
	header->pid = (uint32_t)syscall(SYS_getpid);
	header->uid = (uint32_t)getuid();
	header->start_time = tl_proc_start_time(header->pid);
	header->pid_namespace = tl_proc_namespace();
	tl_proc_boot(header->boot);
	header->time_offset = tl_proc_time_offset();
	strncpy(header->session, tl_config.session ? tl_config.session : "",
		sizeof(header->session) - 1);
	header->capacity = size;
}

static void beginning_fill(struct beginning *begin, uint64_t size)
{
	header_fill(&begin->header, size);
	tl_buffer_upcalls->fill_facts(&begin->facts.facts);
	piece_begin(&begin->facts.piece, TL_PIECE_FACTS, sizeof(begin->facts_room));
	strncpy(begin->output.pattern, tl_config.output, sizeof(begin->output.pattern) - 1);
	piece_begin(&begin->output.piece, TL_PIECE_OUTPUT, sizeof(begin->output_room));
	piece_begin(&begin->clock.piece, TL_PIECE_CLOCK, sizeof(begin->clock_room));
	/* Release: pairs with who reads the kind, and relies on the rest. */
	atomic_store_explicit((_Atomic uint32_t *)&begin->header.kind, TL_FILE_BUFFERS,
			      memory_order_release);
}

/* Under `making`. */
static void arena_refuse(void)
{
	if (!refused_for)
		tl_report_no_memory(0);
	refused_for = !refused_for		 ? RETRY
		      : refused_for < RETRY_MOST ? refused_for * 2
						 : refused_for;
	atomic_store_explicit(&refused_until, tl_clock_gettime_ticks() + refused_for,
			      memory_order_relaxed);
}

bool tl_arena_was_refused(void)
{
	return atomic_load_explicit(&refused_until, memory_order_relaxed) != 0;
}

bool tl_arena_is_refused(void)
{
	uint64_t until = atomic_load_explicit(&refused_until, memory_order_relaxed);

	return until && !beginning() && tl_clock_gettime_ticks() < until;
}

/* The thread that makes the one that counts goes on with it; others find it there. */
static struct beginning *arena_make(void)
{
	struct beginning *begin;
	struct place place;

	if (tl_arena_is_refused())
		return NULL;
	/*
	 * One at a time, without a lock that a signal handler could wait for: all signals are
	 * blocked where pieces are taken.
	 */
	while (atomic_exchange_explicit(&making, 1, memory_order_acquire))
		sched_yield();
	begin = beginning();
	if (!begin && !tl_arena_is_refused() && place_make_anywhere(&place)) {
		begin = (struct beginning *)place.memory;
		capacity = place.capacity;
		memcpy(path, place.path, sizeof(path));
		beginning_fill(begin, capacity);
		tl_clock_move(&begin->clock.table);
		atomic_store_explicit(&used, sizeof(struct beginning), memory_order_relaxed);
		/* Release: pairs with the load in beginning(). */
		atomic_store_explicit(&arena, place.memory, memory_order_release);
		/* Who changes it now notes it there. */
		atomic_store_explicit(&begin->header.recording, tl_runtime_state(),
				      memory_order_relaxed);
		atomic_store_explicit(&begin->header.watched, tl_runtime_watched(),
				      memory_order_relaxed);
	}
	if (!begin && !tl_arena_is_refused())
		arena_refuse();
	atomic_store_explicit(&making, 0, memory_order_release);
	return begin;
}

bool tl_arena_begin(void)
{
	return beginning() || arena_make();
}

void tl_arena_look(void)
{
	tl_places(&places);
}

/* --- what is in it */

struct tl_file_header *tl_arena_header(void)
{
	struct beginning *begin = beginning();

	return begin ? &begin->header : NULL;
}

struct tl_output_piece *tl_arena_output(void)
{
	struct beginning *begin = beginning();

	return begin ? &begin->output : NULL;
}

const struct tl_facts *tl_arena_facts(void)
{
	struct beginning *begin = beginning();

	return begin ? &begin->facts.facts : NULL;
}

const char *tl_arena_path(void)
{
	return beginning() ? path : "";
}

void *tl_arena_take(enum tl_piece_kind kind, uint64_t size)
{
	char *memory = tl_arena_begin() ? (char *)beginning() : NULL;
	uint64_t at = atomic_load_explicit(&used, memory_order_relaxed);

	if (!memory)
		return NULL;
	do {
		if (size > capacity - at)
			return NULL;
	} while (!atomic_compare_exchange_weak_explicit(&used, &at, at + size, memory_order_relaxed,
							memory_order_relaxed));
	if (!pages_fault_in(memory + at, size, path, at) && !pages_become_own(memory + at, size))
		return NULL;
	piece_begin((struct tl_piece *)(memory + at), kind, size);
	return memory + at;
}

bool tl_arena_left(uint64_t size)
{
	return !beginning() || size <= capacity - atomic_load_explicit(&used, memory_order_relaxed);
}

void tl_arena_done(bool done)
{
	struct beginning *begin = beginning();

	/* Release: what was written before it counts. */
	if (begin)
		atomic_store_explicit(&begin->header.state, done ? TL_FILE_DONE : TL_FILE_LIVE,
				      memory_order_release);
}

void tl_arena_delete(void)
{
	struct beginning *begin = beginning();

	if (begin && *path && begin->header.pid == (uint32_t)syscall(SYS_getpid))
		unlink(path);
	*path = 0;
}

void tl_arena_after_fork(void)
{
	char *memory = atomic_load_explicit(&arena, memory_order_relaxed);

	/* With zeros of our own in its place; the parent's clock is in it. */
	tl_clock_after_fork();
	if (memory)
		mmap(memory, capacity, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	*path = 0;
	atomic_store_explicit(&making, 0, memory_order_relaxed);
	atomic_store_explicit(&refused_until, 0, memory_order_relaxed);
	atomic_store_explicit(&used, 0, memory_order_relaxed);
	atomic_store_explicit(&arena, NULL, memory_order_relaxed);
}
