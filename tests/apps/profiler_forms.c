/* SPDX-License-Identifier: MIT */
/*
 * profiler_forms.c: tracelayer/profiler.h, in C and in C++.
 *
 * profiler_forms example|workers|many|tree|forms|deep|fork: says each thing that is not as the
 * header says, and ends with 1 then. `example` and `workers` leave the profile on stdout, and on
 * stderr what it is to say: "NAME: PERCENT", as the program's own clock has it.
 *
 * PROFILER_OTHER is set where profiler_other.c is linked.
 */
#ifndef TRACELAYER_PROFILING
#define TRACELAYER_PROFILING
#endif
#include <tracelayer/profiler.h>

#include <setjmp.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"
#include "profiler_other.h"

/* The calling thread's labels as a sampler sees them: "A;B". */
static const char *labels(void)
{
	static __thread char text[4096];
	struct tl_label label[TL_LABELS_MOST];
	uint32_t size = tl_labels_own ? tl_labels_read(tl_labels_own, label) : 0, i;

	*text = 0;
	for (i = 0; i < size; i++) {
		strcat(text, i ? ";" : "");
		strcat(text, label[i].text);
	}
	return text;
}

#define EXPECT_LABELS(text) EXPECT(!strcmp(labels(), text))

/* ---- the document's examples */

static uint64_t in_foo, in_bar;

static void spin(uint64_t ns)
{
	uint64_t end = tl_profile_now() + ns;

	while (tl_profile_now() < end)
		;
}

/* For as long as it takes to be seen as it is now, on a machine however busy. */
static void until_seen(void)
{
	uint64_t end = tl_profile_now() + 20000000000u, first = 0, now = 0;

	while (now < first + 5 && tl_profile_now() < end) {
		spin(1000000);
		pthread_mutex_lock(&tl_profiler_lock);
		now = tl_profiler_state.profile.passes;
		pthread_mutex_unlock(&tl_profiler_lock);
		first = first ? first : now;
	}
}

static void bar(void)
{
	TL_PROFILE_SCOPE("Bar");
	uint64_t start = tl_profile_now();

	spin(20000000);
	in_bar += tl_profile_now() - start;
}

static void foo(void)
{
	TL_PROFILE_SCOPE("Foo");
	uint64_t start = tl_profile_now();

	spin(30000000);
	in_foo += tl_profile_now() - start;
	bar();
}

/* Foo and Bar take turns, so that no single hiccup of the machine decides. */
static void example(void)
{
	int i;

	EXPECT(!tl_profile_thread());
	EXPECT(!tl_profile_start());
	for (i = 0; i < 40; i++)
		foo();
	EXPECT(!tl_profile_finish());
	fprintf(stderr, "other: %.2f\nBar: %.2f\n",
		100. * (double)in_foo / (double)(in_foo + in_bar),
		100. * (double)in_bar / (double)(in_foo + in_bar));
}

static int stop;
static pthread_barrier_t begun;

static void *worker(void *unused)
{
	EXPECT(!tl_profile_thread());
	TL_PROFILE_SCOPE("WorkerFunc");
	pthread_barrier_wait(&begun);
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		spin(100000);
	return unused;
}

static void main_func(void)
{
	TL_PROFILE_SCOPE("MainFunc");
	spin(1000000000);
}

static void workers(void)
{
	pthread_t thread[4];
	int i;

	pthread_barrier_init(&begun, NULL, 5);
	for (i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, worker, NULL);
	EXPECT(!tl_profile_thread());
	pthread_barrier_wait(&begun);
	EXPECT(!tl_profile_start());
	main_func();
	EXPECT(!tl_profile_finish());
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	fprintf(stderr, "WorkerFunc: 80\nMainFunc: 20\n");
}

/* ---- threads that come and go */

static void *short_lived(void *unused)
{
	TL_PROFILE_SCOPE("short");
	EXPECT(!tl_profile_thread());
	EXPECT(!tl_profile_thread());
	EXPECT_LABELS("short");
	return unused;
}

static void many(void)
{
	pthread_t thread[8];
	int i, j;

	EXPECT(!tl_profile_thread());
	EXPECT(!tl_profile_start_at(5000));
	for (i = 0; i < 250; i++) {
		for (j = 0; j < 8; j++)
			pthread_create(&thread[j], NULL, short_lived, NULL);
		for (j = 0; j < 8; j++)
			pthread_join(thread[j], NULL);
	}
	EXPECT(!tl_profile_finish());
	/* None is left, and their memory served again. */
	EXPECT(tl_profiler_state.threads == 1 && tl_profiler_state.thread[0] == tl_labels_own);
	for (i = 0; tl_profiler_state.spare; i++)
		tl_profiler_state.spare = tl_profiler_state.spare->next;
	EXPECT(i >= 1 && i <= 8);
}

/* ---- the tree's layout */

static void add(struct tl_profile *profile, uint64_t times, const char *first, const char *second)
{
	struct tl_label label[2];

	label[0].text = first;
	label[1].text = second;
	tl_profile_add(profile, label, first ? second ? 2 : 1 : 0, times);
}

