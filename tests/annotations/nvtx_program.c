/* SPDX-License-Identifier: MIT */
/*
 * nvtx_program.c: a program that is annotated with NVTX, by NVIDIA's own header. With NVTX2 it uses
 * the library libnvToolsExt.so.1, otherwise NVTX is compiled in.
 *
 *	nvtx_program		one of each; prints what the pushes and pops return
 *	nvtx_program many	threads push, pop, start and end at random, in several domains; prints
 *				how many ranges and marks there were
 *	nvtx_program ends	forks five children, which exit within a range, while threads are inside of
 *				NVTX, and exits then, with 3
 *	nvtx_program cost	prints the nanoseconds of a push with its pop, and of two reads of the
 *				counter with a record
 */
#ifdef NVTX2
#include <nvToolsExt.h>
#else
#include <nvtx3/nvToolsExt.h>
#endif

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static nvtxEventAttributes_t attributes(const char *text)
{
	nvtxEventAttributes_t given = {0};

	given.version = NVTX_VERSION;
	given.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
	given.messageType = NVTX_MESSAGE_TYPE_ASCII;
	given.message.ascii = text;
	return given;
}

static void *end_range(void *id)
{
	nvtxRangeEnd(*(nvtxRangeId_t *)id);
	nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), "worker");
	nvtxRangePushA("left open by its thread");
	return NULL;
}

static void payloads(nvtxDomainHandle_t domain)
{
	nvtxEventAttributes_t given = attributes("payload");

	given.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
	given.payload.ullValue = UINT64_MAX;
	nvtxDomainMarkEx(domain, &given);
	given.payloadType = NVTX_PAYLOAD_TYPE_INT64;
	given.payload.llValue = INT64_MIN;
	nvtxDomainMarkEx(domain, &given);
	given.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
	given.payload.dValue = 0.25;
	nvtxDomainMarkEx(domain, &given);
	given.payload.ullValue = UINT64_MAX;
	given.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT32;
	given.payload.uiValue = 4000000000u;
	nvtxDomainMarkEx(domain, &given);
	given.payloadType = NVTX_PAYLOAD_TYPE_INT32;
	given.payload.iValue = -5;
	nvtxDomainMarkEx(domain, &given);
	given.payloadType = NVTX_PAYLOAD_TYPE_FLOAT;
	given.payload.fValue = 1.5f;
	nvtxDomainMarkEx(domain, &given);
}

/* A child has its own ranges, and none of its parent's. */
static void fork_child(nvtxDomainHandle_t domain, nvtxStringHandle_t text, nvtxRangeId_t started)
{
	pid_t child = fork();

	if (child) {
		waitpid(child, NULL, 0);
		return;
	}
	nvtxEventAttributes_t given = attributes(NULL);
	given.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
	given.message.registered = text;
	nvtxRangeEnd(started);
	printf("child pop %d", nvtxRangePop());
	printf(" push %d", nvtxDomainRangePushEx(domain, &given));
	printf(" pop %d\n", nvtxDomainRangePop(domain));
	exit(0);
}

static int one_of_each(void)
{
	nvtxDomainHandle_t solver = nvtxDomainCreateA("solver"),
			   wide = nvtxDomainCreateW(L"w\u00e9it \U0001f600");
	nvtxStringHandle_t text = nvtxDomainRegisterStringA(solver, "registered"),
			   text_wide = nvtxDomainRegisterStringW(solver, L"registriert \u20ac");
	nvtxEventAttributes_t given = attributes("outer");
	pthread_t thread;

	nvtxNameCategoryA(3, "input");
	nvtxDomainNameCategoryW(solver, 4, L"r\u00e9sult");
	given.category = 3;
	given.colorType = NVTX_COLOR_ARGB;
	given.color = 0xff00a1b2;
	int depths[] = {nvtxRangePushEx(&given), nvtxRangePushW(L"inn\u00e9r")};
	nvtxRangeId_t id = nvtxRangeStartA("from one thread to another"),
		      other = nvtxDomainRangeStartEx(solver, &given);
	given = attributes("crosses");
	given.category = 4;
	int more[] = {nvtxDomainRangePushEx(solver, &given), nvtxRangePop(),
		      nvtxDomainRangePop(solver), nvtxRangePop(), nvtxRangePop()};
	pthread_create(&thread, NULL, end_range, &id);
	pthread_join(thread, NULL);
	nvtxDomainRangeEnd(solver, other);
	nvtxRangeEnd(id);
	nvtxRangeEnd(987654321);
	given.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
	given.message.registered = text_wide;
	given.category = 99;
	nvtxDomainMarkEx(wide, &given);
	payloads(solver);
	nvtxMarkEx(NULL);
	nvtxMarkA(NULL);
	nvtxMarkA("\xff\xfe not UTF-8");
	nvtxRangePushA("left open");
	id = nvtxRangeStartA("started and left open");
	printf("%d %d %d %d %d %d %d\n", depths[0], depths[1], more[0], more[1], more[2], more[3],
	       more[4]);
	fflush(stdout);
	fork_child(solver, text, id);
	return 0;
}

