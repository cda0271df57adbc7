/* SPDX-License-Identifier: MIT */
/*
 * arena.c: see arena.h.
 *
 * The file gets its full size at once, but no blocks: it is sparse. Taking a piece makes that
 * piece's pages, by one system call. MADV_POPULATE_WRITE fails where the file system has no room,
 * so that no later write raises SIGBUS. Linux before 5.14 does not have it: there fallocate does
 * the same through the file's name. Where the file system has no room, private memory of the
 * process is mapped over the piece. Recording goes on, and only a crash would lose what lies there.
 *
 * `making` is a spin lock: one thread at a time makes the arena, and stores `arena` last. The
 * file's descriptor is closed at once. So the program's descriptors get the numbers that they would
 * get without the layer, and the program can't close the arena's by mistake.
 *
 * tl_piece.magic is stored last, with release, for a reader after a kill: it sees a whole head, or no
 * magic.
 */
#include "layer/buffers/arena.h"
#include "layer/buffers/arena_messages.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
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
#include "layer/base/libc/kernel.h"
#include "layer/buffers/pool.h"
#include "layer/buffers/upcalls.h"
#include "layer/base/run_report.h"
#include "layer/buffers/process_state.h"
#include "layer/base/message.h"

#define SMALLEST (1024u * 1024)
#define LARGEST	 (UINT64_C(1) << 40)
#define LITTLE	 (UINT64_C(1) << 30)
#define TRIES	 10000u		     /* names tried in one folder */
#define BESIDES	 (16u * 1024 * 1024) /* bytes of addresses to leave free beside the arena */
#define PART	 8u /* unless set by the user: an eighth of what the process may have */
#define PARTS	 4u /* the most that it and its parents' ranges take of the addresses: a quarter */
/* nanoseconds to wait after a failure before the next try; doubled after each further failure */
#define RETRY	   UINT64_C(1000000000)
#define RETRY_MOST (RETRY * 64)

#define WHOLE_PAGES(size) (((size) + TL_ARENA_UNIT - 1) & ~(uint64_t)(TL_ARENA_UNIT - 1))

/* What every file begins with: four pieces, each in pages of its own. */
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

/* The arena that is being made. */
struct place {
	char *memory;
	uint64_t capacity;
	char path[TL_PLACES_PATH]; /* "": no file */
};

static _Atomic(char *) arena;
static _Atomic uint64_t used;
static uint64_t mapped;		   /* bytes from `arena` on; set before it */
static _Atomic uint64_t capacity;  /* what may be taken of these; lowered at most once */
static _Atomic bool cgroups_asked; /* stored under `making` */
static char path[TL_PLACES_PATH];
static uint64_t inherited; /* bytes of addresses that the arenas and pools of parents take here */
static struct tl_places places; /* as the environment named them when the library was loaded */
static _Atomic uint32_t making;
static _Atomic uint64_t refused_until; /* nanoseconds; 0: no try has failed */
static uint64_t refused_for;	       /* nanoseconds; protected by `making` */

static struct beginning *arena_beginning(void)
{
	/* Acquire: pairs with the release in arena_make; the beginning is filled in. */
	return (struct beginning *)atomic_load_explicit(&arena, memory_order_acquire);
}

/* Lowers tl_config.memory to whole units of the smallest size, and not below one. */
static void memory_lower(uint64_t size)
{
	if (size < SMALLEST)
		size = SMALLEST;
	if (size < tl_config.memory)
		tl_config.memory = size & ~(uint64_t)(SMALLEST - 1);
}

void tl_arena_fit(void)
{
	if (tl_config.memory > LARGEST)
		tl_config.memory = LARGEST;
	if (!tl_config.memory_given)
		memory_lower(tl_limits_addresses() / PART);
}

static uint64_t arena_size_wanted(void)
{
	uint64_t size = tl_config.memory;

	if (size < SMALLEST)
		size = SMALLEST;
	return size & ~(uint64_t)(TL_ARENA_UNIT - 1);
}

/* --- pages */

/* Allocates blocks through the file's name, for kernels without MADV_POPULATE_WRITE. */
static bool pages_allocate(uint64_t at, uint64_t size)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return false;
	bool done = fallocate(fd, 0, (off_t)at, (off_t)size) == 0;
	close(fd);
	return done;
}

/*
 * The kernel's pages. On x86-64 no function is called for it: threads of ours come here, and they call
 * none that another library may have replaced.
 */
