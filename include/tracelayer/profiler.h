/* SPDX-License-Identifier: MIT */
/*
 * tracelayer/profiler.h: a sampling profiler over labels, always one #include away.
 *
 *	#define TRACELAYER_PROFILING
 *	#include <tracelayer/profiler.h>
 *
 *	void bar(void) { TL_PROFILE_SCOPE("Bar"); work(); }
 *	void foo(void) { TL_PROFILE_SCOPE("Foo"); work(); bar(); }
 *
 *	int main(void)
 *	{
 *		tl_profile_thread();
 *		tl_profile_start();
 *		foo();
 *		tl_profile_finish();
 *	}
 *
 *	tracelayer profile (1 threads, 2004 samples)
 *	100.00% Foo
 *	    50.10% Bar
 *	    49.90% other
 *	0.00% other (outside of any label)
 *
 * A label is on from TL_PROFILE_SCOPE to the end of its block; a thread's labels are a stack, which
 * another thread looks at a thousand times a second. What is looked at is this stack, and never the
 * program's: labels may be finer than functions, and inlining does not matter. A percentage is of
 * all samples, not of the node above; "other" is what was in none of the labels below a node.
 *
 * Without TRACELAYER_PROFILING labels and tl_profile_thread are nothing, and a program that calls
 * tl_profile_start or tl_profile_finish does not compile. Nothing is linked but libc (before glibc
 * 2.34 -lpthread, -ldl).
 *
 * While `tracelayer profile` looks at the program, it sees the labels of all threads, among the
 * driver calls that they make, and nothing of start, finish and tl_profile_thread is needed
 * (tracelayer-profile(1)). tracelayer-profiler(7) tells more.
 *
 * Cost		A label is four stores to memory of the thread's own, with no lock; a thread's first
 *		takes its memory, and looks for the library.
 * Threads	All may be called in any thread. A thread is sampled from tl_profile_thread until
 *		its end, with the labels that it has by then.
 * Depth	Labels beyond TL_LABELS_MOST are not kept: the time is that of the label above. It
 *		is said how many samples that were. With TRACELAYER_PROFILER_ABORT the program
 *		aborts instead.
 * Leaving	A block may be left in any way: also by an exception, and (C with -fexceptions) by
 *		cancellation. What longjmp left is ended by the next label outside that ends.
 * Libraries	All parts of a program share a profile if the dynamic linker sees their symbols as
 *		one: a library loaded by dlopen needs a program linked with -rdynamic. Code that has
 *		this must not be unloaded.
 * Signals	Not in signal handlers. errno is kept.
 * Forks	A child is not profiled until it starts that itself; of the registered threads it
 *		has its own, if that was one.
 */
#ifndef TRACELAYER_PROFILER_H
#define TRACELAYER_PROFILER_H

#ifndef TRACELAYER_PROFILING

/* A text that is not literal is an error here, too. */
#define TL_PROFILE_SCOPE(text)		    ((void)sizeof("" text ""))
#define TL_PROFILE_SCOPE_NAMED(text, scope) ((void)sizeof("" text ""))
#define TL_PROFILE_UPDATE(scope, text)	    ((void)sizeof("" text ""))

static inline int tl_profile_thread(void)
{
	return 0;
}

#if defined(__has_attribute)
#if __has_attribute(error)
#define TL_PROFILE_IS_OFF                                                                          \
	__attribute__((error(                                                                      \
		"profiling is not enabled: define TRACELAYER_PROFILING before this header is included")))
#endif
#endif
#ifndef TL_PROFILE_IS_OFF
#define TL_PROFILE_IS_OFF
#endif
/* Not defined anywhere. */
TL_PROFILE_IS_OFF int tl_profile_start_is_off(void);
TL_PROFILE_IS_OFF int tl_profile_finish_is_off(void);
#define tl_profile_start()	   tl_profile_start_is_off()
#define tl_profile_start_at(hz)	   tl_profile_start_is_off()
#define tl_profile_finish()	   tl_profile_finish_is_off()
#define tl_profile_finish_to(file) tl_profile_finish_is_off()

