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
 * A label is on from TL_PROFILE_SCOPE to the end of its block. The labels of a thread are a stack.
 * The sampler, another thread, looks at this stack a thousand times a second. It never looks at the
 * program's own stack: so labels may be finer than functions, and inlining does not matter. A
 * percentage is a share of all samples, not of the node above. "other" counts the samples that were
 * in none of the labels below a node.
 *
 * Without TRACELAYER_PROFILING, labels and tl_profile_thread compile to nothing, and a program that
 * calls tl_profile_start or tl_profile_finish does not compile. The header links nothing but libc
 * (before glibc 2.34 also -lpthread and -ldl).
 *
 * This file is complete in itself, on purpose: a program can copy it and use it where tracelayer is
 * not installed. So it stays one file (tracelayer-profiler(7) promises that), although tracelayer
 * itself uses two of its parts. Its order:
 *
 *	Profiling is off	what remains without TRACELAYER_PROFILING
 *	What labels are		the memory of labels, and reading it; the tree of a profile; timing.
 *				tracelayer's own sources include this part alone, by
 *				TRACELAYER_PROFILER_PARTS: the record format, which keeps labels in
 *				a file, and `tracelayer profile`, which reads and prints them
 *	Labels			the macros, and how a label is put on and taken off
 *	The sampler		threads, starting, finishing
 *
 * While `tracelayer profile` watches the program, it sees the labels of all threads, among the
 * driver calls that they make. That needs neither start, finish nor tl_profile_thread
 * (tracelayer-profile(1)).
 *
 * Cost		A label is four stores to memory of its own thread, and takes no lock. The first
 *		label of a thread allocates this memory and looks for tracelayer's library.
 * Threads	Any thread may call any function. A thread is sampled from tl_profile_thread
 *		until it ends, with the labels that are on.
 * Depth	At most TL_LABELS_MOST labels are kept. Time in deeper ones counts for the
 *		last label that is kept, and the profile says how many samples that were. With
 *		TRACELAYER_PROFILER_ABORT the program aborts instead.
 * Leaving	A block may be left in any way: also by an exception, and (C with
 *		-fexceptions) when the thread is cancelled. Labels that a longjmp left end with the
 *		next label outside.
 * Libraries	All parts of a program share a profile if the dynamic linker makes their symbols
 *		one. A library that dlopen loads needs a program that is linked with -rdynamic. Code
 *		that includes this header must not be unloaded.
 * Signals	Signal handlers must not use it. It keeps errno.
 * Forks	A forked child is not profiled until it starts profiling itself. Its
 *		only thread stays registered, if it was.
 * Source	gemmlowp's profiler.h, whose output it prints.
 */
#ifndef TRACELAYER_PROFILER_H
#define TRACELAYER_PROFILER_H

#ifndef TRACELAYER_PROFILING

/* ---- Profiling is off */

/* A text that is not a literal is an error here, too. */
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
/* These are defined nowhere: calling one is an error, with the text above. */
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

/* ---- What labels are. TRACELAYER_PROFILER_PARTS asks for the part from here to "Labels" */

#define TL_LABELS_MOST 253u

/* A label that is on. */
struct tl_label {
	const char *text;
	/* the address of its frame: labels and calls are sorted by that */
	uintptr_t stack;
};

/*
 * The labels of a thread. Only the thread writes them. Samplers read them at any time, also from
 * another process, and see them as they were a moment ago. A text is stored before the size that
 * includes it.
 */
struct tl_labels {
	uint32_t size;	 /* how many are on, also those that are not kept */
	uint32_t thread; /* the kernel's thread id; the library stores it */
	uint32_t shared; /* 1: the library's memory, not this header's */
	/*
	 * number among the registered threads, from 1; 0: not registered. Under the lock, like the
	 * next two
	 */
	uint32_t place;
	struct tl_labels *next; /* in the list of spare ones */
	uint64_t profile;	/* number of the last profile that counts this thread */
	struct tl_label label[TL_LABELS_MOST];
};

/*
 * The functions of tracelayer's library, which makes labels visible from outside. New members are
 * added only at the end.
 */
struct tl_labels_library {
	size_t size;
	/* memory for the calling thread, without labels; NULL: there is none */
	struct tl_labels *(*begin)(void);
	/* the thread ends */
	void (*end)(struct tl_labels *labels);
};

/* ---- Reading a thread's labels, while it goes on */

