#!/bin/bash
# SPDX-License-Identifier: MIT
# The tools that come with tracelayer: summary, log, leaks, faults.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
plan 143

top_builddir=$(cd "$top_builddir" && pwd) top_srcdir=$(cd "$top_srcdir" && pwd)
tracelayer=$top_builddir/tracelayer libtracelayer=$top_builddir/.libs/libtracelayer.so apps=$top_builddir/tests/apps
export ZE_ENABLE_ALT_DRIVERS=$top_builddir/tests/drivers/.libs/ze_driver_a.so
cd "$tmp" || exit 99

tool() { timeout 60 "$tracelayer" run --level=none --tool "$@"; }
failing() { OCL_ICD_VENDORS="$tmp/none" tool "$@"; }
column() { "$python" -c 'import csv, sys; print(" ".join(sorted("%s:%s" % (r["function"], r[sys.argv[1]]) for r in csv.DictReader(sys.stdin) if r["function"])))' "$@"; }

# --- they stay apart from the program
for name in summary log leaks faults; do
	is "$(nm -D --defined-only "$top_builddir/callbacks/.libs/$name.so" | sed 's/.* //' | grep -v '^tl_tool_' | paste -sd' ')" "" \
		"$name exports nothing but a tool's entries"
done

# --- summary
# The calls: what devices do is the trace's.
none=$(TRACELAYER_DEVICE=0 "$tracelayer" run -o t.json --tool summary=format=csv,file=s.csv -- "$apps/ze_vector_add" -t 3 2>&1 >/dev/null)
is "$(column calls <s.csv)" "$("$tracelayer" summary --csv t.json | column calls)" "summary counts as the summary of a trace does"
close_to()
{
	"$python" - "$@" <<-'END'
	import csv, sys
	def rows(file): return {r["function"]: r for r in csv.DictReader(open(file)) if r["function"]}
	live, trace = rows(sys.argv[1]), rows(sys.argv[2])
	assert live
	for name, row in live.items():
	    for key in "min_ns", "max_ns", "average_ns", "median_ns", "p99_ns":
	        a, b = int(row[key]), int(trace[name][key])
	        assert abs(a - b) <= 3 + b * (0.017 if key in ("median_ns", "p99_ns") else 0.002), (name, key, a, b)
	END
}
"$tracelayer" summary --csv t.json >t.csv
ok "and its times are within what it promises" close_to s.csv t.csv
got=$(failing summary -- "$apps/tool_calls" threads 8 10000 2>&1)
like "$got" '^clGetPlatformIDs +80,000 +80,000 ' "it counts the calls of 8 threads, and failures"
like "$got" '^tracelayer: process [0-9]+ \(tool_calls\): 80000 calls of 1 function$' "under a heading"
cat >renames.c <<'END'
#include <string.h>
#include <CL/cl.h>
int main(int argc, char **argv)
{
	memset(argv[0], 0, strlen(argv[0]));
	return argc > 1 || clGetPlatformIDs(0, NULL, NULL) == CL_SUCCESS;
}
END
ok "a program is built that overwrites its arguments" ${CC:-cc} -DCL_TARGET_OPENCL_VERSION=300 -w -o renames renames.c -lOpenCL
like "$(failing summary -- ./renames 2>&1)" '^tracelayer: process [0-9]+ \(renames\): 1 call of 1 function$' "it has its name under the heading"
got=$(failing summary=threads -- "$apps/tool_calls" threads 3 7 2>&1)
is "$(grep -c '^tracelayer: thread [0-9]*: 7 calls of 1 function$' <<<"$got")" 3 "with threads, each has a table"
failing summary=threads,format=json,file=s.json -- "$apps/tool_calls" threads 3 7
is "$("$python" -c 'import json; print(*sorted(t["rows"][0]["calls"] for t in json.load(open("s.json"))["tables"]))')" "7 7 7 21" "and JSON is one document"
got=$(failing summary -- "$apps/tool_calls" fork 3 4 2>&1)
is "$(grep '^clGetPlatformIDs' <<<"$got" | awk '{ print $2 }' | sort | paste -sd' ')" "3 4" "a forked child counts its own calls only"
got=$(OCL_ICD_VENDORS="$tmp/none" timeout 60 "$tracelayer" run --level=none --summary -- "$apps/tool_calls" threads 1 2 2>&1)
is "$(grep -c '^clGetPlatformIDs' <<<"$got")" 1 "--summary is the same"
got=$(OCL_ICD_VENDORS="$tmp/none" timeout 60 "$tracelayer" run --level=none --summary --tool summary -- "$apps/tool_calls" threads 1 2 2>&1)
is "$(grep -c '^clGetPlatformIDs' <<<"$got")" 1 "and both are one"
like "$(failing summary=bad -- "$apps/tool_calls" threads 1 1 2>&1)" '^tracelayer: tool summary: no such option: bad; give ' "a wrong option is said"