#endif

#if defined(TRACELAYER_PROFILING) || defined(TRACELAYER_PROFILER_PARTS)

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if !defined(CLOCK_MONOTONIC) || !defined(SIG_BLOCK)
#error "tracelayer/profiler.h needs POSIX: compile with -std=gnu11, or define _POSIX_C_SOURCE as 200809L before the first #include"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * ---- What labels are. From here on what others need, too, who look at them
 * (TRACELAYER_PROFILER_PARTS)
 */

#define TL_LABELS_MOST 253u

struct tl_label {
	const char *text;
	/* where the frame is that has it: labels and calls are put in order by that */
	uintptr_t stack;
};

/*
 * A thread's labels. Written by it alone, and read by samplers at any time, also from another
 * process: a reader sees labels as they were a moment ago. A text is there before the size that
 * counts it.
 */
struct tl_labels {
	uint32_t size;	 /* that are on, also those beyond the most */
	uint32_t thread; /* the library's: the kernel's number */
	uint32_t shared; /* it is the library's, not ours */
	/* among the registered, from 1; 0: it isn't. Under the lock, as what follows */
	uint32_t place;
	struct tl_labels *next; /* while it is nobody's */
	uint64_t profile;	/* the last one that it is counted in */
	struct tl_label label[TL_LABELS_MOST];
};

/*
 * How the library is found, which makes labels visible from outside. Members are only ever added at
 * the end.
 */
struct tl_labels_library {
	size_t size;
	/* for the calling thread, with no label; NULL: it has none to give */
	struct tl_labels *(*begin)(void);
	void (*end)(struct tl_labels *labels);
};

/* ---- Reading a thread's labels, while it goes on */

/*
 * Acquire: pairs with the release in tl_profile_begin; and so that a second copy is not older than
 * the first. Returns .size.
 */
static inline uint32_t tl_labels_copy(const struct tl_labels *from, struct tl_label *to)
{
	uint32_t size = __atomic_load_n(&from->size, __ATOMIC_ACQUIRE), i;

	for (i = 0; i < size && i < TL_LABELS_MOST; i++) {
		to[i].text = __atomic_load_n(&from->label[i].text, __ATOMIC_ACQUIRE);
		to[i].stack = __atomic_load_n(&from->label[i].stack, __ATOMIC_ACQUIRE);
	}
	return size;
}

/*
 * Copies are made until two are the same, so that labels of two moments are not taken for a stack;
 * of a thread whose labels change all the time, the fourth. Returns .size, which may be larger than
 * what is kept.
 */
static inline uint32_t tl_labels_read(const struct tl_labels *from, struct tl_label *to)
{
	struct tl_label again[TL_LABELS_MOST];
	uint32_t size = tl_labels_copy(from, to), second, kept;
	int tries;

	for (tries = 0; tries < 3; tries++) {
		second = tl_labels_copy(from, again);
		kept = second < TL_LABELS_MOST ? second : TL_LABELS_MOST;
		if (second == size && !memcmp(to, again, kept * sizeof(*to)))
			return size;
		size = second;
		memcpy(to, again, kept * sizeof(*to));
	}
	return size;
}

/* ---- The profile: a tree of labels, merged by their texts */

struct tl_profile_node {
	const char *text;
	uint64_t weight; /* samples in it and below */
	uint64_t number; /* free for who writes the tree down */
	struct tl_profile_node *parent, *child, *next;
};

struct tl_profile {
	struct tl_profile_node root;
	uint64_t passes;  /* looks at all threads */
	uint64_t threads; /* that samples are of */
	uint64_t deep;	  /* samples with more labels than are kept */
	uint64_t elapsed; /* nanoseconds */
};