static uint64_t page_size(void)
{
#ifdef __x86_64__
	return 4096;
#else
	return getauxval(AT_PAGESZ);
#endif
}

/*
 * Makes the pages now. False: there is no room for them. The kernel's pages may be larger than a
 * unit, as on arm64 (16 or 64 KiB): then the first one begins before `memory`, in what is mapped,
 * too.
 */
static bool pages_fault_in(char *memory, uint64_t size, const char *file, uint64_t at)
{
	uint64_t before = (uintptr_t)memory & (page_size() - 1);

	if (madvise(memory - before, size + before, MADV_POPULATE_WRITE) == 0)
		return true;
	/* With any other error, the kernel does not know this advice, or a filter forbids it. */
	if (errno == ENOMEM || errno == EFAULT || errno == EHWPOISON)
		return false;
	if (*file && !pages_allocate(at, size))
		return false;
	for (uint64_t i = 0; i < size; i += TL_ARENA_UNIT)
		*(volatile char *)(memory + i) = 0;
	return true;
}

/*
 * Pages that only this process has, in place of the file's. Where the kernel's pages are larger than
 * a unit, others may have a part of the first or the last one: then there are none to be had.
 */
static bool pages_become_own(char *memory, uint64_t size)
{
	if (((uintptr_t)memory | size) & (page_size() - 1))
		return false;
	void *mapped = mmap(memory, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);

	return mapped != MAP_FAILED && pages_fault_in(memory, size, "", 0);
}

/* --- making the arena */

/*
 * A spin lock, since a signal handler could not wait for another kind. It does not wait for its own
 * thread: all signals are blocked where pieces are taken. Acquire: pairs with the release of
 * making_end, so that the thread sees an arena that another has made.
 */
static void making_begin(void)
{
	while (atomic_exchange_explicit(&making, 1, memory_order_acquire))
		sched_yield();
}

static void making_end(void)
{
	atomic_store_explicit(&making, 0, memory_order_release);
}

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
 * Marks the file as one of buffers before anything else is in it. So a file whose process died
 * while making it is recognised, too.
 */
static bool file_mark(int fd)
{
	struct tl_file_header header = {
		.version = TL_FILE_VERSION,
		.byte_order = TL_FILE_BYTE_ORDER,
		.kind = TL_FILE_UNBEGUN,
	};

	memcpy(header.magic, TL_FILE_MAGIC, sizeof(header.magic));
	errno = ENOSPC; /* where less is written */
	return pwrite(fd, &header, sizeof(header), 0) == sizeof(header);
}

/*
 * Gives the file its size, if there is room for it, and maps it. Returns 0 or an errno value. Checks
 * RLIMIT_FSIZE first, since exceeding that limit would raise a signal.
 */
static int file_map(struct place *place, int fd)
{
	struct rlimit limit;
	struct statvfs room;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < place->capacity)
		return EFBIG;
	if (fstatvfs(fd, &room) != 0)
		return errno;
	/* A tmpfs without a size limit reports zero blocks in all. */
	if (room.f_blocks && (uint64_t)room.f_bavail * room.f_frsize < place->capacity)
		return ENOSPC;
	if (!file_mark(fd) || ftruncate(fd, (off_t)place->capacity) != 0)
		return errno;
	place->memory = mmap(NULL, place->capacity, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_NORESERVE, fd, 0);
	return place->memory != MAP_FAILED ? 0 : errno;
}

/*
 * Deletes the file of the program that this process ran before its exec. That program left the file
 * for `tracelayer run` to look at, and all events in it are in the trace. If nobody deleted such
 * files, a long chain of execs would fill the folder.
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
		 * Before the file exists: a process that is killed in between must not leave a file
		 * that `tracelayer run` does not know of.
		 */
		tl_report_buffers(place->path);
		fd = open(place->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd < 0 && errno != EEXIST)
			return -1;
	}
	return fd;
}

/* False: errno says why; ENOSPC: there is no room. */
static bool place_make_in(struct place *place, const char *folder)
{
	int fd = file_create(place, folder);

	if (fd < 0)
		return false;
	int error = file_map(place, fd);
	close(fd);
	if (!error && pages_fault_in(place->memory, sizeof(struct beginning), "", 0))
		return true;
	if (!error)
		munmap(place->memory, place->capacity);
	unlink(place->path);
	errno = error ? error : ENOSPC;
	return false;
}

/*
 * Whether there are addresses (RLIMIT_AS) for the arena and for what comes with it: the pool and,
 * unless the arena is the smallest, the writer's memory and thread.
 */
