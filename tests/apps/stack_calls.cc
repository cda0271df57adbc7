// SPDX-License-Identifier: MIT
/*
 * stack_calls.cc: calls of one function, clGetPlatformIDs, from stacks of many kinds. Before each,
 * it prints the stack that backtrace() tells:
 *
 *	NAME FILE+0xADDRESS FILE+0xADDRESS …
 *
 * from the caller on, as addresses in the calling instructions. The first is that of the call of
 * show(), so only its function is that of the traced call.
 *
 *	stack_calls all [PLUGIN NAME]…	all kinds; then each plugin is loaded, called, and unloaded
 *	stack_calls plugins PLUGIN…	only that, and nothing is printed
 *	stack_calls killed		some kinds; then it kills itself inside mid_call
 *	stack_calls many COUNT		calls from so many different stacks
 */
#include <CL/cl.h>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdexcept>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

extern "C" void mid_call(void (*then)(int), int with);

static bool quiet;

static void show(const char *name, unsigned skip)
{
	if (quiet)
		return;
	void *frames[200];
	int count = backtrace(frames, 200);

	printf("%s", name);
	for (int i = (int)skip; i < count; i++) {
		Dl_info info;
		char *at = (char *)frames[i] - 1;
		if (!dladdr(at, &info))
			printf(" 0x%lx", (unsigned long)at);
		else
			printf(" %s+0x%lx",
			       strrchr(info.dli_fname, '/') ? strrchr(info.dli_fname, '/') + 1
							    : info.dli_fname,
			       (unsigned long)(at - (char *)info.dli_fbase));
	}
	printf("\n");
}

static const char *volatile label;

/* The traced call. Its caller is this function. */
NOINLINE static void leaf(int value)
{
	cl_uint count = (cl_uint)value;

	show(label, 1);
	clGetPlatformIDs(0, nullptr, &count);
	__asm__ volatile("" : : "r"(&count) : "memory");
}

NOINLINE static void aligned(int value)
{
	alignas(64) char room[256];

	__asm__ volatile("" : : "r"(room) : "memory");
	char *more = (char *)alloca((size_t)(value + 17));
	memset(more, value, 17);
	__asm__ volatile("" : : "r"(more) : "memory");
	leaf(value);
	__asm__ volatile("" : : "r"(room) : "memory");
}

NOINLINE static int deep(int depth)
{
	if (!depth) {
		leaf(1);
		return 1;
	}
	int below = deep(depth - 1);
	__asm__ volatile("" : "+r"(below));
	return below + depth;
}

/* A stack for each number of 18 bits: one of two calls for each bit. */
NOINLINE static int turns(int number, int bits)
{
	int below = 0;

	if (!bits)
		leaf(number);
	else if (number & 1)
		below = turns(number >> 1, bits - 1) + 1;
	else
		below = turns(number >> 1, bits - 1) + 2;
	__asm__ volatile("" : "+r"(below));
	return below;
}

struct at_end {
	~at_end()
	{
		leaf(4);
	}
};

NOINLINE static void throws(int value)
{
	at_end end;

	if (value)
		throw std::runtime_error("left");
}

NOINLINE static void catches()
{
	label = "unwinding";
	try {
		throws(1);
	} catch (const std::exception &) {
		label = "catch";
		leaf(5);
	}
}

static void handler(int)
{
	leaf(6);
}

NOINLINE static void interrupted()
{
	raise(SIGUSR1);
	__asm__ volatile("" : : : "memory");
}

/* A function that has nothing on the stack, where a signal interrupts it: the page comes with the handler. */
static char *page;

NOINLINE static int faults(const char *at)
{
	return *(const volatile char *)at;
}

static void page_handler(int)
{
	leaf(9);
	mprotect(page, 4096, PROT_READ);
}

NOINLINE static void page_is_missing()
{
	struct sigaction action = {}, before;

	page = (char *)mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	action.sa_handler = page_handler;
	sigaction(SIGSEGV, &action, &before);
	faults(page);
	sigaction(SIGSEGV, &before, nullptr);
	munmap(page, 4096);
}

static ucontext_t outside, inside;
static char *other_stack;

static void coroutine()
{
	aligned(7);
	swapcontext(&inside, &outside);
	leaf(8);
}

NOINLINE static void coroutines()
{
	other_stack = (char *)malloc(64 * 1024);
	getcontext(&inside);
	inside.uc_stack.ss_sp = other_stack;
	inside.uc_stack.ss_size = 64 * 1024;
	inside.uc_link = &outside;
	makecontext(&inside, coroutine, 0);
	label = "coroutine";
	swapcontext(&outside, &inside);
	label = "between";
	leaf(9);
	label = "coroutine2";
	swapcontext(&outside, &inside);
	free(other_stack);
}

static void *thread(void *)
{
	label = "thread";
	aligned(3);
	return nullptr;
}

typedef void (*plugin_call)(void (*then)(int), int with);

NOINLINE static void plugin(const char *path, const char *name)
{
	void *library = dlopen(path, RTLD_NOW);

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(3);
	}
	label = name;
	((plugin_call)dlsym(library, "plugin_run"))(leaf, 11);
	dlclose(library);
}

NOINLINE static void all()
{
	stack_t alternate = {};
	struct sigaction action = {};

	label = "plain";
	leaf(0);
	label = "aligned";
	aligned(1);
	label = "library";
	mid_call(leaf, 2);
	for (int i = 0; i < 3; i++) {
		label = "again";
		mid_call(aligned, 2);
	}
	label = "deep10";
	deep(10);
	label = "deep100";
	deep(100);
	catches();
	action.sa_handler = handler;
	sigaction(SIGUSR1, &action, nullptr);
	label = "signal";
	interrupted();
	label = "fault";
	page_is_missing();
	alternate.ss_sp = malloc(128 * 1024);
	alternate.ss_size = 128 * 1024;
	sigaltstack(&alternate, nullptr);
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR1, &action, nullptr);
	label = "altstack";
	interrupted();
	coroutines();
	pthread_t other;
	pthread_create(&other, nullptr, thread, nullptr);
	pthread_join(other, nullptr);
}

static void killer(int)
{
	kill(getpid(), SIGKILL);
}

int main(int argc, char **argv)
{
	alignas(32) char over[64];
	const char *mode = argc > 1 ? argv[1] : "all";

	__asm__ volatile("" : : "r"(over) : "memory");
	quiet = strcmp(mode, "all") != 0;
	if (!quiet) {
		void *warm[4];
		backtrace(warm, 4);
		all();
		for (int i = 2; i + 1 < argc; i += 2)
			plugin(argv[i], argv[i + 1]);
	} else if (!strcmp(mode, "plugins")) {
		for (int i = 2; i < argc; i++)
			plugin(argv[i], argv[i]);
	} else if (!strcmp(mode, "killed")) {
		deep(3);
		mid_call(aligned, 2);
		mid_call(killer, 3);
	} else if (!strcmp(mode, "many") && argc > 2) {
		for (int i = 0; i < atoi(argv[2]); i++)
			turns(i, 18);
	}
	return 0;
}