/*
 * Copy the labels once. Returns .size. The acquire of the size pairs with the release in
 * tl_profile_begin; the others make sure that a second copy is not older than the first.
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
 * Copy the labels of a running thread to `to`, which has room for TL_LABELS_MOST. Copies until two
 * copies are equal, so that labels of two moments do not look like one stack; where they change all
 * the time, it keeps the fourth copy. Returns .size, which may be more than TL_LABELS_MOST.
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

/* A node of the tree. */
struct tl_profile_node {
	const char *text;
	uint64_t weight; /* samples in this node and below */
	uint64_t number; /* for code that prints the tree */
	struct tl_profile_node *parent, *child, *next;
};

/* A profile. The root has no text. */
struct tl_profile {
	struct tl_profile_node root;
	uint64_t passes;  /* how often all threads were looked at */
	uint64_t threads; /* how many threads have samples */
	uint64_t deep;	  /* samples with more labels than are kept */
	uint64_t elapsed; /* nanoseconds */
};

/* The node for a label below another node, made where there is none. NULL: memory is short. */
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

/* Add `times` samples of a thread with these labels. Returns their node. */
static inline struct tl_profile_node *tl_profile_add(struct tl_profile *profile,
						     const struct tl_label *labels, uint32_t count,
						     uint64_t times)
{
	struct tl_profile_node *node = &profile->root, *below;
	uint32_t i;

	node->weight += times;
	for (i = 0; i < count; i++) {
		/* A label without a text: in a forked child, one that the parent had put on. */
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

/* Sort all nodes: more samples first, then by the text. */
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

/* Print a line. */
static inline void tl_profile_print_row(FILE *to, const struct tl_profile *profile, uint64_t weight,
					const char *text, int level)
{
	fprintf(to, "%*s%.2f%% %s\n", 4 * level, "",
		100.0 * (double)weight / (double)profile->root.weight, text);
}

/* Print the nodes below one; "other" is sorted by its samples, after labels with as many. */
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

/* Sort a profile and print it; a line on standard error says how many samples were too deep. */
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

/* Free all nodes below one. */
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

/* Nanoseconds of CLOCK_MONOTONIC. */
static inline uint64_t tl_profile_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * A look falls into each period, at a random instant of it. So what a program does in step with a
 * clock is seen as often as it happens. Where the machine is busy, a look may come late by whole
 * periods; then it counts for these periods, too.
 */
struct tl_profile_beat {
	uint64_t start, period, number, due, chance;
};

/* `hz` looks a second, from now on. */
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

/* The look happens now. Returns the number of periods that it counts for. */
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
 * For variables that all parts of a program share, also parts that hide their symbols. The first
 * definition that the dynamic linker finds counts.
 */
#define TL_PROFILER_SHARED __attribute__((weak, visibility("default")))

/* The calling thread's labels. NULL before its first label. */
TL_PROFILER_SHARED
__attribute__((tls_model("initial-exec"))) __thread struct tl_labels *tl_labels_own;

static struct tl_labels *tl_labels_begin(void);

/* A label that is on. tl_profile_end takes it off, with all labels that were put on since. */
struct tl_profile_scope {
	struct tl_labels *labels;
	uint32_t depth;
};

/* There are more than TL_LABELS_MOST labels. */
static __attribute__((noinline, cold, unused)) void tl_labels_are_deep(void)
{
#ifdef TRACELAYER_PROFILER_ABORT
	fprintf(stderr,
		"tracelayer: profile: more than %u labels at once; end some, or compile without TRACELAYER_PROFILER_ABORT\n",
		TL_LABELS_MOST);
	abort();
#endif
}

/* Put a label on. The text must stay valid. Always inline, so that the frame is the caller's. */
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

/* Take a label off. */
static inline __attribute__((always_inline, unused)) void
tl_profile_end(struct tl_profile_scope *scope)
{
	__atomic_store_n(&scope->labels->size, scope->depth, __ATOMIC_RELAXED);
}

/* Replace the text of a label. The text must stay valid. */
static inline __attribute__((unused)) void tl_profile_update(struct tl_profile_scope *scope,
							     const char *text)
{
	if (scope->depth < TL_LABELS_MOST)
		__atomic_store_n(&scope->labels->label[scope->depth].text, text, __ATOMIC_RELAXED);
}

/*
 * A label from here to the end of the block. It is a declaration, and texts are string literals.
 * The text of the named form can be replaced:
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

/* ---- The sampler */

/* All state of the sampler. */
struct tl_profiler {
	struct tl_labels **thread; /* the registered threads */
	uint32_t threads, room;
	struct tl_labels *spare; /* memory of threads that have ended */
	const struct tl_labels_library *library;
	pthread_key_t key;
	int has_key;
	int running, finish;
	unsigned hz;
	uint64_t number; /* of the current profile */
	pthread_t sampler;
	pthread_cond_t changed;
	struct tl_profile profile;
};

/*
 * The lock protects the whole state. The sampler holds it while it looks at all threads. Putting
 * labels on and off never takes it.
 */
TL_PROFILER_SHARED pthread_mutex_t tl_profiler_lock = PTHREAD_MUTEX_INITIALIZER;
TL_PROFILER_SHARED pthread_once_t tl_profiler_once = PTHREAD_ONCE_INIT;
TL_PROFILER_SHARED struct tl_profiler tl_profiler_state;
/* All threads that have no memory of their own put their labels here. Nobody reads them. */
TL_PROFILER_SHARED struct tl_labels tl_labels_of_none;

/* Unregister a thread. Under the lock. */
static inline void tl_profiler_remove(struct tl_labels *labels)
{
	struct tl_profiler *profiler = &tl_profiler_state;

	if (!labels->place)
		return;
	profiler->thread[labels->place - 1] = profiler->thread[--profiler->threads];
	profiler->thread[labels->place - 1]->place = labels->place;
	labels->place = 0;
}

/* Register a thread. Under the lock. Returns 0 or ENOMEM. */
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
 * The end of a thread. Its memory is not freed but kept for labels: code that has moved to another
 * thread may still write there.
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

/* No other thread holds the lock during a fork. */
static inline void tl_profiler_before_fork(void)
{
	pthread_mutex_lock(&tl_profiler_lock);
}

static inline void tl_profiler_after_fork(void)
{
	pthread_mutex_unlock(&tl_profiler_lock);
}

/*
 * In a forked child the only thread goes on. Labels in the library's memory are the parent's: the
 * thread gets other memory with its next label.
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

/* Once, before anything else: find the library, and learn of the ends of threads and of forks. */
static inline void tl_profiler_prepare(void)
{
	struct tl_profiler *profiler = &tl_profiler_state;
	/* NULL is RTLD_DEFAULT, which has no name without _GNU_SOURCE. */
	const struct tl_labels_library *library =
		(const struct tl_labels_library *)dlsym(NULL, "tl_labels_here");

	if (library && library->size >= sizeof(*library))
		profiler->library = library;
	profiler->has_key = !pthread_key_create(&profiler->key, tl_profiler_thread_ends);
	pthread_atfork(tl_profiler_before_fork, tl_profiler_after_fork, tl_profiler_in_child);
}

/* Memory for labels, without the library. NULL: memory is short. */
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

/*
 * Get memory for a thread's first label. It needs a thread key, which reports the end of the
 * thread.
 */
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
 * Sample the calling thread from now on. The second call does nothing. Returns 0, or -1 where
 * memory is short.
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

/*
 * Look at all registered threads. Under the lock. `times`: the periods that this look counts for.
 */
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

/* Wait until that time, or until the profile ends. Under the lock. */
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

/* The sampler's thread. */
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

/* Start the sampler's thread, with all signals blocked. Returns 0 or an errno. */
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

/* Return an error to the caller, or abort. */
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
 * Start a profile: sample `hz` times a second, 1 to 100000. Returns 0, or -1 and errno: EALREADY: a
 * profile is running; EINVAL: `hz` is out of range; EAGAIN: no thread could be started.
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

/* The same, a thousand times a second. */
static inline int tl_profile_start(void)
{
	return tl_profile_start_at(1000);
}

/*
 * End the profile, and print it to `to`. Any thread may call this. The next start begins a new
 * profile. Returns 0, or -1 with errno EINVAL where no profile is running.
 */
static inline int tl_profile_finish_to(FILE *to)
{
	struct tl_profiler *profiler = &tl_profiler_state;
	int running;

	pthread_mutex_lock(&tl_profiler_lock);
	/* Of two threads that finish at the same time, the second finds no profile. */
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

/* The same, to standard output. */
static inline int tl_profile_finish(void)
{
	return tl_profile_finish_to(stdout);
}

#ifdef __cplusplus
}
#endif
#endif
#endif