static bool size_is_mappable(uint64_t size)
{
	uint64_t all = size + tl_pool_size(size) + (size > SMALLEST ? BESIDES : 0);
	void *mapped =
		mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return mapped != MAP_FAILED && munmap(mapped, all) == 0;
}

/* The size that was asked for, halved until it fits. 0: not even the smallest fits. */
static uint64_t size_mappable(void)
{
	uint64_t size = arena_size_wanted();

	/* Without a limit there are addresses for so little. valgrind has none for 100G. */
	if (size <= LITTLE && tl_limits_addresses() == UINT64_MAX)
		return size;
	while (size > SMALLEST && !size_is_mappable(size))
		size = size / 2 < SMALLEST ? SMALLEST : size / 2 & ~(uint64_t)(TL_ARENA_UNIT - 1);
	return size_is_mappable(size) ? size : 0;
}

/* The size that is mapped in this process becomes what it may have. */
static bool place_size(struct place *place)
{
	place->capacity = size_mappable();
	if (!place->capacity)
		return false;
	if (place->capacity < arena_size_wanted()) {
		if (tl_config.memory_given)
			tl_arena_say_less(arena_size_wanted(), place->capacity);
		tl_config.memory = place->capacity;
	}
	return true;
}

/* Lowers tl_config.memory to a part of what the cgroups let the process have. Called under `making`. */
static bool memory_fit_in_cgroups(void)
{
	uint64_t before = tl_config.memory;

	if (!tl_config.memory_given && !atomic_load_explicit(&cgroups_asked, memory_order_relaxed))
		memory_lower(tl_limits_cgroup("") / PART);
	atomic_store_explicit(&cgroups_asked, true, memory_order_relaxed);
	return tl_config.memory < before;
}

/* Where there is no room for it, once more for as much as the cgroups allow. False: *error says why. */
static bool place_make_within(struct place *place, const char *folder, int *error)
{
	bool made = place_make_in(place, folder);

	*error = errno;
	if (!made && memory_fit_in_cgroups() && place_size(place)) {
		made = place_make_in(place, folder);
		*error = errno;
	}
	return made;
}

/*
 * Makes the arena in the first folder that has room, else in the process's own memory. Tells the
 * user if that is not the first folder.
 */
static bool place_make_anywhere(struct place *place)
{
	int error = 0; /* of the first folder */

	if (!place_size(place))
		return false;
	/* A process that may not be recorded leaves no file. */
	if (!tl_process_may_record())
		return place_make_own(place);
	if (!places.count)
		tl_places(&places);
	for (unsigned i = 0; i < places.count; i++) {
		int why;

		if (place_make_within(place, places.folder[i], &why)) {
			if (i)
				tl_arena_say_place(places.folder[0], error, places.folder[i],
						   arena_size_wanted());
			return true;
		}
		error = i ? error : why;
	}
	if (!place_make_own(place))
		return false;
	tl_arena_say_place(places.folder[0], error, NULL, arena_size_wanted());
	return true;
}

/* --- the arena's beginning */

static void piece_begin(struct tl_piece *piece, enum tl_piece_kind kind, uint64_t size)
{
	piece->kind = kind;
	piece->size = size;
	atomic_store_explicit((_Atomic uint32_t *)&piece->magic, TL_PIECE_MAGIC,
			      memory_order_release);
}

/* Fills in all but .kind, which is stored last. */
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
	header->has_time_offset = 1;
	atomic_init(&header->resumed, tl_process_resumed());
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
	/* Release: for a reader in another process, after a kill: the rest is filled in. */
	atomic_store_explicit((_Atomic uint32_t *)&begin->header.kind, TL_FILE_BUFFERS,
			      memory_order_release);
}

/* Called under `making`. */
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

	return until && !arena_beginning() && tl_clock_gettime_ticks() < until;
}

/* The arena's beginning; made now unless another thread has made it. */
static struct beginning *arena_make(void)
{
	struct beginning *begin;
	struct place place;