/* The node for a label below another; NULL where memory is short. */
static inline struct tl_profile_node *tl_profile_below(struct tl_profile_node *parent,
						       const char *text)
{
	struct tl_profile_node **link = &parent->child, *node;

	for (; (node = *link); link = &node->next)
		if (node->text == text || !strcmp(node->text, text))
			return node;
	node = (struct tl_profile_node *)calloc(1, sizeof(*node));
	if (!node)
		return NULL;
	node->text = text;
	node->parent = parent;
	*link = node;
	return node;
}

/* A thread's labels, seen so many times. Returns where they are in the tree. */
static inline struct tl_profile_node *tl_profile_add(struct tl_profile *profile,
						     const struct tl_label *labels, uint32_t count,
						     uint64_t times)
{
	struct tl_profile_node *node = &profile->root, *below;
	uint32_t i;

	node->weight += times;
	for (i = 0; i < count; i++) {
		/* A forked child's that its parent had put on. */
		if (!labels[i].text)
			continue;
		below = tl_profile_below(node, labels[i].text);
		if (!below)
			break;
		node = below;
		node->weight += times;
	}
	return node;
}

/* More samples first, then by the text. */
static inline void tl_profile_sort(struct tl_profile_node *parent)
{
	struct tl_profile_node *left = parent->child, *node, **link;

	parent->child = NULL;
	while ((node = left)) {
		left = node->next;
		for (link = &parent->child; *link; link = &(*link)->next)
			if ((*link)->weight < node->weight ||
			    ((*link)->weight == node->weight &&
			     strcmp((*link)->text, node->text) > 0))
				break;
		node->next = *link;
		*link = node;
		tl_profile_sort(node);
	}
}

static inline void tl_profile_print_row(FILE *to, const struct tl_profile *profile, uint64_t weight,
					const char *text, int level)
{
	fprintf(to, "%*s%.2f%% %s\n", 4 * level, "",
		100.0 * (double)weight / (double)profile->root.weight, text);
}

/* What is below a node; "other" has its place by its samples, behind labels that have as many. */
static inline void tl_profile_print_below(FILE *to, const struct tl_profile *profile,
					  const struct tl_profile_node *parent, int level)
{
	const char *other = level ? "other" : "other (outside of any label)";
	const struct tl_profile_node *node;
	uint64_t rest = parent->weight;
	int told = !parent->child;

	for (node = parent->child; node; node = node->next)
		rest -= node->weight;
	for (node = parent->child; node; node = node->next) {
		if (!told && node->weight < rest)
			tl_profile_print_row(to, profile, rest, other, level);
		told |= node->weight < rest;
		tl_profile_print_row(to, profile, node->weight, node->text, level);
		tl_profile_print_below(to, profile, node, level + 1);
	}
	if (!told)
		tl_profile_print_row(to, profile, rest, other, level);
}

static inline void tl_profile_print(FILE *to, struct tl_profile *profile)
{
	fprintf(to, "\ntracelayer profile (%llu threads, %llu samples)\n",
		(unsigned long long)profile->threads, (unsigned long long)profile->root.weight);
	tl_profile_sort(&profile->root);
	tl_profile_print_below(to, profile, &profile->root, 0);
	fputc('\n', to);
	fflush(to);
	if (profile->deep)
		fprintf(stderr,
			"tracelayer: profile: %llu samples had more than %u labels; they count for the label that was number %u\n",
			(unsigned long long)profile->deep, TL_LABELS_MOST, TL_LABELS_MOST);
}

static inline void tl_profile_drop(struct tl_profile_node *node)
{
	struct tl_profile_node *child;

	while ((child = node->child)) {
		node->child = child->next;
		tl_profile_drop(child);
		free(child);
	}
}

/* ---- When to look */

static inline uint64_t tl_profile_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * Once in each period, at an instant within it that nobody can foresee: what a program does in step
 * with a clock is seen as often as it does it. A sampler that comes late by whole periods, since
 * the machine is busy, keeps the beat: what it sees then counts for these, too.
 */
struct tl_profile_beat {
	uint64_t start, period, number, due, chance;
};