# --- log
got=$(tool log -- "$apps/ze_vector_add" 2>&1 >/dev/null)
like "$got" '^[0-9]+ 0\.[0-9]{6}  zeInit\(flags=ZE_INIT_FLAG_GPU_ONLY\) = ZE_RESULT_SUCCESS <[0-9]+\.[0-9]{3} us>$' "log decodes arguments and results"
like "$got" 'desc=\{stype=ZE_STRUCTURE_TYPE_KERNEL_DESC, flags=0, pKernelName="vector_add", pNext=0x0\}' "and what they lead to; strings keep their quotes"
like "$got" 'zeCommandQueueSynchronize\(hCommandQueue=0x[0-9a-f]+, timeout=18446744073709551615\)' "and long numbers are numbers"
like "$got" 'zeDriverGet\(pCount=1, phDrivers=\[0x[0-9a-f]+\]\)' "and what a call gave out"
failing log=file=log.txt -- "$apps/tool_calls" threads 8 2000
is "$(wc -l <log.txt) $(grep -cE '^[0-9]+ [0-9]+\.[0-9]{6}  clGetPlatformIDs\(num_entries=0, platforms=0x0, num_platforms=0x[0-9a-f]+\) = CL_PLATFORM_NOT_FOUND_KHR <[0-9.]+ us>$' log.txt)" \
	"16000 16000" "the lines of 8 threads are whole, and all there"
is "$(cut -d' ' -f1 log.txt | sort | uniq -c | awk '{ print $1 }' | sort -u)" 2000 "each under its thread's number"
failing log -- "$apps/tool_calls" threads 8 500 2>&1 >/dev/null | cat >piped
is "$(grep -cE '^[0-9]+ .* us>$' piped) $(wc -l <piped)" "4000 4000" "also through a pipe"
got=$(failing log -- "$apps/tool_calls" threads 1 100000 2>&1 >/dev/null | head -n 1; echo "${PIPESTATUS[0]}")
is "$(tail -n 1 <<<"$got")" 0 "a reader that goes away does not end the program"
tool log=begin,file=crash.txt -- "$apps/tool_calls" crash >/dev/null 2>&1
crashed=$?
ok "a program that crashes does so with it" test $crashed -ge 128
like "$(tail -n 1 crash.txt)" '^[0-9]+ [0-9.]+  clGetPlatformIDs\(num_entries=1, platforms=0x8, .*\) \.\.\.$' "and the call in which it does is the log's last line"
failing log=file=fork.%p.txt -- "$apps/tool_calls" fork 3 4
is "$(wc -l fork.*.txt | awk '$2 != "total" { print $1 }' | sort | paste -sd' ')" "3 4" "with %p each process has a file"
is "$(tool 'log=calls=zeKernel*+zeInit' -- "$apps/ze_vector_add" 2>&1 >/dev/null | sed 's/.*  \(ze[A-Za-z]*\).*/\1/' | sort -u | paste -sd' ')" \
	"zeInit zeKernelCreate zeKernelDestroy zeKernelSetArgumentValue zeKernelSetGroupSize" "calls= says which"
for given in summary=late=no log=begin= faults=zeInit,quiet=1 leaks=late=0 log=calls= log=begin,file=,calls=zeInit log=file leaks=file= summary=late,format= faults=zeInit,seed=:log faults=file,zeInit; do
	got=$(tool $given -- echo started 2>&1; echo $?)
	like "$got" "^tracelayer: tool [a-z]*: ((calls|file|format|seed) has no value; give one|[a-z]* takes no value; give it alone), or leave it out\$" "--tool=$given: an option lacks its value, or takes none"
	is "$(wc -l <<<"$got") ${got##*$'\n'}" "2 2" "... and the program is not started"
done
got=$(LD_PRELOAD=$libtracelayer TRACELAYER_LEVEL=none TRACELAYER_TOOLS=log=file= "$apps/ze_vector_add" 2>&1 >/dev/null)
is "$got" "tracelayer: tool log: file has no value; give one, or leave it out" "without the command, the tool says it"
like "$(tool log=file=/nowhere/x -- "$apps/ze_vector_add" 2>&1)" '^tracelayer: tool log: /nowhere/x: its folder is not there; name another file$' "a file that can't be made is said"

