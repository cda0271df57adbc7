/* SPDX-License-Identifier: MIT */
/* odd.c: the real functions behind tests/gen/emit/odd.h; odd_missing is lacking. */
#include "odd.h"

#undef odd_macro

int8_t odd_narrow(int8_t a, uint8_t b, int16_t c, uint16_t d, int32_t e, uint32_t f, int64_t g,
		  uint64_t h)
{
	return (int8_t)(a == -1 && b == 255 && c == -2 && d == 65535 && e == -3 &&
					f == UINT32_MAX && g == -4 && h == UINT64_MAX
				? -7
				: 1);
}

uint8_t odd_byte(uint8_t value)
{
	return (uint8_t)~value;
}

float odd_float(float a, double b)
{
	return a + (float)b;
}

double odd_double(double a, float b, int c)
{
	return a * b + c;
}

bool odd_bool(bool a)
{
	return !a;
}

odd_result odd_enum(odd_result wanted)
{
	return wanted;
}

struct odd_pair odd_swap(struct odd_pair pair)
{
	return (struct odd_pair){pair.y, pair.x};
}

struct odd_large odd_grow(struct odd_large large, uint64_t by)
{
	for (int i = 0; i < 5; i++)
		large.words[i] += by;
	large.last++;
	return large;
}

struct odd_small odd_small(struct odd_small small)
{
	small.text[0]++;
	return small;
}

void odd_call(odd_callback callback, void *user)
{
	callback(user, 5);
}

void odd_call_plain(void (*callback)(void *, int), void *user)
{
	callback(user, 6);
}

static int one(int value)
{
	return value + 1;
}

static int two(int value)
{
	return value + 2;
}

int (*odd_choose(int which))(int)
{
	return which == 1 ? one : two;
}

int odd_names(int shim, int caller, int params, int result, int call, int real)
{
	return shim + 2 * caller + 4 * params + 8 * result + 16 * call + 32 * real;
}

int odd_unnamed(int value, const char *text)
{
	return value + text[0];
}

int odd_array(const int values[3], const char text[])
{
	return values[0] + values[1] + values[2] + text[0];
}

const char *const *odd_strings(const char *const *strings, const int count)
{
	return strings + count;
}

void odd_nothing(void)
{
}

odd_handle odd_make(odd_result *errcode_ret)
{
	*errcode_ret = ODD_OK;
	return (odd_handle)(uintptr_t)0x1234;
}

const char *odd_version(void)
{
	return "odd 1";
}

int odd_macro(int value)
{
	return value * 2;
}

int64_t odd_many(int a, int64_t b, const char *c, double d, int e, void *f, uint8_t g, float h,
		 int64_t i, struct odd_pair j, int k)
{
	return a + b + c[0] + (int64_t)d + e + (int64_t)(uintptr_t)f + g + (int64_t)h + i +
	       (int64_t)(j.x + j.y) + k;
}

int odd_variadic(const char *format, ...)
{
	return format[0];
}

void odd_throw(void (*thrower)(void))
{
	thrower();
}