static void tree(void)
{
	static struct tl_profile profile;
	char twin[] = "A";

	profile.threads = 2;
	add(&profile, 2, "B", NULL);
	add(&profile, 1, "A", "under");
	add(&profile, 1, twin, "over");
	add(&profile, 1, "Z", "whole");
	add(&profile, 3, NULL, NULL);
	tl_profile_print(stdout, &profile);
	tl_profile_drop(&profile.root);
	EXPECT(!profile.root.child);
	memset(&profile, 0, sizeof(profile));
	add(&profile, 7, NULL, NULL);
	tl_profile_print(stdout, &profile);
	memset(&profile, 0, sizeof(profile));
	tl_profile_print(stdout, &profile);
}

/* ---- what a label can do */

static int early(int leave)
{
	TL_PROFILE_SCOPE("early");
	TL_PROFILE_SCOPE("and late");
	EXPECT_LABELS("main;early;and late");
	if (leave)
		return 1;
	return 2;
}

static jmp_buf back;

static void jump(void)
{
	TL_PROFILE_SCOPE("jump");
	longjmp(back, 1);
}

static void jumped_over(void)
{
	TL_PROFILE_SCOPE("setjmp");
	if (!setjmp(back))
		jump();
}

#ifdef __cplusplus
static void throws(void)
{
	TL_PROFILE_SCOPE("throws");
	throw 1;
}

static void exceptions(void)
{
	try {
		throws();
	} catch (int) {
		EXPECT_LABELS("main");
	}
}
#else
static void exceptions(void)
{
}
#endif

static void *not_registered(void *unused)
{
	TL_PROFILE_SCOPE("never sampled");
	EXPECT_LABELS("never sampled");
	until_seen();
	return unused;
}

static void forms(void)
{
	TL_PROFILE_SCOPE_NAMED("main", outer);
	pthread_t thread;
	int i;

	EXPECT_LABELS("main");
	EXPECT(early(1) == 1);
	EXPECT_LABELS("main");
	TL_PROFILE_UPDATE(outer, "changed");
	EXPECT_LABELS("changed");
	TL_PROFILE_UPDATE(outer, "main");
	for (i = 0; i < 3; i++) {
		TL_PROFILE_SCOPE("loop");
		EXPECT_LABELS("main;loop");
		if (i == 1)
			continue;
	}
	EXPECT_LABELS("main");
	jumped_over();
	EXPECT_LABELS("main");
	exceptions();
	profiler_other(labels);
	EXPECT_LABELS("main");
	struct tl_profile_scope own = tl_profile_begin("own");
	EXPECT_LABELS("main;own");
	tl_profile_end(&own);

	/* A frame is below those around it, for who sorts labels among calls. */
	{
		TL_PROFILE_SCOPE("below");
		EXPECT(tl_labels_own->label[1].stack <= tl_labels_own->label[0].stack);
	}

	errno = 0;
	EXPECT(tl_profile_finish() == -1 && errno == EINVAL);
	EXPECT(tl_profile_start_at(0) == -1 && errno == EINVAL);
	EXPECT(!tl_profile_thread());
	EXPECT(!tl_profile_start());
	EXPECT(tl_profile_start() == -1 && errno == EALREADY);
	errno = 7;
	pthread_create(&thread, NULL, not_registered, NULL);
	pthread_join(thread, NULL);
	EXPECT(errno == 7);
	TL_PROFILE_UPDATE(outer, "first");
	until_seen();
	EXPECT(!tl_profile_finish());
	TL_PROFILE_UPDATE(outer, "second");
	EXPECT(!tl_profile_start());
	until_seen();
	EXPECT(!tl_profile_finish());
}

static void down(int levels)
{
	TL_PROFILE_SCOPE("down");
	if (levels)
		down(levels - 1);
	else
		until_seen();
	__asm__ volatile("");
}

static void deep(void)
{
	TL_PROFILE_SCOPE("top");
	EXPECT(!tl_profile_thread());
	EXPECT(!tl_profile_start());
	down(299);
	EXPECT(!tl_profile_finish());
	EXPECT_LABELS("top");
}

static void forked(void)
{
	TL_PROFILE_SCOPE("parent");
	int status = 0;

	EXPECT(!tl_profile_thread());
	EXPECT(!tl_profile_start());
	fflush(stdout);
	pid_t child = fork();
	if (!child) {
		TL_PROFILE_SCOPE("child");
		EXPECT(tl_profile_finish() == -1);
		EXPECT(!tl_profile_start());
		until_seen();
		EXPECT(!tl_profile_finish());
		exit(wrong);
	}
	EXPECT(waitpid(child, &status, 0) == child && !status);
	EXPECT(!tl_profile_finish());
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} parts[] = {{"example", example}, {"workers", workers}, {"many", many},  {"tree", tree},
		     {"forms", forms},	   {"deep", deep},	 {"fork", forked}};
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (argc == 2 && !strcmp(argv[1], parts[i].name)) {
			parts[i].run();
			return wrong;
		}
	return 2;
}