# What a type says decides on quotes, at any depth.
cat >words.h <<'END'
enum color { red, GREEN };
struct point { const char *label; char code[8]; enum color color; double x; };
enum color words_take(const struct point *point, enum color *color, const void *param_value, unsigned param_value_size, double y);
const char *words_long(int size);
int words_spend(const struct point *point, enum color *left, const char **said);
struct point_list { int point_count; const struct point *points; };
void words_list(const int *weights, int weight_count, const struct point_list *list, const double *values, int value_count);
END
cat >words.c <<'END'
#include <string.h>
#include "words.h"
enum color words_take(const struct point *point, enum color *color, const void *param_value, unsigned param_value_size, double y)
{
	*color = red;
	return point->color;
}
const char *words_long(int size)
{
	static char text[400];
	text[size] = 0;
	return memset(text, 'w', size);
}
void words_list(const int *weights, int weight_count, const struct point_list *list, const double *values, int value_count) { (void)weights; }
int words_spend(const struct point *point, enum color *left, const char **said)
{
	memset((void *)point, 0, sizeof(*point));
	*left = GREEN;
	*said = 0;
	return 0;
}
END
cat >words_use.c <<'END'
#include <math.h>
#include "words.h"
int main(void)
{
	struct point point = {"DOOM", "ABC", red, NAN};
	enum color color;
	const char *said = "";
	words_take(&point, &color, "FULL_PROFILE", 13, -INFINITY);
	words_take(&point, &color, "\x40\xf6\x5e\x58\xc9\x55\0\0\0\0\0\0\0\0\0", 16, 1);
	words_spend(&point, &color, &said);
	static int numbers[100];
	static double values[100];
	words_list(numbers, 100, &(struct point_list){0, &point}, values, 100);
	return !words_long(126) || !words_long(300);
}
END
ok "a library of words is built" sh -c '$0 -shared -fPIC -o libwords.so words.c && $0 -o words_use words_use.c ./libwords.so -Wl,-rpath,"$PWD"' "${CC:-cc}"
got=$(tool log --header words.h --lib ./libwords.so -- ./words_use 2>&1)
like "$got" ' words_take\(point=\{label="DOOM", code="ABC", color=red, x=NaN\}, color=red, param_value="FULL_PROFILE", param_value_size=13, y=-Infinity\) = red ' \
	"texts have quotes, names and numbers have none, also in structs"

like "$got" 'param_value="40 f6 5e 58 c9 55 00 00 00 00 00 00 00 00 00 00"' "an address in memory for two is no text, though its bytes are no control characters"
like "$got" ' words_spend\(point=\{label="DOOM", code="ABC", color=red, x=NaN\}, left=GREEN, said=0x0\) = 0 ' "what a call changes without being said to is shown as it was before"
like "$got" ' words_list\(weights=\[(0, )+…[0-9]+ more\], weight_count=100, list=\{point_count=0, points=\[\]\}, values=\[(0, )+…[0-9]+ more\], value_count=100\)' \
	"what is no text of the program has no quotes: an empty list, and how many more elements there are"
like "$got" 'words_long\(size=126\) = "w{126}" <' "a long text that is returned has both of its quotes"
like "$got" 'words_long\(size=300\) = "w{256}…" <' "and a longer one says so"

# The program has a function of the layer's in its place, and counts how often the tool calls it.
cat >taken.h <<'END'
struct pair { int a, b; };
int taken_in(const struct pair *in);
int taken_number(int number);
int taken_out(const struct pair *in, int *out);
END
cat >taken.c <<'END'
#include "taken.h"
int taken_in(const struct pair *in) { return in->a - 1; }
int taken_number(int number) { return number - 4; }
int taken_out(const struct pair *in, int *out) { *out = 7; return in->b - 2; }
END
cat >takes.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include "taken.h"
static int times;
size_t tl_view_print(const void *view, char *text, size_t size)
{
	times++;
	return ((size_t (*)(const void *, char *, size_t))dlsym(RTLD_NEXT, "tl_view_print"))(view, text, size);
}
int main(void)
{
	struct pair pair = {1, 2};
	int out = 5, failed = taken_in(&pair) | taken_number(4) | taken_out(&pair, &out);
	return !printf("decoded %d times\n", times) | failed;
}
END
ok "a program is built that counts how often its arguments are decoded" \
	sh -c '$0 -shared -fPIC -o libtaken.so taken.c && $0 -rdynamic -o takes takes.c ./libtaken.so -Wl,-rpath,"$PWD" -ldl' "${CC:-cc}"
for given in log log=begin; do
	got=$(tool $given --header taken.h --lib ./libtaken.so -- ./takes 2>&1)
	like "$got" '^decoded 4 times$' "--tool=$given decodes those of a call once, or before and after it where there are outputs"
	is "$(sed -n 's/^.*  \(taken_.*\) <.*/\1/p' <<<"$got" | paste -sd';')" "taken_in(in={a=1, b=2}) = 0;taken_number(number=4) = 0;taken_out(in={a=1, b=2}, out=7) = 0" "... and shows all"
