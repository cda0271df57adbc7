/* SPDX-License-Identifier: MIT */
/*
 * tracelayer/nntrace.h: marks that say in which layer and phase of its work a program is. Source:
 * the tracing contract of Android's NNAPI.
 *
 *	#include <tracelayer/nntrace.h>
 *
 *	void classify(struct image *image)
 *	{
 *		NNTRACE_APP(NNTRACE_PHASE_EXECUTION, "classify");
 *		run(image);			the mark ends with the block
 *	}
 *
 *	static void convolve(struct tensor *tensor)
 *	{
 *		NNTRACE_TRANS("convolve");		transformation of data,
 *		pad(tensor);
 *		NNTRACE_COMP_SWITCH("convolve");	then computation, until the end of
 *		multiply(tensor);			the block
 *	}
 *
 * `tracelayer phases` prints tables of them: how much time each layer and phase took.
 *
 * Nothing has to be linked. Marks go to these places:
 *
 * tracelayer's trace	as slices, while tracelayer records the process. dlsym finds the library
 *			(it needs -ldl before glibc 2.34); the linker does, where the program
 *			defines TRACELAYER_LINKED before it includes this header.
 * the kernel's trace	where the environment variable TRACELAYER_TRACE_MARKER is set: yes or 1 for
 *			the trace_marker of tracefs, otherwise the path of a file. The marks have
 *			atrace's form, B|PID|MARK and E|PID, and systrace shows them.
 *
 * A mark that goes nowhere costs a load and a branch. The first mark reads the environment.
 *
 * A mark is a text that the compiler makes: [NN_LAYER_PHASE]DETAIL. So layer, phase and detail must
 * be string literals. A mark is a declaration. It lasts to the end of its block, on whatever way
 * the block is left: also by an exception, and (C with -fexceptions) when the thread is cancelled;
 * but not by longjmp or exit. A mark ends in the thread that began it.
 *
 *	NNTRACE_FULL(layer, phase, detail)		the basic form; at most one in a block
 *	NNTRACE_FULL_SWITCH(layer, phase, detail)	the rest of the block is another phase; any
 *							number, after a basic mark of the same block
 *							or of a block around it; without a basic
 *							mark it does not compile
 *	NNTRACE_FULL_SUBTRACT(layer, phase, detail)	time that the contract takes away from the
 *							callers' layers; at most one in a block
 *	NNTRACE_FULL_RAW(layer, phase, detail)		any number in a block
 *
 * A detail must not be empty and must have no brackets. Layers nest: the application's layer is
 * around the runtime's, which is around the CPU's layer or that of inter-process calls, which is
 * around the driver's. Utilities may be in any layer. tracelayer-phases(1) has the rules for layers
 * and phases.
 *
 * Threads		Any thread may have marks, anywhere, at any time. They take no lock.
 * errno		Marks keep errno.
 * Signals		A signal handler may have marks only after the thread's first mark.
 * Forks		A forked child does not end its parent's marks in its own trace.
 */
#ifndef TRACELAYER_NNTRACE_H
#define TRACELAYER_NNTRACE_H

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if !defined(F_DUPFD_CLOEXEC) || !defined(O_CLOEXEC)
#error "tracelayer/nntrace.h needs POSIX: compile with -std=gnu11, or define _POSIX_C_SOURCE as 200809L before the first #include"
#endif

/* ---- Layers and phases */

#define NNTRACE_LAYER_APPLICATION "LA"
#define NNTRACE_LAYER_RUNTIME	  "LR"
#define NNTRACE_LAYER_IPC	  "LI"
#define NNTRACE_LAYER_DRIVER	  "LD"
#define NNTRACE_LAYER_CPU	  "LC"
#define NNTRACE_LAYER_OTHER	  "LO"
/* used by several layers; its time counts for the layer of its caller */
#define NNTRACE_LAYER_UTILITY "LU"

#define NNTRACE_PHASE_OVERALL	"PO"  /* one use of the program; each has a table of its own */
#define NNTRACE_PHASE_WARMUP	"PWU" /* executions that do not count */
#define NNTRACE_PHASE_BENCHMARK "PBM" /* executions that count */
/* once in a process; not a part of the phase around it */
#define NNTRACE_PHASE_INITIALIZATION "PI"
#define NNTRACE_PHASE_PREPARATION    "PP"
#define NNTRACE_PHASE_COMPILATION    "PC"
#define NNTRACE_PHASE_EXECUTION	     "PE"
#define NNTRACE_PHASE_TERMINATION    "PT"
#define NNTRACE_PHASE_UNSPECIFIED    "PU" /* the phase of the caller */