static inline struct tl_profile_beat tl_profile_beat_of(unsigned hz)
{
	struct tl_profile_beat beat;

	beat.start = tl_profile_now();
	beat.period = 1000000000u / hz;
	beat.number = 0;
	beat.due = 0;
	beat.chance = beat.start | 1;
	return beat;
}

/* The time of the next look. */
static inline uint64_t tl_profile_beat_next(struct tl_profile_beat *beat)
{
	/* Marsaglia's xorshift. */
	beat->chance ^= beat->chance << 13;
	beat->chance ^= beat->chance >> 7;
	beat->chance ^= beat->chance << 17;
	beat->due = beat->start + beat->number * beat->period + beat->chance % beat->period;
	return beat->due;
}

/* It comes now. Returns the periods that it counts for. */
static inline uint64_t tl_profile_beat_comes(struct tl_profile_beat *beat)
{
	uint64_t now = tl_profile_now(),
		 periods = 1 + (now > beat->due ? now - beat->due : 0) / beat->period;

	beat->number += periods;
	return periods;
}

#ifdef __cplusplus
}
#endif
#endif

#ifdef TRACELAYER_PROFILING

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Labels */

/*
 * What the parts of a program share, also those that hide their symbols: the first definition that
 * the dynamic linker finds counts.
 */
#define TL_PROFILER_SHARED __attribute__((weak, visibility("default")))

/* The calling thread's; NULL before its first. */
TL_PROFILER_SHARED
__attribute__((tls_model("initial-exec"))) __thread struct tl_labels *tl_labels_own;

static struct tl_labels *tl_labels_begin(void);

/* A label that is on: what `tl_profile_end` takes off, with all that were put on since. */
struct tl_profile_scope {
	struct tl_labels *labels;
	uint32_t depth;
};

static __attribute__((noinline, cold, unused)) void tl_labels_are_deep(void)
{
#ifdef TRACELAYER_PROFILER_ABORT
	fprintf(stderr,
		"tracelayer: profile: more than %u labels at once; end some, or compile without TRACELAYER_PROFILER_ABORT\n",
		TL_LABELS_MOST);
	abort();
#endif
}

/* The text must stay where it is. Inline, so that the frame is that of who has the label. */
static inline __attribute__((always_inline, unused)) struct tl_profile_scope
tl_profile_begin(const char *text)
{
	struct tl_profile_scope scope;

	scope.labels = tl_labels_own;
	if (__builtin_expect(!scope.labels, 0))
		scope.labels = tl_labels_begin();
	scope.depth = __atomic_load_n(&scope.labels->size, __ATOMIC_RELAXED);
	if (__builtin_expect(scope.depth < TL_LABELS_MOST, 1)) {
		struct tl_label *label = &scope.labels->label[scope.depth];
		__atomic_store_n(&label->text, text, __ATOMIC_RELAXED);
		__atomic_store_n(&label->stack, (uintptr_t)__builtin_dwarf_cfa(), __ATOMIC_RELAXED);
	} else {
		tl_labels_are_deep();
	}
	/* Release: pairs with the acquire in tl_labels_copy. */
	__atomic_store_n(&scope.labels->size, scope.depth + 1, __ATOMIC_RELEASE);
	return scope;
}

static inline __attribute__((always_inline, unused)) void
tl_profile_end(struct tl_profile_scope *scope)
{
	__atomic_store_n(&scope->labels->size, scope->depth, __ATOMIC_RELAXED);
}

/* Another text in its place. */
static inline __attribute__((unused)) void tl_profile_update(struct tl_profile_scope *scope,
							     const char *text)
{
	if (scope->depth < TL_LABELS_MOST)
		__atomic_store_n(&scope->labels->label[scope->depth].text, text, __ATOMIC_RELAXED);
}

/*
 * From here to the end of the block. A declaration; texts are literal strings. The named form can
 * be given another text:
 *
 *	TL_PROFILE_SCOPE_NAMED("load", step);
 *	load();
 *	TL_PROFILE_UPDATE(step, "sort");
 *	sort();
 */