done
is "$(sed -n 's/^.*  \(taken_.*\) \.\.\.$/\1/p' <<<"$got" | sed 's/0x[0-9a-f]*/0x/' | paste -sd';')" "taken_in(in={a=1, b=2});taken_number(number=4);taken_out(in={a=1, b=2}, out=0x)" \
	"... also before a call"

# A thread whose stack is as small as glibc lets it be.
cat >small.c <<'END'
#include <pthread.h>
#include "words.h"
static void *calls(void *unused)
{
	struct point point = {"DOOM", "ABC", red, 0};
	enum color color;
	words_take(&point, &color, "FULL_PROFILE", 13, 1);
	return (void *)words_long(200);
}
int main(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	void *result = 0;
	return pthread_attr_init(&attributes) || pthread_attr_setstacksize(&attributes, 16384) && pthread_attr_setstacksize(&attributes, 131072) ||
	       pthread_create(&thread, &attributes, calls, 0) || pthread_join(thread, &result) || !result;
}
END
ok "a program is built whose thread has a small stack" ${CC:-cc} -o small small.c ./libwords.so -Wl,-rpath,"$PWD" -lpthread
for name in summary log=begin leaks faults=words_long/2; do
	tool "$name" --header words.h --lib ./libwords.so -- ./small 2>small.txt
	is $? 0 "$name works on a stack of 16 KiB"
	test "$name" != log=begin || is "$(grep -c words_ small.txt)" 4 "and all is there"
done

# --- leaks
got=$(tool faults=zeEventDestroy/2=0,zeEventHostReset=0,quiet --tool leaks -- "$apps/tool_objects" ze 2>&1)
is $? 0 "a program with leaks ends as it does without the tool"
leaked=$(sed -n 's/^leaked //p' <<<"$got") twice=$(sed -n 's/^twice //p' <<<"$got")
like "$got" '^tracelayer: leaks: 2 objects never destroyed, 2 wrong calls ' "leaks counts what was never destroyed"
like "$got" "^  1 ze_event_handle_t created by zeEventCreate and never destroyed: $leaked\$" "an event"
like "$got" ' make_leaked_event\+0x' "with the function that created it"
like "$got" '^  1 memory created by zeMemAllocHost and never destroyed: 0x' "an allocation"
like "$got" "^tracelayer: leaks: ze_event_handle_t $twice is destroyed again by zeEventDestroy\$" "destroying twice is said"
like "$got" "^tracelayer: leaks: ze_event_handle_t $twice is used by zeEventHostReset after it was destroyed\$" "and so is a use after destroying"
got=$(tool leaks -- "$apps/tool_objects" clean 2>&1)
like "$got" '^tracelayer: leaks: 0 objects never destroyed, 0 wrong calls ' "a clean program is told so, though handles come again"
like "$(tool leaks -- "$apps/tool_objects" late 2>&1)" '(, |: )([2-9]|1[0-9]) objects never' "what a destructor destroys is a leak"
is "$(tool leaks=late -- "$apps/tool_objects" late 2>&1 | grep -c 'zeEventCreate')" 0 "but not with late"
is "$(for option in '' =late; do tool summary$option -- "$apps/tool_objects" late 2>&1 | grep -c '^zeEventDestroy '; done | paste -sd' ')" "0 1" \
	"and the summary has its call with late"
got=$(tool leaks -- "$apps/tool_objects" cl 2>&1)
is "$(grep -c 'created by' <<<"$got") $(grep -E -o 'created by cl[A-Za-z]*' <<<"$got" | sort | paste -sd,)" "2 created by clCreateBuffer,created by clEnqueueWriteBuffer" \
	"OpenCL's references and commands' events are counted"
unlike "$got" 'calls from the program itself' "who called is not said where it is the program alone"
like "$(tool leaks -- clinfo 2>&1 >/dev/null)" ' 0 objects never destroyed, 0 wrong calls ' "clinfo has no leaks"

