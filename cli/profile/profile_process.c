/* SPDX-License-Identifier: MIT */
/*
 * profile_process.c: see profile_process.h.
 *
 * The file is mapped once, as large as it can become. Pages that it does not have yet are not
 * touched, because that would make them; new pieces are found by reading.
 *
 * A thread has a piece with its open calls once it makes a call, and a piece with its labels once
 * it has one. A seat is a thread with one or both, matched by the kernel's thread number. Seats
 * are made anew when a piece goes to another thread.
 *
 * Calls and labels are two stacks. Each entry has an address in its thread's real stack, and these
 * addresses order them together. Where a thread changes stacks (coroutines, signal handlers) the
 * order of calls among labels may be wrong; each stack keeps its own order.
 *
 * A label's text is an address in the process. Literals are read from its files; other memory is
 * read only where the kernel allows it.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/leftovers/leftovers.h"
#include "cli/profile/profile_process.h"
#include "format/file/describe.h"

#define ALIVE_NS 100000000u /* between two checks which threads there are */
/* and whether there is the process: those that end by themselves say so at once */
#define LIVES_NS 10000000u
/* searches that find nothing at a place before it is taken for one that stays empty */
#define HOLE	   1000
#define CALLS_MOST 512u /* open calls of a thread that are looked at */
#define TEXT_MOST  256u
#define APIS	   32u

struct seat {
	struct watched_thread *thread;
	const struct tl_thread_piece *calls; /* or NULL */
	uint32_t room;			     /* for open calls in it */
	const struct tl_labels *labels;	     /* or NULL */
	bool gone;
};

/*
 * Who has a piece, as it was when seats were made. What the piece's head said is kept, since it may
 * say something else later.
 */
struct holder {
	const struct tl_piece *piece;
	struct tl_piece head;
	uint32_t who;
};

/* An API's description, which may still be on its way into its piece: its size is stored last. */
struct description {
	const struct tl_api_piece *piece;
	uint64_t room;
};

struct known_text {
	uint64_t address; /* 0: free */
	const char *text;
};

struct watched {
	char path[PATH_MAX];
	int fd;
	const char *memory;
	uint64_t size, at; /* pieces are known up to here */
	unsigned holes;
	uint64_t checked, lived;
	uint32_t pid;

	struct holder *holders;
	size_t nholders;
	struct seat *seats;
	size_t nseats;
	struct watched_thread **threads;
	size_t nthreads;

	struct description *descriptions;
	size_t ndescriptions;
	struct tl_api *api[APIS];
	struct known_text *texts; /* a table with open addressing */
	size_t ntexts, text_room;
};

/* ---- the file */

static const struct tl_file_header *header_of(const struct watched *watched)
{
	return (const struct tl_file_header *)watched->memory;
}

const struct tl_file_header *watched_header(const struct watched *watched)
{
	return header_of(watched);
}

const char *watched_path(const struct watched *watched)
{
	return watched->path;
}

static bool watched_map(struct watched *watched, const struct leftover *file)
{
	uint64_t size = file->header.capacity;
	void *memory;

	if (!file->sound || file->header.kind != TL_FILE_BUFFERS || size < TL_FILE_PAGE ||
	    size > (uint64_t)file->stat.st_size)
		return false;
	memory = mmap(NULL, size, PROT_READ, MAP_SHARED | MAP_NORESERVE, file->fd, 0);
	if (memory == MAP_FAILED)
		return false;
	watched->fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 3);
	watched->memory = memory;
	watched->size = size;
	watched->at = file->header.header_size;
	watched->pid = file->header.pid;
	return watched->fd >= 0;
}

struct watched *watched_open(const char *path)
{
	struct watched *watched = need(calloc(1, sizeof(*watched)));
	struct leftover file;

	snprintf(watched->path, sizeof(watched->path), "%s", path);
	if (!leftover_open(path, &file)) {
		free(watched);
		return NULL;
	}
	bool mapped = watched_map(watched, &file);
	leftover_release(&file);
	if (mapped)
		return watched;
	if (watched->memory)
		munmap((void *)watched->memory, watched->size);
	free(watched);
	return NULL;
}

/* Threads and texts stay: they are in profiles. */
void watched_close(struct watched *watched)
{
	munmap((void *)watched->memory, watched->size);
	close(watched->fd);
	for (size_t i = 0; i < APIS; i++)
		if (watched->api[i])
			tl_describe_free(watched->api[i]);
	free(watched->holders);
	free(watched->descriptions);
	free(watched->seats);
	free(watched->threads);
	free(watched->texts);
	free(watched);
}

/* ---- pieces */

