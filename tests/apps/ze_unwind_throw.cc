// SPDX-License-Identifier: MIT
/* The C++ side of ze_unwind.c. */
#include <stdexcept>

struct thrown : std::runtime_error {
	int value;
	thrown(int v) : std::runtime_error("from the driver"), value(v)
	{
	}
};

extern "C" void ze_unwind_throw(const char *, void *)
{
	throw thrown(42);
}

extern "C" int ze_unwind_caught(void (*call)(void))
{
	try {
		call();
	} catch (const thrown &t) {
		return t.value;
	}
	return 0;
}