# A library whose memory comes from one place, again and again: who gives it out by a call that nobody traces makes no wrong call of the next pool_free.
cat >pool.h <<'END'
struct pool_list { struct pool_list *next; };
void *pool_alloc(unsigned size);
char *pool_strdup(const char *text);
void pool_free(void *memory);
struct pool_list *pool_list_new(void);
void pool_list_free(struct pool_list *list);
void pool_place_free(struct pool_list **place);
typedef struct pool_s *pool;
pool pool_open(void);
int pool_ask(pool it);
void pool_end_free(pool it);
void pool_close(pool it);
void pool_tell(void (*closing)(pool it));
void pool_fill(void **to);
void *pool_new(void);
END
cat >pool.c <<'END'
#include "pool.h"
static char place[64];
void *pool_alloc(unsigned size) { return size ? place : 0; }
char *pool_strdup(const char *text) { place[0] = *text; return place; }
void pool_free(void *memory) { (void)memory; }
struct pool_list *pool_list_new(void) { return (struct pool_list *)place; }
void pool_list_free(struct pool_list *list) { (void)list; }
void pool_place_free(struct pool_list **place) { if (place != (void *)-1L) *place = 0; }
pool pool_open(void) { return (pool)place; }
int pool_ask(pool it) { return it != 0; }
void pool_end_free(pool it) { (void)it; }
static void (*tell)(pool it);
void pool_close(pool it) { tell(it); }
void pool_tell(void (*closing)(pool it)) { tell = closing; }
void pool_fill(void **to) { to[1] = place; }
void *pool_new(void) { static int next; return &place[++next]; }
END
cat >pool_keep.c <<'END'
#include "pool.h"
void *kept[3];
void keep(void) { for (int i = 0; i < 3; i++) kept[i] = pool_new(); pool_free(kept[1]); }
END
cat >pool_use.c <<'END'
#include <string.h>
#include "pool.h"
void keep(void);
static void closing(pool it) { pool_ask(it); pool_end_free(it); }
int main(int argc, char **argv)
{
	void *two[2] = {&two, 0};

	pool_free(pool_alloc(1));
	if (!strcmp(argv[1], "kept")) {
		keep();
		pool_new();
	} else if (!strcmp(argv[1], "twice")) {
		pool_free(pool_alloc(1));
		pool_fill(two);
		pool_free(two[1]);
	} else if (!strcmp(argv[1], "text")) {
		pool_free(pool_strdup("a"));
		pool_free(pool_strdup("b"));
	} else if (!strcmp(argv[1], "place")) {
		struct pool_list *list = pool_list_new();
		pool_place_free(&list);
		pool_place_free(&list);
		pool_place_free((struct pool_list **)-1L);
	} else if (!strcmp(argv[1], "inside")) {
		pool opened = pool_open();
		pool_tell(closing);
		pool_close(opened);
		if (argc > 2)
			pool_ask(opened);
	} else if (!strcmp(argv[1], "other")) {
		pool_fill(two);
		pool_list_free(two[1]);
	} else {
		pool_free(argv); /* from elsewhere */
		pool_free(pool_alloc(1));
		pool_fill(two);
		pool_free(two[1]);
	}
	return 0;
}
END
ok "a library of memory is built" sh -c '$0 -shared -fPIC -o libpool.so pool.c && $0 -shared -fPIC -o libpool_keep.so pool_keep.c ./libpool.so &&
	$0 -o pool_use pool_use.c ./libpool_keep.so ./libpool.so -Wl,-rpath,"$PWD"' "${CC:-cc}"
pool() { tool leaks --header pool.h --lib ./libpool.so -- ./pool_use "$@" 2>&1; }
got=$(pool twice)
like "$got" '^tracelayer: leaks: memory 0x[0-9a-f]+ is destroyed again by pool_free$' "memory that only traced calls give out is destroyed again"
like "$got" '^tracelayer: leaks: 0 objects never destroyed, 1 wrong call ' "which is a wrong call"
unlike "$got" 'came to a destroying call' "and nothing is unsure"
like "$(pool text)" '^tracelayer: leaks: 0 objects never destroyed, 0 wrong calls ' "a text that a call returns is in use"
got=$(pool other)
like "$got" '^tracelayer: leaks: 0 objects never destroyed, 0 wrong calls ' "memory that two functions destroy may be two objects"
like "$got" '^  1 address came to a destroying call again: a call that is not traced may have given it out in between$' "and that is said"
like "$(pool place)" '^tracelayer: leaks: 0 objects never destroyed, 0 wrong calls ' "what a call ends by its place is no leak"
ok "a call may refuse the address of a place" tool leaks --header pool.h --lib ./libpool.so -- ./pool_use place
like "$(pool inside)" '^tracelayer: leaks: 0 objects never destroyed, 0 wrong calls ' "the call that destroys may use the object, and call another that destroys it"
like "$(pool inside after)" '^tracelayer: leaks: pool 0x[0-9a-f]+ is used by pool_ask after it was destroyed$' "but nobody may behind it"
got=$(pool elsewhere)
like "$got" '^tracelayer: leaks: 0 objects never destroyed, 0 wrong calls ' "where a function also frees what no traced call made, nobody is accused"
like "$got" '^  1 address came to a destroying call again' "and that is said, too"
got=$(pool kept)
like "$got" '^tracelayer: leaks: 3 objects never destroyed, 0 wrong calls ' "objects that the program keeps, and a library of it"
like "$got" '^  calls from the program itself made 1 of them, from libpool_keep.so 2$' "and who called is said"
is "$(grep -cE '^  [12] memory created by pool_new and never destroyed:' <<<"$got")" 2 "under the places that made them"