#define TL_PROFILE_SCOPE_NAMED(text, scope)                                                        \
	struct tl_profile_scope scope __attribute__((cleanup(tl_profile_end), unused)) =           \
		tl_profile_begin("" text "")
#define TL_PROFILE_PASTE(a, b) a##b
#define TL_PROFILE_SCOPE_AT(text, line)                                                            \
	TL_PROFILE_SCOPE_NAMED(text, TL_PROFILE_PASTE(tl_profile_scope_, line))
#define TL_PROFILE_SCOPE(text)	       TL_PROFILE_SCOPE_AT(text, __LINE__)
#define TL_PROFILE_UPDATE(scope, text) tl_profile_update(&(scope), "" text "")

/* ---- The program's own sampler */

struct tl_profiler {
	struct tl_labels **thread; /* those registered */
	uint32_t threads, room;
	struct tl_labels *spare; /* of threads that have ended */
	const struct tl_labels_library *library;
	pthread_key_t key;
	int has_key;
	int running, finish;
	unsigned hz;
	uint64_t number; /* of the profile */
	pthread_t sampler;
	pthread_cond_t changed;
	struct tl_profile profile;
};

/*
 * The lock is for all of it. It is held for a look at all threads, and never while a label is put
 * on or taken off.
 */
TL_PROFILER_SHARED pthread_mutex_t tl_profiler_lock = PTHREAD_MUTEX_INITIALIZER;
TL_PROFILER_SHARED pthread_once_t tl_profiler_once = PTHREAD_ONCE_INIT;
TL_PROFILER_SHARED struct tl_profiler tl_profiler_state;
/* Labels of threads that there is no memory for. */
TL_PROFILER_SHARED struct tl_labels tl_labels_of_none;

static inline void tl_profiler_remove(struct tl_labels *labels)
{
	struct tl_profiler *profiler = &tl_profiler_state;

	if (!labels->place)
		return;
	profiler->thread[labels->place - 1] = profiler->thread[--profiler->threads];
	profiler->thread[labels->place - 1]->place = labels->place;
	labels->place = 0;
}

/* 0, or ENOMEM. */
static inline int tl_profiler_put(struct tl_labels *labels)
{
	struct tl_profiler *profiler = &tl_profiler_state;

	if (labels->place)
		return 0;
	if (profiler->threads == profiler->room) {
		uint32_t room = profiler->room ? 2 * profiler->room : 16;
		void *longer = realloc(profiler->thread, room * sizeof(*profiler->thread));
		if (!longer)
			return ENOMEM;
		profiler->thread = (struct tl_labels **)longer;
		profiler->room = room;
	}
	profiler->thread[profiler->threads++] = labels;
	labels->place = profiler->threads;
	return 0;
}

/*
 * The end of a thread. Its memory stays memory for labels: what was carried over to another thread
 * may still write there.
 */
static inline void tl_profiler_thread_ends(void *value)
{
	struct tl_labels *labels = (struct tl_labels *)value;

	pthread_mutex_lock(&tl_profiler_lock);
	tl_profiler_remove(labels);
	tl_labels_own = NULL;
	if (!labels->shared) {
		labels->next = tl_profiler_state.spare;
		tl_profiler_state.spare = labels;
	}
	pthread_mutex_unlock(&tl_profiler_lock);
	if (labels->shared)
		tl_profiler_state.library->end(labels);
}

static inline void tl_profiler_before_fork(void)
{
	pthread_mutex_lock(&tl_profiler_lock);
}

static inline void tl_profiler_after_fork(void)
{
	pthread_mutex_unlock(&tl_profiler_lock);
}

/*
 * The one thread that there is goes on. Labels that the library keeps are its parent's: it gets
 * others with its next.
 */
