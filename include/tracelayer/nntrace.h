/* SPDX-License-Identifier: MIT */
/*
 * tracelayer/nntrace.h: marks that say in which layer and phase of its work a program is, as
 * NNAPI's tracing contract has them.
 *
 *	#include <tracelayer/nntrace.h>
 *
 *	void classify(struct image *image)
 *	{
 *		NNTRACE_APP(NNTRACE_PHASE_EXECUTION, "classify");	from here to the end of the
 *									block
 *		run(image);
 *	}
 *
 *	static void convolve(struct tensor *tensor)
 *	{
 *		NNTRACE_TRANS("convolve");		transformation of data,
 *		pad(tensor);
 *		NNTRACE_COMP_SWITCH("convolve");	then computation, until the end of the block
 *		multiply(tensor);
 *	}
 *
 * `tracelayer phases` makes tables of them: what time was spent in which layer and phase.
 *
 * Nothing has to be linked. Marks go to either place, or both, or nowhere:
 *
 *	tracelayer's trace	as slices, while tracelayer records the process. The library is
 *				found by dlsym (which needs -ldl before glibc 2.34), or, where
 *				TRACELAYER_LINKED is defined before this is included, by the linker.
 *	the kernel's trace	where TRACELAYER_TRACE_MARKER is set in the environment: yes (or 1)
 *				for the trace_marker of tracefs, else the path of a file. There they
 *				are as atrace writes them, B|PID|MARK and E|PID, and systrace shows
 *				them.
 *
 * Where a mark goes nowhere it costs a load and a branch. The environment is read at the first
 * mark.
 *
 * A mark is a text made at compile time, [NN_LAYER_PHASE]DETAIL; so layer, phase and detail must be
 * string literals. It is a declaration, and lasts up to the end of its block, on whatever way that
 * is left: by an exception, too, and (C with -fexceptions) when the thread is cancelled; not by
 * longjmp or exit. A mark ends in the thread that began it.
 *
 *	NNTRACE_FULL(layer, phase, detail)		the basic form: one in a block
 *	NNTRACE_FULL_SWITCH(layer, phase, detail)	the block's work goes over to another phase;
 *							any number, behind a basic mark of the same
 *							block or of one around it: without one it
 *							does not compile
 *	NNTRACE_FULL_SUBTRACT(layer, phase, detail)	time of another layer than the callers'
 *							nesting says, to be taken from theirs: one
 *							in a block
 *	NNTRACE_FULL_RAW(layer, phase, detail)		any number in a block
 *
 * Details may not have brackets, and may not be empty. What may lie in what: the application's
 * layer around the runtime's, that around the CPU's or that of inter-process calls, and that around
 * the driver's; any around utilities. tracelayer-phases(1) has the rules for layers and phases.
 *
 * Threads	Each has marks of its own, anywhere, at any time. No lock is taken.
 * errno	is left as it is.
 * Signals	Not in signal handlers, but for those that come after the thread's first mark.
 * Forks	What a parent began, its child does not end in its own trace.
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

/* ---- Layers and phases */

#define NNTRACE_LAYER_APPLICATION "LA"
#define NNTRACE_LAYER_RUNTIME	  "LR"
#define NNTRACE_LAYER_IPC	  "LI"
#define NNTRACE_LAYER_DRIVER	  "LD"
#define NNTRACE_LAYER_CPU	  "LC"
#define NNTRACE_LAYER_OTHER	  "LO"
/* used by several layers: counts for that of its caller */
#define NNTRACE_LAYER_UTILITY "LU"

#define NNTRACE_PHASE_OVERALL	"PO"  /* one use of the program: begins a table of its own */
#define NNTRACE_PHASE_WARMUP	"PWU" /* executions before those that count */
#define NNTRACE_PHASE_BENCHMARK "PBM" /* those that count */
/* once in the life of the process: not a part of what it lies in */
#define NNTRACE_PHASE_INITIALIZATION "PI"
#define NNTRACE_PHASE_PREPARATION    "PP"
#define NNTRACE_PHASE_COMPILATION    "PC"
#define NNTRACE_PHASE_EXECUTION	     "PE"
#define NNTRACE_PHASE_TERMINATION    "PT"
#define NNTRACE_PHASE_UNSPECIFIED    "PU" /* that of the caller */

/* Of execution. */
#define NNTRACE_PHASE_INPUTS_AND_OUTPUTS "PIO"
#define NNTRACE_PHASE_TRANSFORMATION	 "PTR"
#define NNTRACE_PHASE_COMPUTATION	 "PCO"
#define NNTRACE_PHASE_RESULTS		 "PR"

/* ---- Marks */

#define NNTRACE_FULL(layer, phase, detail)                                                         \
	TL_NNTRACE_MARK(tl_nntrace_basic, "[NN_" layer "_" phase "]" detail)
#define NNTRACE_FULL_SWITCH(layer, phase, detail)                                                  \
	TL_NNTRACE_SWITCH(TL_NNTRACE_UNIQUE(__COUNTER__), "[SW][NN_" layer "_" phase "]" detail)