enum { THREADS = 8, ROUNDS = 3000, DOMAINS = 4, SHARED = 64 };
static nvtxDomainHandle_t domains[DOMAINS];
static _Atomic nvtxRangeId_t shared[SHARED];
static _Atomic unsigned long ranges, marks;

static void *work(void *seed_)
{
	unsigned seed = (unsigned)(uintptr_t)seed_;
	int depth[DOMAINS] = {0};

	for (int i = 0; i < ROUNDS; i++) {
		int domain = rand_r(&seed) % DOMAINS, what = rand_r(&seed) % 8;
		char name[32];
		snprintf(name, sizeof(name), "range %d", rand_r(&seed) % 20);
		nvtxEventAttributes_t given = attributes(name);

		if (what < 3 && depth[domain] < 30) {
			nvtxDomainRangePushEx(domains[domain], &given);
			depth[domain]++;
			ranges++;
		} else if (what < 6) {
			nvtxDomainRangePop(domains[domain]);
			depth[domain] -= depth[domain] > 0;
		} else if (what == 6) {
			nvtxRangeId_t id = shared[rand_r(&seed) % SHARED];
			id = __atomic_exchange_n((nvtxRangeId_t *)&shared[rand_r(&seed) % SHARED],
						 nvtxDomainRangeStartEx(domains[domain], &given),
						 __ATOMIC_SEQ_CST);
			ranges++;
			nvtxDomainRangeEnd(domains[domain], id);
		} else {
			nvtxDomainMarkEx(domains[domain], &given);
			marks++;
		}
	}
	return NULL;
}

static int many(void)
{
	static const char *const names[DOMAINS] = {NULL, "b", "c", "d"};
	pthread_t threads[THREADS];

	for (int i = 1; i < DOMAINS; i++)
		domains[i] = nvtxDomainCreateA(names[i]);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < THREADS; i++)
			pthread_create(&threads[i], NULL, work,
				       (void *)(uintptr_t)(round * THREADS + i + 1));
		for (int i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
	}
	printf("%lu %lu\n", ranges, marks);
	return 0;
}

static _Atomic unsigned rounds[THREADS];

static void *work_on(void *number)
{
	const struct timespec pause = {0, 20000};

	for (;;) {
		nvtxRangePushA("outer");
		nvtxRangePushA("inner");
		nvtxRangeId_t id = nvtxRangeStartA("started");
		nvtxRangePop();
		nvtxRangeEnd(id);
		if (rounds[(uintptr_t)number]++ % 7)
			nvtxRangePop();
		nanosleep(&pause, NULL);
	}
	return NULL;
}

static int ends(void)
{
	pthread_t threads[THREADS];

	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work_on, (void *)i);
	for (int i = 0; i < THREADS; i++)
		while (rounds[i] < 10)
			usleep(1000);
	for (int i = 0; i < 5; i++) {
		int status = 0;
		pid_t child = fork();
		if (!child) {
			nvtxRangePushA("child");
			nvtxRangePop();
			nvtxRangePushA("child, left open");
			exit(0);
		}
		waitpid(child, &status, 0);
		if (status)
			printf("a child ends with %#x\n", (unsigned)status);
	}
	exit(3);
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static uint64_t counter(void)
{
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	return (uint64_t)now_ns();
#endif
}

static void pairs_annotated(int count)
{
	for (int i = 0; i < count; i++) {
		nvtxRangePushA("a range");
		nvtxRangePop();
	}
}

/* What no tool can do without: both times, and a record of 48 bytes. */
static void pairs_floor(int count)
{
	static volatile uint64_t records[1 << 16];

	for (int i = 0; i < count; i++) {
		volatile uint64_t *record = &records[i * 6 % ((1 << 16) - 6)];
		record[0] = counter();
		for (int word = 1; word < 5; word++)
			record[word] = (uint64_t)word;
		record[5] = counter();
	}
}

static double best_ns(void (*pairs)(int))
{
	enum { PAIRS = 20000, ROUNDS_OF_COST = 30 };
	int64_t least = INT64_MAX;

	for (int round = 0; round < ROUNDS_OF_COST; round++) {
		int64_t before = now_ns();
		pairs(PAIRS);
		int64_t took = now_ns() - before;
		least = took < least ? took : least;
	}
	return (double)least / PAIRS;
}

static int cost(void)
{
	double annotated = best_ns(pairs_annotated);

	printf("%.2f %.2f\n", annotated, best_ns(pairs_floor));
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return one_of_each();
	if (!strcmp(argv[1], "many"))
		return many();
	return strcmp(argv[1], "ends") ? cost() : ends();
}