static inline void tl_profiler_in_child(void)
{
	struct tl_profiler *profiler = &tl_profiler_state;
	struct tl_labels *labels = tl_labels_own;
	uint32_t was = 0, i;

	for (i = 0; i < profiler->threads; i++)
		was |= profiler->thread[i] == labels;
	profiler->threads = 0;
	profiler->running = 0;
	tl_profile_drop(&profiler->profile.root);
	pthread_mutex_unlock(&tl_profiler_lock);
	if (profiler->library)
		labels = tl_labels_own = NULL;
	if (was) {
		labels = labels ? labels : tl_labels_begin();
		labels->place = 0;
		tl_profiler_put(labels);
	}
}

static inline void tl_profiler_prepare(void)
{
	struct tl_profiler *profiler = &tl_profiler_state;
	/* NULL is what RTLD_DEFAULT is, which not every way of compiling has a name for. */
	const struct tl_labels_library *library =
		(const struct tl_labels_library *)dlsym(NULL, "tl_labels_here");

	if (library && library->size >= sizeof(*library))
		profiler->library = library;
	profiler->has_key = !pthread_key_create(&profiler->key, tl_profiler_thread_ends);
	pthread_atfork(tl_profiler_before_fork, tl_profiler_after_fork, tl_profiler_in_child);
}

static inline struct tl_labels *tl_labels_spare(void)
{
	struct tl_labels *labels;

	pthread_mutex_lock(&tl_profiler_lock);
	labels = tl_profiler_state.spare;
	if (labels)
		tl_profiler_state.spare = labels->next;
	pthread_mutex_unlock(&tl_profiler_lock);
	if (!labels)
		return (struct tl_labels *)calloc(1, sizeof(*labels));
	__atomic_store_n(&labels->size, 0, __ATOMIC_RELAXED);
	labels->profile = 0;
	return labels;
}

/* A thread's first label. Where nobody would tell of its end, there is no memory for it either. */
static __attribute__((noinline, cold, unused)) struct tl_labels *tl_labels_begin(void)
{
	struct tl_profiler *profiler = &tl_profiler_state;
	struct tl_labels *labels = NULL;
	int error = errno;

	pthread_once(&tl_profiler_once, tl_profiler_prepare);
	if (profiler->has_key && profiler->library)
		labels = profiler->library->begin();
	if (profiler->has_key && !labels)
		labels = tl_labels_spare();
	if (labels && pthread_setspecific(profiler->key, labels)) {
		tl_profiler_thread_ends(labels);
		labels = NULL;
	}
	if (labels)
		tl_labels_own = labels;
	errno = error;
	return labels ? labels : &tl_labels_of_none;
}

/*
 * The calling thread is sampled from now on; the second time does nothing. 0, or -1 where memory is
 * short.
 */
static inline int tl_profile_thread(void)
{
	struct tl_labels *labels = tl_labels_own ? tl_labels_own : tl_labels_begin();
	int failed;

	if (labels == &tl_labels_of_none)
		return -1;
	pthread_mutex_lock(&tl_profiler_lock);
	failed = tl_profiler_put(labels);
	pthread_mutex_unlock(&tl_profiler_lock);
	return failed ? -1 : 0;
}

/* Look at all registered threads. */
static inline void tl_profiler_look(uint64_t times)
{
	struct tl_profiler *profiler = &tl_profiler_state;
	struct tl_profile *profile = &profiler->profile;
	struct tl_label label[TL_LABELS_MOST];
	uint32_t i, size;

	profile->passes++;
	for (i = 0; i < profiler->threads; i++) {
		struct tl_labels *labels = profiler->thread[i];
		if (labels->profile != profiler->number)
			profile->threads++;
		labels->profile = profiler->number;
		size = tl_labels_read(labels, label);
		profile->deep += size > TL_LABELS_MOST ? times : 0;
		tl_profile_add(profile, label, size < TL_LABELS_MOST ? size : TL_LABELS_MOST,
			       times);
	}
}