/* The parts of execution. */
#define NNTRACE_PHASE_INPUTS_AND_OUTPUTS "PIO"
#define NNTRACE_PHASE_TRANSFORMATION	 "PTR"
#define NNTRACE_PHASE_COMPUTATION	 "PCO"
#define NNTRACE_PHASE_RESULTS		 "PR"

/* ---- Marks; the text above explains the forms */

#define NNTRACE_FULL(layer, phase, detail)                                                         \
	TL_NNTRACE_MARK(tl_nntrace_basic, "[NN_" layer "_" phase "]" detail)
#define NNTRACE_FULL_SWITCH(layer, phase, detail)                                                  \
	TL_NNTRACE_SWITCH(TL_NNTRACE_UNIQUE(__COUNTER__), "[SW][NN_" layer "_" phase "]" detail)
#define NNTRACE_FULL_SUBTRACT(layer, phase, detail)                                                \
	TL_NNTRACE_MARK(tl_nntrace_subtract, "[SUB][NN_" layer "_" phase "]" detail)
#define NNTRACE_FULL_RAW(layer, phase, detail)                                                     \
	TL_NNTRACE_MARK(TL_NNTRACE_UNIQUE(__COUNTER__), "[NN_" layer "_" phase "]" detail)

/* Short forms for common layers and phases. */
#define NNTRACE_APP(phase, detail) NNTRACE_FULL(NNTRACE_LAYER_APPLICATION, phase, detail)
#define NNTRACE_APP_SWITCH(phase, detail)                                                          \
	NNTRACE_FULL_SWITCH(NNTRACE_LAYER_APPLICATION, phase, detail)
#define NNTRACE_RT(phase, detail)	 NNTRACE_FULL(NNTRACE_LAYER_RUNTIME, phase, detail)
#define NNTRACE_RT_SWITCH(phase, detail) NNTRACE_FULL_SWITCH(NNTRACE_LAYER_RUNTIME, phase, detail)
#define NNTRACE_CPU(phase, detail)	 NNTRACE_FULL(NNTRACE_LAYER_CPU, phase, detail)
#define NNTRACE_COMP(detail)		 NNTRACE_FULL(NNTRACE_LAYER_CPU, NNTRACE_PHASE_COMPUTATION, detail)
#define NNTRACE_COMP_SWITCH(detail)                                                                \
	NNTRACE_FULL_SWITCH(NNTRACE_LAYER_CPU, NNTRACE_PHASE_COMPUTATION, detail)
#define NNTRACE_TRANS(detail) NNTRACE_FULL(NNTRACE_LAYER_CPU, NNTRACE_PHASE_TRANSFORMATION, detail)

/* ---- How marks work; programs use only the macros above */

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The library's functions for marks. begin starts a mark and returns the value for end; 0: nothing
 * was recorded. New members are added only at the end.
 */
struct tl_marks {
	size_t size;
	uint64_t (*begin)(const char *mark);
	void (*end)(uint64_t begun);
};

#ifdef TRACELAYER_LINKED
extern const struct tl_marks tl_marks_here;
#endif

/* Where marks go. Each program or library with marks has one of these. */
struct tl_nntrace_doors {
	const struct tl_marks *library;
	int state;  /* enum tl_nntrace_state */
	int marker; /* descriptor of trace_marker; -1: none; -2: not opened yet */
};

/* Whether marks go anywhere. UNKNOWN: no mark has begun yet. */
enum tl_nntrace_state { TL_NNTRACE_UNKNOWN = 0, TL_NNTRACE_NOWHERE, TL_NNTRACE_SOMEWHERE };

__attribute__((weak, visibility("hidden"))) struct tl_nntrace_doors tl_nntrace_doors = {
	NULL, TL_NNTRACE_UNKNOWN, -2};

/* A mark that has begun. */
struct tl_nntrace {
	uint64_t begun; /* what the library returned; 0: nothing */
	int marked;	/* its begin was written to trace_marker */
};