# A report's names of functions wait for a dlopen of another thread, in which a constructor makes a call.
cat >opening.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
#include "pool.h"
static atomic_int opening;
void constructed(void) { opening = 1; usleep(300000); puts(pool_new() ? "made" : "none"); }
static void *wrong(void *memory)
{
	while (!opening)
		;
	pool_free(memory);
	return memory;
}
int main(void)
{
	pthread_t thread;
	void *memory = pool_alloc(1);

	pool_free(memory);
	return pthread_create(&thread, 0, wrong, memory) || !dlopen("./plugin.so", RTLD_NOW) || pthread_join(thread, 0);
}
END
cat >plugin.c <<'END'
void constructed(void);
static __attribute__((constructor)) void construct(void) { constructed(); }
END
ok "a program is built whose plugin makes calls while it is opened" sh -c '$0 -shared -fPIC -o plugin.so plugin.c &&
	$0 -rdynamic -o opening opening.c ./libpool.so -Wl,-rpath,"$PWD" -lpthread -ldl' "${CC:-cc}"
got=$(timeout 20 "$tracelayer" run --level=none --tool leaks --header pool.h --lib ./libpool.so -- ./opening 2>&1)
is "$? $(grep -cx made <<<"$got") $(grep -c ' is destroyed again by pool_free$' <<<"$got")" "0 1 1" "a report meanwhile does not hold it up for ever"

# Libraries that are closed before the end, the second in the place of the first.
cat >closed.c <<'END'
#include <dlfcn.h>
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		void *library = dlopen(argv[i], RTLD_NOW);
		void (*keep)(void) = library ? (void (*)(void))dlsym(library, "keep") : 0;

		if (!keep)
			return 1;
		keep();
		dlclose(library);
	}
	return 0;
}
END
ok "a program is built that closes its libraries" sh -c '$0 -o closed closed.c ./libpool.so -Wl,--no-as-needed,-rpath,"$PWD" -ldl && cp libpool_keep.so closed_b.so && cp libpool_keep.so closed_a.so' "${CC:-cc}"
got=$(tool leaks --header pool.h --lib ./libpool.so -- ./closed ./closed_a.so ./closed_b.so ./closed_b.so 2>&1)
like "$got" '^  calls from the program itself made 0 of them, from closed_b.so 4, from closed_a.so 2$' "leaks names the library that called, though it was closed since"
is "$(grep -cE '^    (\./closed_[ab]\.so) \(\+0x' <<<"$got")" "$(grep -c ' created by ' <<<"$got")" "at each place that made objects"

# A fork while another thread looks which libraries there are: here that takes long, under the dynamic linker's lock.
cat >forks.c <<'END'
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "pool.h"
typedef int callback(struct dl_phdr_info *info, size_t size, void *data);
typedef int walk(callback *each, void *data);
static __thread callback *each;
static int slow(struct dl_phdr_info *info, size_t size, void *data) { usleep(5000); return each(info, size, data); }
int dl_iterate_phdr(callback *wanted, void *data)
{
	each = wanted;
	return ((walk *)dlsym(RTLD_NEXT, "dl_iterate_phdr"))(slow, data);
}
static void *makes(void *unused)
{
	for (;;)
		pool_free(pool_alloc(1));
	return unused;
}
int main(void)
{
	pthread_t thread;
	int status, ended = 0;

	pool_free(pool_alloc(1));
	if (pthread_create(&thread, 0, makes, 0))
		return 1;
	for (int i = 0; i < 10; i++) {
		usleep(3000);
		pid_t child = fork();
		if (!child) {
			alarm(10);
			pool_free(pool_alloc(1));
			_exit(0);
		}
		ended += waitpid(child, &status, 0) == child && !status;
		if (status)
			break;
	}
	printf("%d children ended\n", ended);
	fflush(stdout);
	_exit(0);
}
END
ok "a program is built that forks while another thread makes calls" \
	sh -c '$0 -D_GNU_SOURCE -rdynamic -o forks forks.c ./libpool.so -Wl,-rpath,"$PWD" -lpthread -ldl' "${CC:-cc}"
is "$(tool leaks --header pool.h --lib ./libpool.so -- ./forks 2>/dev/null)" "10 children ended" "its children can make calls, too"