#define NNTRACE_FULL_SUBTRACT(layer, phase, detail)                                                \
	TL_NNTRACE_MARK(tl_nntrace_subtract, "[SUB][NN_" layer "_" phase "]" detail)
#define NNTRACE_FULL_RAW(layer, phase, detail)                                                     \
	TL_NNTRACE_MARK(TL_NNTRACE_UNIQUE(__COUNTER__), "[NN_" layer "_" phase "]" detail)

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

/* ---- How they work */

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What the library does with marks. begin: from now on; returns what end is given, 0 where nothing
 * was recorded. Members are only ever added at the end.
 */
struct tl_marks {
	size_t size;
	uint64_t (*begin)(const char *mark);
	void (*end)(uint64_t begun);
};

#ifdef TRACELAYER_LINKED
extern const struct tl_marks tl_marks_here;
#endif

/* Where marks go. One for each program or library that has marks in it. */
struct tl_nntrace_doors {
	const struct tl_marks *library;
	int state;  /* enum tl_nntrace_state */
	int marker; /* descriptor of trace_marker; -1: none, -2: not looked for yet */
};

enum tl_nntrace_state { TL_NNTRACE_UNKNOWN = 0, TL_NNTRACE_NOWHERE, TL_NNTRACE_SOMEWHERE };

__attribute__((weak, visibility("hidden"))) struct tl_nntrace_doors tl_nntrace_doors = {
	NULL, TL_NNTRACE_UNKNOWN, -2};

/* A mark that has begun. */
struct tl_nntrace {
	uint64_t begun; /* what the library gave */
	int marked;	/* its beginning was written to trace_marker */
};

/* Text behind text; returns where it ends. */
static inline char *tl_nntrace_put(char *to, const char *end, const char *text)
{
	while (*text && to < end)
		*to++ = *text++;
	return to;
}

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
 * trace_marker takes a line at a time, and cuts what is longer than a page. Not what can be had is
 * no reason to hold the program up.
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

/* A number that programs which close and reuse theirs hardly come to. */
static inline int tl_nntrace_out_of_the_way(int descriptor)
{
	int high = descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, 512);

	if (high < 0)
		return descriptor;
	close(descriptor);
	return high;
}

/* The words end with a space each. */
static inline int tl_nntrace_is_one_of(const char *word, const char *words)
{
	size_t length = strlen(word);
	const char *at = strchr(word, ' ') ? NULL : strstr(words, word);

	return at && at[length] == ' ' && (at == words || at[-1] == ' ');
}

/* It belongs to the user or to root. */
static inline int tl_nntrace_is_trusted(int descriptor)
{
	struct stat about;

	return !fstat(descriptor, &about) &&
	       (about.st_uid == 0 || about.st_uid == geteuid() || S_ISCHR(about.st_mode));
}

/* Its descriptor; -1: nobody asked for it, or it can't be opened, and *path and *why say so. */
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
	/* Anybody can make a pipe, or a file, where all may make files, and read there. */
	if (descriptor >= 0 && !tl_nntrace_is_trusted(descriptor)) {
		close(descriptor);
		*why = EPERM;
		return -1;
	}
	return tl_nntrace_out_of_the_way(descriptor);
}

/* A library that is older than this header is as none. */
static inline const struct tl_marks *tl_nntrace_find_library(void)
{
#ifdef TRACELAYER_LINKED
	const struct tl_marks *found = &tl_marks_here;
#else
	/* NULL is what RTLD_DEFAULT is, which not every way of compiling has a name for. */
	const struct tl_marks *found = (const struct tl_marks *)dlsym(NULL, "tl_marks_here");
#endif
	return found && found->size >= sizeof(*found) ? found : NULL;
}

/* One descriptor for all, whichever thread opened it first. Returns it. */
static inline int tl_nntrace_settle_marker(void)
{
	const char *path = NULL;
	int why = 0, none = -2, marker = tl_nntrace_open_marker(&path, &why);

	/* Release, and acquire by who comes later: pairs with itself. */
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
 * Returns TL_NNTRACE_SOMEWHERE or TL_NNTRACE_NOWHERE. Threads that come at the same time all find
 * out, and the same: none waits for another, and none's marks are lost.
 */
static __attribute__((noinline, cold, unused)) int tl_nntrace_find(void)
{
	const struct tl_marks *library = tl_nntrace_find_library();
	int marker = tl_nntrace_settle_marker(),
	    state = library || marker >= 0 ? TL_NNTRACE_SOMEWHERE : TL_NNTRACE_NOWHERE;

	__atomic_store_n(&tl_nntrace_doors.library, library, __ATOMIC_RELAXED);
	/* Release: pairs with the load in tl_nntrace_begin; who sees it sees the doors. */
	__atomic_store_n(&tl_nntrace_doors.state, state, __ATOMIC_RELEASE);
	return state;
}

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
/* What names the basic mark's variable compiles only behind one. */
#define TL_NNTRACE_SWITCH(variable, mark)                                                          \
	struct tl_nntrace variable __attribute__((cleanup(tl_nntrace_end), unused)) =              \
		((void)&tl_nntrace_basic, tl_nntrace_begin("" mark))

#endif