/* Append a text. Returns its end. */
static inline char *tl_nntrace_put(char *to, const char *end, const char *text)
{
	while (*text && to < end)
		*to++ = *text++;
	return to;
}

/* Append a number; there must be room for it. Returns its end. */
static inline char *tl_nntrace_put_number(char *to, unsigned long number)
{
	char digits[24], *digit = digits + sizeof(digits) - 1;

	*digit = 0;
	do
		*--digit = (char)('0' + number % 10);
	while (number /= 10);
	return tl_nntrace_put(to, to + sizeof(digits), digit);
}

/*
 * Write a line. trace_marker takes one line at a time and cuts lines that are longer than a page. A
 * write that fails is ignored: the program does not wait.
 */
static inline int tl_nntrace_write(char kind, const char *mark)
{
	char line[1024], *end = line + sizeof(line) - 1, *at = line;

	*at++ = kind;
	*at++ = '|';
	at = tl_nntrace_put_number(at, (unsigned long)getpid());
	if (mark)
		at = tl_nntrace_put(tl_nntrace_put(at, end, "|"), end, mark);
	*at++ = '\n';
	return write(tl_nntrace_doors.marker, line, (size_t)(at - line)) == at - line;
}

/* Say in one line on standard error why the trace marker can't be opened. */
static inline void tl_nntrace_complain(const char *path, const char *why)
{
	char line[512], *end = line + sizeof(line), *at = line;

	at = tl_nntrace_put(at, end, "tracelayer: TRACELAYER_TRACE_MARKER: cannot open ");
	at = tl_nntrace_put(tl_nntrace_put(at, end, path), end, ": ");
	at = tl_nntrace_put(
		tl_nntrace_put(at, end, why), end,
		"; mount tracefs and let this user write there, or name another file\n");
	if (write(2, line, (size_t)(at - line)) < 0)
		return;
}

/*
 * Move a descriptor to a high number, which programs that close descriptors by number hardly reach.
 */
static inline int tl_nntrace_out_of_the_way(int descriptor)
{
	int high = descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, 512);

	if (high < 0)
		return descriptor;
	close(descriptor);
	return high;
}

/* `words`: each word ends with a space. */
static inline int tl_nntrace_is_one_of(const char *word, const char *words)
{
	size_t length = strlen(word);
	const char *at = strchr(word, ' ') ? NULL : strstr(words, word);

	return at && at[length] == ' ' && (at == words || at[-1] == ' ');
}

/* True if the file belongs to the user or to root, or is a device. */
static inline int tl_nntrace_is_trusted(int descriptor)
{
	struct stat about;

	return !fstat(descriptor, &about) &&
	       (about.st_uid == 0 || about.st_uid == geteuid() || S_ISCHR(about.st_mode));
}

/*
 * Open the trace marker. Returns its descriptor, or -1: the user did not ask for it, or it can't be
 * opened; then *path is the file and *why the errno.
 */
static inline int tl_nntrace_open_marker(const char **path, int *why)
{
	const char *set = getenv("TRACELAYER_TRACE_MARKER");
	const int how = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

	if (!set || !*set || tl_nntrace_is_one_of(set, "0 no off false "))
		return -1;
	*path = tl_nntrace_is_one_of(set, "1 yes on true ") ? "/sys/kernel/tracing/trace_marker"
							    : set;
	int descriptor = open(*path, how);
	if (descriptor < 0 && *path != set)
		descriptor = open("/sys/kernel/debug/tracing/trace_marker", how);
	if (descriptor < 0)
		*why = errno;
	/*
	 * In a folder that all may write to, anyone could put a pipe or file there and read the
	 * marks.
	 */
	if (descriptor >= 0 && !tl_nntrace_is_trusted(descriptor)) {
		close(descriptor);
		*why = EPERM;
		return -1;
	}
	return tl_nntrace_out_of_the_way(descriptor);
}

/* NULL: tracelayer is not in the process, or is older than this header. */
static inline const struct tl_marks *tl_nntrace_find_library(void)
{
#ifdef TRACELAYER_LINKED
	const struct tl_marks *found = &tl_marks_here;
#else
	/* NULL is RTLD_DEFAULT, which has no name without _GNU_SOURCE. */
	const struct tl_marks *found = (const struct tl_marks *)dlsym(NULL, "tl_marks_here");
#endif
	return found && found->size >= sizeof(*found) ? found : NULL;
}