static void holder_add(struct watched *watched, const struct tl_piece *piece,
		       const struct tl_piece *head)
{
	watched->holders = need(
		reallocarray(watched->holders, watched->nholders + 1, sizeof(*watched->holders)));
	watched->holders[watched->nholders++] = (struct holder){.piece = piece, .head = *head};
}

static void description_add(struct watched *watched, const struct tl_piece *piece, uint64_t size)
{
	watched->descriptions = need(reallocarray(watched->descriptions, watched->ndescriptions + 1,
						  sizeof(*watched->descriptions)));
	watched->descriptions[watched->ndescriptions++] = (struct description){
		(const struct tl_api_piece *)piece, size - sizeof(struct tl_api_piece)};
}

static void piece_add(struct watched *watched, const struct tl_piece *head, uint64_t at)
{
	const struct tl_piece *piece = (const void *)(watched->memory + at);

	switch (head->kind) {
	case TL_PIECE_THREAD:
		if (head->size >= sizeof(struct tl_thread_piece))
			holder_add(watched, piece, head);
		break;
	case TL_PIECE_LABELS:
		if (head->size >= sizeof(struct tl_labels_piece))
			holder_add(watched, piece, head);
		break;
	case TL_PIECE_API:
		if (head->size >= sizeof(struct tl_api_piece))
			description_add(watched, piece, head->size);
		break;
	}
}

/* Pieces that were added. A place that stays empty is one where a piece could not be made. */
static void search_pieces(struct watched *watched)
{
	struct tl_piece head;
	off_t further;

	while (watched->at < watched->size &&
	       pread(watched->fd, &head, sizeof(head), (off_t)watched->at) == sizeof(head)) {
		if (head.magic == TL_PIECE_MAGIC && head.size && head.size % TL_FILE_PAGE == 0 &&
		    head.size <= watched->size - watched->at) {
			piece_add(watched, &head, watched->at);
			watched->at += head.size;
			watched->holes = 0;
			continue;
		}
		if (++watched->holes < HOLE)
			return;
		watched->holes = 0;
		further = lseek(watched->fd, (off_t)watched->at, SEEK_DATA);
		if (further <= (off_t)watched->at || further % TL_FILE_PAGE)
			return;
		watched->at = (uint64_t)further;
	}
}

/* ---- seats */

static uint32_t holder_thread(const struct holder *holder)
{
	/* Acquire: pairs with the release of who took it. */
	if (holder->head.kind == TL_PIECE_THREAD)
		return atomic_load_explicit(&((const struct tl_thread_piece *)holder->piece)->lane,
					    memory_order_acquire);
	return __atomic_load_n(&((const struct tl_labels_piece *)holder->piece)->labels.thread,
			       __ATOMIC_ACQUIRE);
}

static bool holders_changed(struct watched *watched)
{
	bool changed = false;

	for (size_t i = 0; i < watched->nholders; i++) {
		uint32_t who = holder_thread(&watched->holders[i]);
		changed |= who != watched->holders[i].who;
		watched->holders[i].who = who;
	}
	return changed;
}

static struct watched_thread *thread_of(struct watched *watched, uint32_t tid)
{
	struct watched_thread *thread;

	for (size_t i = watched->nthreads; i--;)
		if (watched->threads[i]->tid == tid)
			return watched->threads[i];
	thread = need(calloc(1, sizeof(*thread)));
	thread->pid = watched->pid;
	thread->tid = tid;
	watched->threads =
		need(reallocarray(watched->threads, watched->nthreads + 1, sizeof(thread)));
	watched->threads[watched->nthreads++] = thread;
	return thread;
}

static void read_thread_name(struct watched_thread *thread)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", thread->pid, thread->tid);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fgets(thread->name, sizeof(thread->name), file))
		thread->name[strcspn(thread->name, "\n")] = 0;
	fclose(file);
}

static struct seat *seat_of(struct watched *watched, uint32_t tid)
{
	for (size_t i = watched->nseats; i--;)
		if (watched->seats[i].thread->tid == tid)
			return &watched->seats[i];
	watched->seats =
		need(reallocarray(watched->seats, watched->nseats + 1, sizeof(*watched->seats)));
	struct seat *seat = &watched->seats[watched->nseats++];

	*seat = (struct seat){.thread = thread_of(watched, tid)};
	if (!*seat->thread->name)
		read_thread_name(seat->thread);
	return seat;
}

static void make_seats(struct watched *watched)
{
	watched->nseats = 0;
	for (size_t i = 0; i < watched->nholders; i++) {
		const struct holder *holder = &watched->holders[i];
		if (!holder->who)
			continue;
		if (holder->head.kind == TL_PIECE_THREAD) {
			const struct tl_thread_piece *calls = (const void *)holder->piece;
			struct seat *seat = seat_of(watched, calls->tid);
			seat->calls = calls;
			seat->room = (uint32_t)((holder->head.size - sizeof(*calls)) /
						sizeof(calls->open[0]));
		} else {
			seat_of(watched, holder->who)->labels =
				&((const struct tl_labels_piece *)holder->piece)->labels;
		}
	}
}

