#!/bin/bash
# SPDX-License-Identifier: MIT
# A library that calls its own functions by pointers (callbacks, tables): such calls are its own and are not recorded, those that the program makes by
# the same pointers are. A plugin that is opened later, has functions of the same names, and hands the library a table of them gets the library's calls
# from the first on, if it gets them without us. A call of a function whose parameters are not known leaves the vector registers' upper halves as clean as they were.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
: "${CC:=cc}"
test -x "$top_builddir/tracelayer" || skip_all "not built"
plan 23

cat >"$tmp/sorts.c" <<'END_OF_FILE'
#include <stddef.h>
struct table { int (*compare)(int, int); };
static const struct table *plugin;
int compare(int a, int b) { return a < b; }
const struct table own = {compare};
void enter_table(const struct table *table) { plugin = table; }
int (*comparer(void))(int, int) { return compare; }
int count_by(int (*volatile by)(int, int), int times)
{
	int counted = 0;
	for (int i = 0; i < times; i++)
		counted += by(i, 50);
	return counted;
}
int count(int times) { return count_by(compare, times); }
int count_by_table(int times) { int n = 0; for (int i = 0; i < times; i++) n += (plugin ? plugin : &own)->compare(i, 50); return n; }
END_OF_FILE
cat >"$tmp/plugin.c" <<'END_OF_FILE'
struct table { int (*compare)(int, int); };
extern void enter_table(const struct table *table);
int compare(int a, int b) { return 3; }
struct table table = {compare};
static void __attribute__((constructor)) begin(void) { enter_table(&table); }
END_OF_FILE
cat >"$tmp/app.c" <<'END_OF_FILE'
#include <dlfcn.h>
#include <stdio.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif
/* -DOPENED: the library is opened later, so its functions are not in the global scope. */
#if defined(OPENED)
static int (*compare)(int, int), (*count)(int), (*count_by_table)(int), (*(*comparer)(void))(int, int);
#else
extern int compare(int, int), count(int), count_by_table(int);
extern int (*comparer(void))(int, int);
#endif
/* Which upper halves of vector registers are in use: ymm's 4, zmm's 64. -1: this processor does not tell. */
static int in_use(void)
{
#if defined(__x86_64__)
	unsigned a, b, c, d;
	if (__get_cpuid(1, &a, &b, &c, &d) && c & bit_OSXSAVE && __get_cpuid_count(13, 1, &a, &b, &c, &d) && a & 4) {
		__asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(1));
		return (int)a & 0x44;
	}
#endif
	return -1;
}
static void dirty(void)
{
#if defined(__x86_64__)
	__asm__ volatile("vpcmpeqd %%xmm0, %%xmm0, %%xmm0\n\tvinsertf128 $1, %%xmm0, %%ymm9, %%ymm9" ::: "xmm0", "xmm9");
#endif
}
static void clean(void)
{
#if defined(__x86_64__)
	if (in_use() >= 0)
		__asm__ volatile("vzeroupper" ::: "memory");
#endif
}
int main(int argc, char **argv)
{
	int tells = in_use() >= 0;
#if defined(OPENED)
	void *sorts = dlopen(argv[2], RTLD_NOW);
	if (!sorts)
		return puts(dlerror()), 1;
	compare = (int (*)(int, int))dlsym(sorts, "compare");
	count = (int (*)(int))dlsym(sorts, "count");
	count_by_table = (int (*)(int))dlsym(sorts, "count_by_table");
	comparer = (int (*(*)(void))(int, int))dlsym(sorts, "comparer");
#endif
	printf("%d %d %d\n", count(1000), compare(1, 2), comparer()(2, 1));
	printf("%d", count_by_table(1000));
	if (!dlopen(argv[1], RTLD_NOW))
		return puts(dlerror()), 1;
	printf(" %d\n", count_by_table(1000));
	clean();
	int before = in_use();
	compare(3, 4);
	int after = in_use();
	if (tells)
		dirty();
	int dirty_before = in_use();
	compare(3, 4);
	printf("in use %d %d, %d %d\n", before, after, dirty_before, in_use());
	return 0;
}
END_OF_FILE
$CC -O1 -shared -fPIC -Wl,-soname,libsorts.so -o "$tmp/libsorts.so" "$tmp/sorts.c" &&
	$CC -O1 -shared -fPIC -o "$tmp/plugin.so" "$tmp/plugin.c" -L"$tmp" -lsorts -Wl,-rpath,"$tmp" &&
	$CC -O1 -o "$tmp/linked" "$tmp/app.c" -L"$tmp" -lsorts -Wl,-rpath,"$tmp" -ldl &&
	$CC -O1 -DOPENED -o "$tmp/opened" "$tmp/app.c" -ldl || { fail "it compiles"; exit 1; }

