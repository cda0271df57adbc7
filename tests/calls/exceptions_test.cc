// SPDX-License-Identifier: MIT
/*
 * exceptions_test.cc: C++ exceptions through shims, which are C. Prints TAP itself.
 */
#include <cstdio>
#include <stdexcept>

extern "C" {
extern unsigned throw_through(void (*inside)(void *), void *with);
extern unsigned test_begin(void);
extern unsigned test_collect(unsigned flags);
}

static int number, failed;

static void is(unsigned is, unsigned expected, const char *what)
{
	number++;
	if (is != expected)
		failed = 1;
	std::printf("%sok %d - %s\n", is == expected ? "" : "not ", number, what);
	if (is != expected)
		std::printf("# %u, not %u\n", is, expected);
}

static void throws(void *)
{
	throw std::runtime_error("from the driver");
}

static void throws_two_deep(void *)
{
	throw_through(throws, nullptr);
}

static unsigned caught(void (*inside)(void *), unsigned times)
{
	unsigned count = 0;

	for (unsigned i = 0; i < times; i++) {
		try {
			throw_through(inside, nullptr);
		} catch (const std::runtime_error &) {
			count++;
		}
	}
	return count;
}

int main()
{
	std::printf("1..5\n");
	test_begin();
	is(caught(throws, 100), 100, "an exception passes through a shim");
	is(test_collect(4), 100, "each call that one passed through is recorded as unwound");
	is(caught(throws_two_deep, 100), 100, "and through two");
	is(test_collect(4), 300, "both calls are recorded so");
	throw_through(nullptr, nullptr);
	is(test_collect(0), 301, "the thread goes on recording");
	return failed;
}