/* Threads that ended without a word. A container's numbers mean nothing here. */
static void check_threads(struct watched *watched)
{
	for (size_t i = 0; i < watched->nseats; i++) {
		const struct watched_thread *thread = watched->seats[i].thread;
		watched->seats[i].gone =
			syscall(SYS_tgkill, thread->pid, thread->tid, 0) && errno == ESRCH;
	}
}

/* ---- names */

static struct known_text *text_place(struct known_text *texts, size_t room, uint64_t address)
{
	size_t at = (size_t)(address * 0x9e3779b97f4a7c15u >> 20) & (room - 1);

	while (texts[at].address && texts[at].address != address)
		at = (at + 1) & (room - 1);
	return &texts[at];
}

static struct known_text *known_text(struct watched *watched, uint64_t address)
{
	if (2 * watched->ntexts >= watched->text_room) {
		size_t room = watched->text_room ? 2 * watched->text_room : 256;
		struct known_text *texts = need(calloc(room, sizeof(*texts)));
		for (size_t i = 0; i < watched->text_room; i++)
			if (watched->texts[i].address)
				*text_place(texts, room, watched->texts[i].address) =
					watched->texts[i];
		free(watched->texts);
		watched->texts = texts;
		watched->text_room = room;
	}
	return text_place(watched->texts, watched->text_room, address);
}

/* Bytes of a file that the process has mapped, by the line of its maps. */
static ssize_t read_mapped(const struct watched *watched, const char *line, uint64_t address,
			   char *to, size_t size)
{
	unsigned long long from, until, offset, inode;
	char path[PATH_MAX];
	int place = 0;
	struct stat stat;

	if (sscanf(line, "%llx-%llx %*s %llx %*s %llu %n", &from, &until, &offset, &inode,
		   &place) != 4 ||
	    address < from || address >= until || !place || line[place] != '/')
		return 0;
	snprintf(path, sizeof(path), "/proc/%u/root%.*s", watched->pid,
		 (int)strcspn(line + place, "\n"), line + place);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	/* Another's root may be closed to us; as a rule it is ours. */
	if (fd < 0)
		fd = open(strchr(path + 6, '/') + 5, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return 0;
	ssize_t got = 0;
	if (!fstat(fd, &stat) && S_ISREG(stat.st_mode) && stat.st_ino == inode)
		got = pread(fd, to, until - address < size ? until - address : size,
			    (off_t)(offset + address - from));
	close(fd);
	return got;
}

static ssize_t read_from_files(const struct watched *watched, uint64_t address, char *to,
			       size_t size)
{
	char path[64], *line = NULL;
	size_t room = 0;
	ssize_t got = 0;

	snprintf(path, sizeof(path), "/proc/%u/maps", watched->pid);
	FILE *maps = fopen(path, "re");

	while (maps && got <= 0 && getline(&line, &room, maps) > 0)
		got = read_mapped(watched, line, address, to, size);
	if (maps)
		fclose(maps);
	free(line);
	return got;
}

static ssize_t read_from_memory(const struct watched *watched, uint64_t address, char *to,
				size_t size)
{
	uint64_t page = TL_FILE_PAGE - address % TL_FILE_PAGE;
	const struct iovec here = {to, size < page ? size : page};
	const struct iovec there = {(void *)(uintptr_t)address, here.iov_len};

	return process_vm_readv((pid_t)watched->pid, &here, 1, &there, 1, 0);
}

/* A new copy. */
static char *read_text(const struct watched *watched, uint64_t address)
{
	char text[TEXT_MOST + 1];
	ssize_t got = read_from_files(watched, address, text, TEXT_MOST);

	if (got <= 0)
		got = read_from_memory(watched, address, text, TEXT_MOST);
	if (got <= 0)
		snprintf(text, sizeof(text), "(label at 0x%llx)", (unsigned long long)address);
	else
		text[got] = 0;
	return need(strdup(text));
}

static const char *label_text(struct watched *watched, uint64_t address)
{
	struct known_text *known = known_text(watched, address);

	if (!known->address) {
		*known = (struct known_text){address, read_text(watched, address)};
		watched->ntexts++;
	}
	return known->text;
}

/* NULL: not known yet. */
static const struct tl_api *api_of(struct watched *watched, uint32_t number)
{
	char why[256];

	for (size_t i = 0; number < APIS && !watched->api[number] && i < watched->ndescriptions;
	     i++) {
		const struct tl_api_piece *piece = watched->descriptions[i].piece;
		/*
		 * Acquire: pairs with the release of the process, which has stored all else before.
		 */
		uint32_t size = __atomic_load_n(&piece->size, __ATOMIC_ACQUIRE);
		if (size && size <= watched->descriptions[i].room && piece->number == number)
			watched->api[number] = tl_describe_read(piece + 1, size, why, sizeof(why));
	}
	return number < APIS ? watched->api[number] : NULL;
}

static const char *function_name(struct watched *watched, uint32_t function)
{
	/* No address of a process. */
	uint64_t key = UINT64_C(1) << 63 | function;
	struct known_text *known = known_text(watched, key);
	const struct tl_api *api;
	char *text;

	if (known->address)
		return known->text;
	api = api_of(watched, function >> 16);
	if (!api) {
		search_pieces(watched);
		api = api_of(watched, function >> 16);
	}
	if (!api || (function & 0xffff) >= api->count)
		return "(a function that is not described)";
	text = need(strdup(api->functions[function & 0xffff].name));
	*known = (struct known_text){key, text};
	watched->ntexts++;
	return text;
}

/* ---- looking */

struct open_call {
	uint64_t frame;
	uint32_t function;
};

/* Acquire: pairs with the release of .frame, after the rest of the entry. */
static uint32_t copy_calls(const struct seat *seat, struct open_call *to)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < seat->room && i < CALLS_MOST; i++) {
		const struct tl_open_call *open = &seat->calls->open[i];
		uint64_t frame = atomic_load_explicit(&open->frame, memory_order_acquire);
		uint32_t mode = __atomic_load_n(&open->mode, __ATOMIC_ACQUIRE);
		if (frame && frame != TL_NO_FRAME)
			to[count++] = (struct open_call){
				frame, __atomic_load_n(&open->function, __ATOMIC_ACQUIRE)};
		else if (!(mode & TL_OPEN_FINISHED))
			break;
	}
	return count;
}