# Where the library is in the global scope, the plugin's table has the library's function, else its own.
for app in linked opened; do
	want="50 50"
	test $app = linked || want="50 3000"
	"$tmp/$app" "$tmp/plugin.so" "$tmp/libsorts.so" >"$tmp/bare" 2>&1
	is "$? $(sed -n 2p "$tmp/bare")" "0 $want" "$app, bare: what the library calls by the plugin's table"
	XDG_CACHE_HOME=$tmp/cache "$top_builddir/tracelayer" run --quiet --lib "$tmp/libsorts.so" -o "$tmp/$app.json" -- \
		"$tmp/$app" "$tmp/plugin.so" "$tmp/libsorts.so" >"$tmp/traced" 2>"$tmp/errors"
	is $? 0 "$app, traced: the program ends well"
	is "$(sed -n 1,2p "$tmp/traced" | xargs)" "$(sed -n 1,2p "$tmp/bare" | xargs)" "$app, traced: pointers lead to the same functions"
	is "$(sed -n 3p "$tmp/traced")" "$(sed -n 3p "$tmp/bare")" "$app, traced: as many upper halves of vector registers are in use behind a call"
	# The program calls compare four times, once by a pointer; the plugin announces its table.
	is "$(jq -r '.[] | select(.ph == "X") | .name' "$tmp/$app.json" | sort | uniq -c | xargs)" \
		"4 compare 1 comparer 1 count 2 count_by_table 1 enter_table" "$app, traced: the calls of others alone are recorded, by name and by pointer"
	test ! -s "$tmp/errors" || diag "$(cat "$tmp/errors")"
done

# Likewise by a plugin with another kind of symbol table, with many functions, and with so many that each name is looked for in its table.
for kind in sysv:0 gnu:1500 gnu:20000; do
	seq -f 'void more_%.0f(void) {}' "${kind#*:}" | cat "$tmp/plugin.c" - >"$tmp/more.c"
	$CC -O0 -shared -fPIC -Wl,--hash-style="${kind%:*}" -o "$tmp/more.so" "$tmp/more.c" -L"$tmp" -lsorts -Wl,-rpath,"$tmp" || { fail "it compiles"; exit 1; }
	rm -f "$tmp/more.json"
	XDG_CACHE_HOME=$tmp/cache "$top_builddir/tracelayer" run --quiet --lib "$tmp/libsorts.so" -o "$tmp/more.json" -- \
		"$tmp/opened" "$tmp/more.so" "$tmp/libsorts.so" >"$tmp/traced" 2>"$tmp/errors"
	is "$(sed -n 1,2p "$tmp/traced" | xargs)" "$(sed -n 1,2p "$tmp/bare" | xargs)" "a plugin with a table of the kind $kind: pointers lead to the same functions"
	is "$(jq -r '.[] | select(.ph == "X") | .name' "$tmp/more.json" | sort | uniq -c | xargs)" \
		"4 compare 1 comparer 1 count 2 count_by_table 1 enter_table" "... and the calls of others alone are recorded"
done

# Where the library is in the global scope, what is opened later changes nothing: nobody asks whether libraries were opened.
cat >"$tmp/walks.c" <<'END_OF_FILE'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
typedef int visit(struct dl_phdr_info *, size_t, void *);
static _Atomic long walks;
int dl_iterate_phdr(visit *callback, void *data)
{
	static int (*real)(visit *, void *);
	walks++;
	if (!real)
		real = (int (*)(visit *, void *))dlsym(RTLD_NEXT, "dl_iterate_phdr");
	return real(callback, data);
}
__attribute__((destructor)) static void tell(void) { fprintf(stderr, "walks %ld\n", walks); }
END_OF_FILE
$CC -O1 -shared -fPIC -w -o "$tmp/walks.so" "$tmp/walks.c" -ldl || { fail "it compiles"; exit 1; }
for level in all none; do
	LD_PRELOAD=$tmp/walks.so XDG_CACHE_HOME=$tmp/cache "$top_builddir/tracelayer" run --level=$level --lib "$tmp/libsorts.so" -o "$tmp/walks.json" -- \
		"$tmp/linked" "$tmp/plugin.so" >/dev/null 2>"$tmp/walked"
	walks=$(sed -n 's/^walks //p' "$tmp/walked" | sort -n | tail -n 1)
	ok "level $level: 3,000 calls by pointers ask less than 500 times for new libraries ($walks)" test "${walks:-1000000}" -lt 500