	if (tl_arena_is_refused())
		return NULL;
	making_begin();
	begin = arena_beginning();
	if (!begin && !tl_arena_is_refused() && place_make_anywhere(&place)) {
		begin = (struct beginning *)place.memory;
		mapped = place.capacity;
		atomic_store_explicit(&capacity, mapped, memory_order_relaxed);
		memcpy(path, place.path, sizeof(path));
		beginning_fill(begin, mapped);
		tl_clock_move(&begin->clock.table);
		atomic_store_explicit(&used, sizeof(struct beginning), memory_order_relaxed);
		/* Release: pairs with the acquire in arena_beginning(). */
		atomic_store_explicit(&arena, place.memory, memory_order_release);
		/*
		 * After `arena` is stored: from there on, whoever changes these notes it in the
		 * header.
		 */
		atomic_store_explicit(&begin->header.recording, tl_process_recording(),
				      memory_order_relaxed);
		atomic_store_explicit(&begin->header.watched, tl_process_is_watched(),
				      memory_order_relaxed);
	}
	if (!begin && !tl_arena_is_refused())
		arena_refuse();
	making_end();
	return begin;
}

bool tl_arena_begin(void)
{
	return arena_beginning() || arena_make();
}

void tl_arena_look(void)
{
	tl_places(&places);
}

/* --- what the arena has */

struct tl_file_header *tl_arena_header(void)
{
	struct beginning *begin = arena_beginning();

	return begin ? &begin->header : NULL;
}

struct tl_output_piece *tl_arena_output(void)
{
	struct beginning *begin = arena_beginning();

	return begin ? &begin->output : NULL;
}

const struct tl_facts *tl_arena_facts(void)
{
	struct beginning *begin = arena_beginning();

	return begin ? &begin->facts.facts : NULL;
}

const char *tl_arena_path(void)
{
	return arena_beginning() ? path : "";
}

void tl_arena_ask_cgroups(void)
{
	if (atomic_load_explicit(&cgroups_asked, memory_order_relaxed))
		return;
	making_begin();
	if (memory_fit_in_cgroups())
		atomic_store_explicit(&capacity, tl_config.memory, memory_order_relaxed);
	making_end();
}

/*
 * What may be taken in all, for a piece that ends at `end`. Up to the smallest size, it does not
 * matter what the cgroups say. The kernel takes long to tell, and most programs never get there.
 */
static uint64_t arena_most(uint64_t end)
{
	if (end > SMALLEST)
		tl_arena_ask_cgroups();
	return atomic_load_explicit(&capacity, memory_order_relaxed);
}

void *tl_arena_take(enum tl_piece_kind kind, uint64_t size)
{
	char *memory = tl_arena_begin() ? (char *)arena_beginning() : NULL;
	uint64_t at = atomic_load_explicit(&used, memory_order_relaxed), most;

	if (!memory)
		return NULL;
	do {
		most = arena_most(at + size);
		if (at > most || size > most - at)
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
	uint64_t at = atomic_load_explicit(&used, memory_order_relaxed), most = tl_arena_memory();

	return !arena_beginning() || (at <= most && size <= most - at);
}

uint64_t tl_arena_memory(void)
{
	return arena_beginning() ? atomic_load_explicit(&capacity, memory_order_relaxed)
				 : tl_config.memory;
}

void tl_arena_done(bool done)
{
	struct beginning *begin = arena_beginning();

	/* Release: for a reader in another process; all that was written before counts. */
	if (begin)
		atomic_store_explicit(&begin->header.state, done ? TL_FILE_DONE : TL_FILE_LIVE,
				      memory_order_release);
}

void tl_arena_delete(void)
{
	struct beginning *begin = arena_beginning();

	if (begin && *path && begin->header.pid == (uint32_t)syscall(SYS_getpid))
		unlink(path);
	*path = 0;
}

/*
 * The parents' ranges stay mapped in a child, so each generation takes addresses. Half of what is
 * left of a quarter of the limit is for this one. So a chain of forks never takes more than that.
 */
static void memory_fit_in_child(void)
{
	if (tl_config.memory_given)
		return;
	uint64_t quarter = tl_limits_addresses() / PARTS;

	memory_lower(quarter > inherited ? (quarter - inherited) / 2 : 0);
}

void tl_arena_after_fork(void)
{
	char *memory = atomic_load_explicit(&arena, memory_order_relaxed);

	/*
	 * The clock's table lies in the parent's memory, which the mapping below replaces by zeros.
	 */
	tl_clock_after_fork();
	if (memory) {
		mmap(memory, mapped, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
		inherited += mapped + tl_pool_size(mapped);
		memory_fit_in_child();
	}
	*path = 0;
	atomic_store_explicit(&making, 0, memory_order_relaxed);
	atomic_store_explicit(&refused_until, 0, memory_order_relaxed);
	atomic_store_explicit(&used, 0, memory_order_relaxed);
	atomic_store_explicit(&arena, NULL, memory_order_relaxed);
}