/* Until two copies are the same, as tl_labels_read. */
static uint32_t read_calls(const struct seat *seat, struct open_call *to)
{
	struct open_call again[CALLS_MOST];
	uint32_t count = copy_calls(seat, to), second;

	for (int tries = 0; tries < 3; tries++) {
		second = copy_calls(seat, again);
		bool same = second == count;
		for (uint32_t i = 0; same && i < count; i++)
			same = to[i].frame == again[i].frame && to[i].function == again[i].function;
		if (same)
			break;
		count = second;
		memcpy(to, again, count * sizeof(*to));
	}
	return count;
}

static void seat_visit(struct watched *watched, const struct seat *seat, watched_visit visit,
		       void *context)
{
	struct tl_label labels[TL_LABELS_MOST], stack[TL_LABELS_MOST + CALLS_MOST];
	struct open_call calls[CALLS_MOST];
	uint32_t nlabels = seat->labels ? tl_labels_read(seat->labels, labels) : 0;
	uint32_t ncalls = seat->calls ? read_calls(seat, calls) : 0, count = 0;

	if (nlabels > TL_LABELS_MOST)
		nlabels = TL_LABELS_MOST;
	/* Labels are over with the thread, but calls may be made even then. */
	if (seat->calls && !seat->labels && !ncalls &&
	    atomic_load_explicit(&seat->calls->ended, memory_order_relaxed))
		return;
	for (uint32_t i = 0, j = 0; i < nlabels || j < ncalls;) {
		bool label = j == ncalls || (i < nlabels && labels[i].stack > calls[j].frame);
		uint64_t address = label ? (uintptr_t)labels[i].text : 0;
		if (!label)
			stack[count++].text = function_name(watched, calls[j].function);
		else if (address)
			stack[count++].text = label_text(watched, address);
		i += label;
		j += !label;
	}
	visit(context, seat->thread, stack, count);
}

bool watched_look(struct watched *watched, watched_visit visit, void *context)
{
	uint64_t now = tl_profile_now();

	if (now - watched->lived > LIVES_NS) {
		if (kill((pid_t)watched->pid, 0) && errno == ESRCH)
			return false;
		watched->lived = now;
	}
	/*
	 * It may go on: after an exec that failed. Acquire: pairs with the release of who ends it.
	 */
	if (atomic_load_explicit(&header_of(watched)->state, memory_order_acquire) == TL_FILE_DONE)
		return true;
	search_pieces(watched);
	bool changed = holders_changed(watched);
	if (changed)
		make_seats(watched);
	if (changed || now - watched->checked > ALIVE_NS) {
		check_threads(watched);
		watched->checked = now;
	}
	for (size_t i = 0; i < watched->nseats; i++)
		if (!watched->seats[i].gone)
			seat_visit(watched, &watched->seats[i], visit, context);
	return true;
}