# A function whose tables lead to memory that can't be read, as those of the place do where Wine enters its libraries.
cat >astray.c <<'END'
#include <stdio.h>
#include "pool.h"
void *astray(void);
/* The caller's end of the stack is what lies at address 16. */
#if defined(__x86_64__)
#define CALLS "sub $8, %rsp\n" "call pool_new@PLT\n" "add $8, %rsp\n" "ret\n"
#else
#define CALLS "stp x29, x30, [sp, -16]!\n" "bl pool_new\n" "ldp x29, x30, [sp], 16\n" "ret\n"
#endif
__asm__(".text\n.globl astray\n.type astray, %function\nastray:\n.cfi_startproc\n.cfi_escape 0x0f, 0x03, 0x08, 0x10, 0x06\n" CALLS
	".cfi_endproc\n.size astray, .-astray\n");
int main(void) { return puts(astray() ? "made" : "none") < 0; }
END
ok "a program is built that nobody can find the callers in" ${CC:-cc} -rdynamic -o astray astray.c ./libpool.so -Wl,-rpath,"$PWD"
got=$(tool leaks --header pool.h --lib ./libpool.so -- ./astray 2>&1)
is "$? $(grep -cx made <<<"$got") $(grep -c ' astray+0x' <<<"$got")" "0 1 1" "leaks does not crash there, and says the caller that is known"
unlike "$(ldd "$top_builddir/callbacks/.libs/leaks.so"; nm -D --undefined-only "$top_builddir/callbacks/.libs/leaks.so")" 'backtrace|libgcc_s' \
	"it does not load libgcc_s into the program"

# --- faults
is "$(tool faults=clCreateBuffer/2=CL_MEM_OBJECT_ALLOCATION_FAILURE -- "$apps/tool_objects" buffers 4 2>/dev/null)" "0 -4 0 0 " \
	"faults: the second fails, with NULL and the code that was asked for"
"$tracelayer" run -o f.json --tool faults=clCreateBuffer/2=CL_MEM_OBJECT_ALLOCATION_FAILURE -- "$apps/tool_objects" buffers 3 >/dev/null 2>&1
is "$(grep -o '"clCreateBuffer".*"errcode_ret":"[A-Z_]*"' f.json | sed 's/.*://' | paste -sd' ')" \
	'"CL_SUCCESS" "CL_MEM_OBJECT_ALLOCATION_FAILURE" "CL_SUCCESS"' "the trace has the codes that the program got"
is "$(tool faults=clCreateB*/2+ -- "$apps/tool_objects" buffers 4 2>/dev/null)" "0 -6 -6 -6 " "from the second on, out of host memory"
got=$(for i in 1 2; do tool faults=clCreateBuffer/30%=-61,seed=5 -- "$apps/tool_objects" buffers 100 2>/dev/null; done)
is "$(uniq <<<"$got" | wc -l)" 1 "by probability, the same for the same seed"
count=$(head -n 1 <<<"$got" | tr ' ' '\n' | grep -c -e -61)
ok "about as often as was asked for ($count of 100)" test "$count" -ge 15 -a "$count" -le 45
nok "and another for another seed" test "$(tool faults=clCreateBuffer/30%=-61,seed=6 -- "$apps/tool_objects" buffers 100 2>/dev/null)" = "$(head -n 1 <<<"$got")"
like "$(tool faults=zeInit=ZE_RESULT_ERROR_DEVICE_LOST -- "$apps/ze_vector_add" 2>&1)" 'zeInit.*result 0x70000001' "Level Zero fails, too"
like "$(tool faults=zeInit=ZE_RESULT_TYPO -- "$apps/ze_vector_add" 2>&1)" '^tracelayer: tool faults: zeInit=ZE_RESULT_TYPO: zeInit has no such result; ' "a result that there isn't is said"

