/* SPDX-License-Identifier: MIT */
/*
 * bench_profiler: what labels and sampling cost (tracelayer/profiler.h).
 *
 *	bench_profiler labels TURNS COUNT [HZ]	putting a label on and off; and the least that a
 *						stack of labels can do: two stores each way, which
 *						the compiler keeps in order. Both in a function
 *						call. HZ: while this thread is sampled. Prints "NS
 *						BASE"
 *	bench_profiler sampler SECONDS HZ	four threads work in labels, and the program samples
 *						them. Prints "SAMPLER PROGRAM": seconds of processor
 *						time
 *	bench_profiler threads SECONDS		the same threads, to be sampled from outside. Prints
 *						"PROGRAM"
 */
#define TRACELAYER_PROFILING
#include "tracelayer/profiler.h"

#include "bench/harness.h"

#define THREADS 4

static __thread struct {
	const char *label[16];
	uint32_t size;
} plain;

#define KEEP_ORDER() __asm__ volatile("" : : : "memory")

static __attribute__((noinline)) void in_plain_label(void)
{
	plain.label[plain.size] = "label";
	KEEP_ORDER();
	plain.size++;
	KEEP_ORDER();
	plain.size--;
	KEEP_ORDER();
}

static __attribute__((noinline)) void in_label(void)
{
	TL_PROFILE_SCOPE("label");
	KEEP_ORDER();
}

static void plain_labels(uint64_t count)
{
	while (count--)
		in_plain_label();
}

static void labels_put(uint64_t count)
{
	while (count--)
		in_label();
}

static double seconds_of(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int measure_labels(unsigned turns, uint64_t count, unsigned hz)
{
	struct bench_way ways[] = {{.work = labels_put}, {.work = plain_labels}};
	FILE *nowhere = fopen("/dev/null", "w");

	bench_ticks_per_ns();
	TL_PROFILE_SCOPE("all");
	tl_profile_thread();
	if (hz)
		tl_profile_start_at(hz);
	bench_pin();
	bench_measure(ways, 2, turns, count);
	if (hz)
		tl_profile_finish_to(nowhere);
	printf("%.3f %.3f\n", ways[0].ticks / bench_ticks_per_ns(),
	       ways[1].ticks / bench_ticks_per_ns());
	return 0;
}

static double seconds;

/* Each label is on for about a microsecond. */
static void *thread_work(void *unused)
{
	double end = seconds_of(CLOCK_MONOTONIC) + seconds;

	tl_profile_thread();
	TL_PROFILE_SCOPE("thread");
	while (seconds_of(CLOCK_MONOTONIC) < end)
		for (int i = 0; i < 1000; i++) {
			TL_PROFILE_SCOPE("step");
			for (int j = 0; j < 1000; j++)
				KEEP_ORDER();
		}
	return unused;
}

static int measure_threads(unsigned hz)
{
	FILE *nowhere = fopen("/dev/null", "w");
	pthread_t thread[THREADS];
	clockid_t clock;
	double sampler = 0;

	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, thread_work, NULL);
	if (hz)
		tl_profile_start_at(hz);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	if (hz && !pthread_getcpuclockid(tl_profiler_state.sampler, &clock))
		sampler = seconds_of(clock);
	if (hz)
		tl_profile_finish_to(nowhere);
	double program = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - sampler;
	if (hz)
		printf("%.6f ", sampler);
	printf("%.6f\n", program);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";

	seconds = argc > 2 ? atof(argv[2]) : 0;
	if (!strcmp(what, "labels") && argc >= 4)
		return measure_labels((unsigned)atoi(argv[2]), strtoul(argv[3], NULL, 10),
				      argc > 4 ? (unsigned)atoi(argv[4]) : 0);
	if (!strcmp(what, "sampler") && argc == 4)
		return measure_threads((unsigned)atoi(argv[3]));
	if (!strcmp(what, "threads"))
		return measure_threads(0);
	return 2;
}