/* Until that time, or until the profile is to be finished. */
static inline void tl_profiler_wait(uint64_t until)
{
	struct tl_profiler *profiler = &tl_profiler_state;
	struct timespec time;

	time.tv_sec = (time_t)(until / 1000000000u);
	time.tv_nsec = (long)(until % 1000000000u);
	while (!profiler->finish &&
	       pthread_cond_timedwait(&profiler->changed, &tl_profiler_lock, &time) != ETIMEDOUT)
		;
}

static inline void *tl_profiler_run(void *unused)
{
	struct tl_profiler *profiler = &tl_profiler_state;
	struct tl_profile_beat beat = tl_profile_beat_of(profiler->hz);

	pthread_mutex_lock(&tl_profiler_lock);
	for (;;) {
		tl_profiler_wait(tl_profile_beat_next(&beat));
		if (profiler->finish)
			break;
		tl_profiler_look(tl_profile_beat_comes(&beat));
	}
	profiler->profile.elapsed = tl_profile_now() - beat.start;
	pthread_mutex_unlock(&tl_profiler_lock);
	return unused;
}

/* The sampler's thread, which handles none of the program's signals. */
static inline int tl_profiler_begin(void)
{
	struct tl_profiler *profiler = &tl_profiler_state;
	pthread_condattr_t attributes;
	sigset_t all, before;
	int error;

	memset(&profiler->profile, 0, sizeof(profiler->profile));
	profiler->finish = 0;
	profiler->number++;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&profiler->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	error = pthread_create(&profiler->sampler, NULL, tl_profiler_run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	profiler->running = !error;
	return error;
}

static inline int tl_profile_error(int error, const char *what)
{
	if (!error)
		return 0;
#ifdef TRACELAYER_PROFILER_ABORT
	fprintf(stderr, "tracelayer: profile: %s: %s; start and finish take turns\n", what,
		strerror(error));
	abort();
#endif
	(void)what;
	errno = error;
	return -1;
}

/*
 * Sample so many times a second from now on, 1 to 100000. 0; -1 with errno EALREADY where that is
 * done already, EINVAL, EAGAIN.
 */
static inline int tl_profile_start_at(unsigned hz)
{
	int error = EALREADY;

	pthread_once(&tl_profiler_once, tl_profiler_prepare);
	pthread_mutex_lock(&tl_profiler_lock);
	if (!hz || hz > 100000) {
		error = EINVAL;
	} else if (!tl_profiler_state.running) {
		tl_profiler_state.hz = hz;
		error = tl_profiler_begin();
	}
	pthread_mutex_unlock(&tl_profiler_lock);
	return tl_profile_error(error, "start");
}

static inline int tl_profile_start(void)
{
	return tl_profile_start_at(1000);
}

/*
 * Stop sampling, and print the profile. 0; -1 with errno EINVAL where nothing was started. Any
 * thread may do it. What is sampled after the next start is a profile of its own.
 */
static inline int tl_profile_finish_to(FILE *to)
{
	struct tl_profiler *profiler = &tl_profiler_state;
	int running;

	pthread_mutex_lock(&tl_profiler_lock);
	/* Of two that finish at once, one finds it finished. */
	running = profiler->running && !profiler->finish;
	if (running) {
		profiler->finish = 1;
		pthread_cond_signal(&profiler->changed);
	}
	pthread_mutex_unlock(&tl_profiler_lock);
	if (!running)
		return tl_profile_error(EINVAL, "finish");
	pthread_join(profiler->sampler, NULL);
	tl_profile_print(to, &profiler->profile);
	tl_profile_drop(&profiler->profile.root);
	pthread_mutex_lock(&tl_profiler_lock);
	pthread_cond_destroy(&profiler->changed);
	profiler->running = 0;
	pthread_mutex_unlock(&tl_profiler_lock);
	return 0;
}

static inline int tl_profile_finish(void)
{
	return tl_profile_finish_to(stdout);
}

#ifdef __cplusplus
}
#endif
#endif
#endif