cat >trials.h <<'END'
typedef int gboolean;
gboolean trials_file_get_contents(const char *name);
int trials_count(int to);
double trials_half(float from);
void trials_say(int number);
int trials_with_a_name_that_is_as_long_as_the_longest_of_Vulkans_and_longer(void);
END
cat >trials.c <<'END'
#include <stdio.h>
#include "trials.h"
gboolean trials_file_get_contents(const char *name) { return name != 0; }
int trials_count(int to) { return to; }
double trials_half(float from) { return from / 2; }
void trials_say(int number) { printf(" %d", number); }
int trials_with_a_name_that_is_as_long_as_the_longest_of_Vulkans_and_longer(void) { return 7; }
END
cat >trials_use.c <<'END'
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "trials.h"
#define lengthy trials_with_a_name_that_is_as_long_as_the_longest_of_Vulkans_and_longer
int main(void)
{
	int status = trials_count(3);
	if (fork() == 0)
		_exit(trials_count(4) + trials_count(5));
	wait(&status);
	printf("%d %d %d %g", WEXITSTATUS(status), trials_count(6), trials_file_get_contents("x"), trials_half(1));
	trials_say(0);
	printf(" %d", lengthy());
	printf(" %d\n", lengthy());
	return 0;
}
END
ok "a library of trials is built" sh -c '$0 -shared -fPIC -o libtrials.so trials.c && $0 -o trials_use trials_use.c ./libtrials.so -Wl,-rpath,"$PWD"' "${CC:-cc}"
trials() { tool faults="$1" --header trials.h --lib ./libtrials.so -- ./trials_use 2>&1; }
is "$(trials trials_count/2=9,quiet)" "13 9 1 0.5 0 7 7" "faults counts a forked child's calls anew"
is "$(trials trials_file*,quiet)" "9 6 0 0.5 0 7 7" "a truth value fails as false"
is "$(trials trials_half=3,quiet)" "9 6 1 3 0 7 7" "a real result is the number that was asked for"
like "$(trials trials_say=0)" '^tracelayer: faults: trials_say does nothing \(call 1 of its rule\)$' "a call without a result is left out"
is "$(trials trials_say=0,quiet)" "9 6 1 0.5 7 7" "and does nothing"
like "$(trials trials_say)" '^tracelayer: tool faults: trials_say: trials_say returns nothing; with =0 its calls do nothing, too$' "if that is asked for"
lengthy=trials_with_a_name_that_is_as_long_as_the_longest_of_Vulkans_and_longer
is "$(trials $lengthy/2=-5,quiet)" "9 6 1 0.5 0 7 -5" "a long name is read to its end"
like "$(trials "$(printf 'a%.0s' $(seq 300))")" '^tracelayer: tool faults: a{60}...: no function.s name is that long; give a shorter one$' "one that is too long is refused"

# --- the files that they write
log() { failing log=file="$1" -- "$apps/tool_calls" threads 1 2 2>&1 >/dev/null; }
lines() { wc -l "$@" 2>/dev/null | awk '{ print $1 }' | paste -sd' '; }
log taken.txt >said
is "$(cat said)$(log taken.txt) $(lines taken.txt taken.1.txt)" "tracelayer: tool log: taken.txt: that name is taken; it writes to taken.1.txt 2 2 4" \
	"a name that is taken gets a number, as a trace's does, and that is said"
PMIX_RANK=3 log 'p.%e.%r.%%.txt' >said
is "$(cat said)$(lines p.tool_calls.3.%.txt)" 2 "the name has every letter of the pattern that traces have"
log 'q.%r.txt' >said
is "$(lines q.txt)" 2 "without a rank none is claimed"
log "h.%h.txt" >said
is "$(lines "h.$(uname -n).txt")" 2 "the host's name"
log 't.%t.txt' >said
is "$(lines t.2*T*Z.txt)" 2 "the time"
mkdir folder
log folder >said
is "$(lines folder/log.tool_calls.[0-9]*.txt)" 2 "in a folder the file is called after the tool"
like "$(log -)" '^tracelayer: tool log: file=-: standard output is the program.s own; name a file, or leave it out for standard error$' "file=- is refused"
like "$(log missing/x.txt)" '^tracelayer: tool log: missing/x.txt: its folder is not there; name another file$' "so is a folder that is not there"
failing log=file=/dev/stdout -- "$apps/tool_calls" threads 1 2 2>said | cat >piped
is "$(grep -c clGetPlatformIDs piped)" 2 "/dev/stdout works where it is a pipe"
is "$(log /dev/null)" "" "so does /dev/null"
echo mine >victim
ln -s victim own.txt
log own.txt >said
is "$(cat victim) $(lines own.1.txt)" "mine 2" "a link is a name that is taken"
mkdir -m 1777 sticky; chmod 755 .
other="setpriv --reuid=65534 --regid=65534 --clear-groups"
if test "$(id -u)" = 0 && $other mkfifo -m 666 sticky/pipe.txt 2>/dev/null; then
	$other ln -s "$tmp/victim" sticky/link.txt
	$other ln -s "$tmp" sticky/way
	($other timeout 20 cat sticky/pipe.txt >stolen) & thief=$!
	like "$(log sticky/pipe.txt)" '^tracelayer: tool log: sticky/pipe.txt: it is a pipe of somebody else, who would get the trace; name another file$' "a pipe of somebody else is refused"
	kill $thief 2>/dev/null; wait $thief 2>/dev/null
	is "$(cat stolen)" "" "and its reader gets nothing"
	log sticky/link.txt >said
	is "$(cat victim) $(lines sticky/link.1.txt)" "mine 2" "a link of somebody else is not followed"
	like "$(log sticky/way/x.txt)" 'a symbolic link on the way belongs to somebody else; name another file$' "nor is one on the way"
else
	skip 4 "this machine's user can't play another one"
fi
