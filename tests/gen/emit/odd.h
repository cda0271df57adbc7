/* SPDX-License-Identifier: MIT */
/*
 * odd.h: an API made up for the tests of generated code: one of each thing that is hard to pass on.
 */
#ifndef ODD_H
#define ODD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct odd_object *odd_handle;
typedef enum odd_result { ODD_OK = 0, ODD_BAD = -1, ODD_UNSUPPORTED = -2 } odd_result;
typedef void (*odd_callback)(void *user, int value);

struct odd_pair {
	double x, y;
};

struct odd_large {
	uint64_t words[5];
	uint8_t last;
};

struct odd_small {
	char text[3];
};

/* integers of every size, and what is to become of their signs */
int8_t odd_narrow(int8_t a, uint8_t b, int16_t c, uint16_t d, int32_t e, uint32_t f, int64_t g, uint64_t h);
uint8_t odd_byte(uint8_t value);
float odd_float(float a, double b);
double odd_double(double a, float b, int c);
bool odd_bool(bool a);
odd_result odd_enum(odd_result wanted);

/* structs by value */
struct odd_pair odd_swap(struct odd_pair pair);
struct odd_large odd_grow(struct odd_large large, uint64_t by);
struct odd_small odd_small(struct odd_small small);

/* pointers to functions, and functions that return one */
void odd_call(odd_callback callback, void *user);
void odd_call_plain(void (*callback)(void *, int), void *user);
int (*odd_choose(int which))(int);

/* parameters called like variables of the shims, without a name, or arrays */
int odd_names(int shim, int caller, int params, int result, int call, int real);
int odd_unnamed(int, const char *);
int odd_array(const int values[3], const char text[]);
const char *const *odd_strings(const char *const *strings, const int count);

/* no parameters, no result */
void odd_nothing(void);
odd_handle odd_make(odd_result *errcode_ret);
const char *odd_version(void) __attribute__((deprecated));

/* a macro of the same name */
int odd_macro(int value);
#define odd_macro(value) (odd_macro)((value) + 0)

/* more parameters than registers */
int64_t odd_many(int a, int64_t b, const char *c, double d, int e, void *f, uint8_t g, float h, int64_t i, struct odd_pair j, int k);

/* left out, and why */
int odd_variadic(const char *format, ...);

/* the real library lacks it */
int odd_missing(int value, int *errcode_ret);

/* it may throw */
void odd_throw(void (*thrower)(void));

#endif