done

# Another interposer behind ours has one of the functions: the library's own calls and pointers get there, as bare.
cat >"$tmp/steps.c" <<'END_OF_FILE'
int step(int a) { return a + 1; }
int (*steps[2])(int) = {step};
int step_twice(int a) { return step(step(a)); }
int step_by_table(int a) { return steps[0](a); }
END_OF_FILE
cat >"$tmp/longer.c" <<'END_OF_FILE'
int step(int a) { return a + 10; }
END_OF_FILE
cat >"$tmp/walker.c" <<'END_OF_FILE'
#include <stdio.h>
int step(int), step_twice(int), step_by_table(int);
int main(void)
{
	return printf("%d %d %d\n", step_twice(0), step_by_table(0), step(0)) < 0;
}
END_OF_FILE
$CC -O1 -fno-inline -shared -fPIC -Wl,-soname,libsteps.so -o "$tmp/libsteps.so" "$tmp/steps.c" && $CC -O1 -shared -fPIC -o "$tmp/longer.so" "$tmp/longer.c" &&
	$CC -O1 -o "$tmp/walker" "$tmp/walker.c" -L"$tmp" -lsteps -Wl,-rpath,"$tmp" || { fail "it compiles"; exit 1; }
for level in all none; do
	is "$(LD_PRELOAD=$tmp/longer.so XDG_CACHE_HOME=$tmp/cache "$top_builddir/tracelayer" run --level=$level --quiet --lib "$tmp/libsteps.so" -o "$tmp/steps.json" -- "$tmp/walker" 2>/dev/null)" \
		"20 10 10" "level $level: another interposer's function is called for the library's own"
done

# A library asks for its own function by a handle, and compares the answer with its pointer, as ruby does to know its extensions' library.
cat >"$tmp/asks.c" <<'END_OF_FILE'
#define _GNU_SOURCE
#include <dlfcn.h>
int asked(int a) { return a + 1; }
int by_answer(void *handle) { int (*by)(int) = (int (*)(int))dlsym(handle, "asked"); return by(by(1)); }
int is_same(void *handle) { return dlsym(handle, "asked") == (void *)asked && dlsym(RTLD_DEFAULT, "asked") == (void *)asked; }
END_OF_FILE
cat >"$tmp/asker.c" <<'END_OF_FILE'
#include <dlfcn.h>
#include <stdio.h>
int asked(int), is_same(void *), by_answer(void *);
int main(int argc, char **argv)
{
	void *handle = dlopen(argv[1], RTLD_LAZY);
	return printf("%d %d %d %d\n", is_same(handle), is_same(dlopen(NULL, RTLD_LAZY)), by_answer(handle), asked(1)) != 8;
}
END_OF_FILE
$CC -O1 -shared -fPIC -Wl,-soname,libasks.so -o "$tmp/libasks.so" "$tmp/asks.c" -ldl &&
	$CC -O1 -o "$tmp/asker" "$tmp/asker.c" -L"$tmp" -lasks -Wl,-rpath,"$tmp" -ldl || { fail "it compiles"; exit 1; }
is "$("$tmp/asker" "$tmp/libasks.so")" "1 1 3 2" "bare: a library's own function is the one that its handle leads to"
is "$(XDG_CACHE_HOME=$tmp/cache "$top_builddir/tracelayer" run --quiet --lib "$tmp/libasks.so" -o "$tmp/asks.json" -- "$tmp/asker" "$tmp/libasks.so" 2>/dev/null)" \
	"1 1 3 2" "traced: likewise"
is "$(jq -r '.[] | select(.ph == "X") | .name' "$tmp/asks.json" | sort | uniq -c | xargs)" "1 asked 1 by_answer 2 is_same" "and what it calls by the answer is its own"