/* All threads use the descriptor of the thread that was first. Returns it. */
static inline int tl_nntrace_settle_marker(void)
{
	const char *path = NULL;
	int why = 0, none = -2, marker = tl_nntrace_open_marker(&path, &why);

	/* Release by the first thread; pairs with the acquire of this exchange in later ones. */
	if (__atomic_compare_exchange_n(&tl_nntrace_doors.marker, &none, marker, 0,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		if (why)
			tl_nntrace_complain(path, strerror(why));
		return marker;
	}
	if (marker >= 0)
		close(marker);
	return none;
}

/*
 * Find where marks go. Returns TL_NNTRACE_SOMEWHERE or TL_NNTRACE_NOWHERE. Threads that come at the
 * same time all look, and find the same: none waits, and no mark is lost.
 */
static __attribute__((noinline, cold, unused)) int tl_nntrace_find(void)
{
	const struct tl_marks *library = tl_nntrace_find_library();
	int marker = tl_nntrace_settle_marker(),
	    state = library || marker >= 0 ? TL_NNTRACE_SOMEWHERE : TL_NNTRACE_NOWHERE;

	__atomic_store_n(&tl_nntrace_doors.library, library, __ATOMIC_RELAXED);
	/*
	 * Release pairs with the load in tl_nntrace_begin: a thread that sees the state sees the
	 * doors.
	 */
	__atomic_store_n(&tl_nntrace_doors.state, state, __ATOMIC_RELEASE);
	return state;
}

/* Begin a mark that goes somewhere. Keeps errno. */
static __attribute__((noinline, unused)) struct tl_nntrace
tl_nntrace_begin_somewhere(const char *mark)
{
	struct tl_nntrace made = {0, 0};
	int error = errno;

	if (tl_nntrace_doors.marker >= 0)
		made.marked = tl_nntrace_write('B', mark);
	const struct tl_marks *library =
		__atomic_load_n(&tl_nntrace_doors.library, __ATOMIC_RELAXED);

	if (library)
		made.begun = library->begin(mark);
	errno = error;
	return made;
}

/* Begin a mark. The caller passes the result to tl_nntrace_end, in the same thread. */
static inline struct tl_nntrace tl_nntrace_begin(const char *mark)
{
	struct tl_nntrace none = {0, 0};
	int state = __atomic_load_n(&tl_nntrace_doors.state, __ATOMIC_ACQUIRE);

	if (__builtin_expect(state == TL_NNTRACE_UNKNOWN, 0)) {
		int error = errno;
		state = tl_nntrace_find();
		errno = error;
	}
	return state == TL_NNTRACE_SOMEWHERE ? tl_nntrace_begin_somewhere(mark) : none;
}

/* End a mark where it has begun. Keeps errno. */
static __attribute__((noinline, unused)) void
tl_nntrace_end_somewhere(const struct tl_nntrace *mark)
{
	int error = errno;

	if (mark->begun)
		__atomic_load_n(&tl_nntrace_doors.library, __ATOMIC_RELAXED)->end(mark->begun);
	if (mark->marked)
		(void)tl_nntrace_write('E', NULL);
	errno = error;
}

/* End a mark; does nothing for one that went nowhere. */
static inline void tl_nntrace_end(struct tl_nntrace *mark)
{
	if (mark->begun || mark->marked)
		tl_nntrace_end_somewhere(mark);
}

#ifdef __cplusplus
}
#endif

#define TL_NNTRACE_JOIN(a, b)	  a##b
#define TL_NNTRACE_UNIQUE(number) TL_NNTRACE_JOIN(tl_nntrace_, number)
#define TL_NNTRACE_MARK(variable, mark)                                                            \
	struct tl_nntrace variable __attribute__((cleanup(tl_nntrace_end), unused)) =              \
		tl_nntrace_begin("" mark)
/* It names the variable of the basic mark, so it compiles only after one. */
#define TL_NNTRACE_SWITCH(variable, mark)                                                          \
	struct tl_nntrace variable __attribute__((cleanup(tl_nntrace_end), unused)) =              \
		((void)&tl_nntrace_basic, tl_nntrace_begin("" mark))

#endif
