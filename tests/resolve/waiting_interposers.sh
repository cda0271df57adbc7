#!/bin/bash
# SPDX-License-Identifier: MIT
# A process that makes no traced call leaves an interposer's tables as they are in its file. What asks first brings them up: a call, also
# of several threads at once or of a constructor that runs before all of ours, or a question for a function's address.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
top_builddir=$(cd "$top_builddir" && pwd) top_srcdir=$(cd "$top_srcdir" && pwd)
plan 16

cd "$tmp" || exit 99
for i in $(seq 600); do
	echo "enum many_$i { FIRST_$i, SECOND_$i, THIRD_$i };"
	echo "int many_$i(enum many_$i which, const char *name_$i);"
done >many.h
{
	echo '#include "many.h"'
	for i in $(seq 600); do echo "int many_$i(enum many_$i which, const char *name) { return which + !name; }"; done
} >many.c
cat >main.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "many.h"

static pthread_barrier_t barrier;

static void *call(void *unused)
{
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 100; i++)
		many_7(SECOND_7, "x"), many_8(THIRD_8, NULL);
	return unused;
}

/* The kB of a library's pages that this process has changed. */
static void own_pages(const char *library)
{
	FILE *file = fopen("/proc/self/smaps", "r");
	char line[4096];
	int inside = 0, size, sum = 0;

	while (fgets(line, sizeof(line), file)) {
		if (strchr(line, '-') && strchr(line, '/'))
			inside = strstr(line, library) != NULL;
		else if (strchr(line, '-') && !strchr(line, ':'))
			inside = 0;
		if (inside && sscanf(line, "Anonymous: %d", &size) == 1)
			sum += size;
	}
	fclose(file);
	printf("%d\n", sum);
}

int main(int argc, char **argv)
{
	pthread_t threads[8];
	Dl_info info;

	if (!strcmp(argv[1], "call"))
		many_7(SECOND_7, "x");
	if (!strcmp(argv[1], "pages") || !strcmp(argv[1], "call"))
		own_pages("interposer.so");
	if (!strcmp(argv[1], "address"))
		dladdr((void *)many_7, &info), printf("%s %s\n", strrchr(info.dli_fname, '/') + 1, info.dli_sname);
	if (!strcmp(argv[1], "threads")) {
		pthread_barrier_init(&barrier, NULL, 8);
		for (int i = 0; i < 8; i++)
			pthread_create(&threads[i], NULL, call, NULL);
		for (int i = 0; i < 8; i++)
			pthread_join(threads[i], NULL);
	}
	return argc < 0;
}
C
cat >early.c <<'C'
#include "many.h"
static __attribute__((constructor)) void early(void) { many_9(FIRST_9, "early"); }
C
cat >asks.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "tracelayer/api.h"

C
sed -n '/^\/\* The kB/,/^}/p' main.c >>asks.c
cat >>asks.c <<'C'
/* The first question of the process: LIBRARY NAME. Then the pages, what a call returns, and all names. */
int main(int argc, char **argv)
{
	unsigned number = 0;
	int (*found)(int, void *, unsigned *) = (int (*)(int, void *, unsigned *))dlsym(dlopen(argv[1], RTLD_NOW), argv[2]);

	own_pages("libtracelayer.so");
	if (argc > 3)
		return !found || found(0, NULL, &number);
	const struct tl_api *(*api_at)(unsigned) = (const struct tl_api *(*)(unsigned))dlsym(RTLD_DEFAULT, "tl_api_at");
	printf("%s\n", found ? "found" : "not found");
	for (unsigned i = 0; api_at(i); i++)
		for (unsigned k = 0; k < api_at(i)->count; k++)
			printf("%s\n", api_at(i)->functions[k].name);
	return argc < 0;
}
C
ok 'a library of 600 functions, programs, and an interposer' sh -c "${CC:-cc} -shared -fPIC -Wl,-soname,libmany.so many.c -o libmany.so &&
	${CC:-cc} -shared -fPIC early.c -o libearly.so -L. -lmany && ${CC:-cc} -fPIC -fno-plt main.c -o main -L. -lmany -pthread &&
	${CC:-cc} -fPIC -fno-plt main.c -o with_early -L. -Wl,--no-as-needed -learly -lmany -pthread &&
	${CC:-cc} -I'$top_srcdir/include' asks.c -o asks -ldl &&
	'$top_builddir/tracegen' interposer many.h --lib ./libmany.so -o interposer.so >names"

# traced PROGRAM WAY
traced()
{
	rm -f t.json
	LD_LIBRARY_PATH="$tmp" LD_PRELOAD="$tmp/interposer.so:$libtracelayer" TRACELAYER_OUTPUT=t.json "$@"
}

asked() { LD_PRELOAD=$libtracelayer TRACELAYER_OUTPUT=t.json ./asks "$@"; }
idle=$(asked libm.so.6 cos | head -n 1) busy=$(asked libm.so.6 zeNoSuchFunction | head -n 1)
echo "# own pages of the layer: $idle kB where its names are not asked for, $busy kB where one may be meant"
ok "who asks for other names by dlsym leaves the built-in APIs' tables as they are" test $((idle * 2)) -lt "$busy"
is "$(asked libm.so.6 cos | sed -n 2p)" found 'and gets them'
asked libOpenCL.so.1 clGetPlatformIDs call >/dev/null
is "$? $(grep -q '"clGetPlatformIDs"' t.json; echo $?)" "0 0" "the first question may be for one of ours: its call is recorded"
asked libm.so.6 cos | tail -n +3 >names
is "$(grep -vc '^ze\|^cl\|^roctx' names) $(($(wc -l <names) > 700))" "0 1" "all built-in names begin so that they are found"
idle=$(traced ./main pages) busy=$(traced ./main call)
echo "# own pages: $idle kB without a call, $busy kB with one"
ok 'without a call, most of its pages are those of the file' test $((idle * 3)) -lt "$busy"
is "$("$python" -c 'import json; print([(e["name"], e["args"]) for e in json.load(open("t.json")) if e["ph"] == "X"])')" \
	"[('many_7', {'which': 'SECOND_7', 'name_7': 'x', 'result': 1})]" 'with one, it is recorded with its arguments'
is "$(readelf -rW interposer.so | grep -c RELATIVE)" "$((600 * 3 + 13))" 'the dynamic linker has only the shims to relocate'
is "$(traced ./main address)" "libmany.so many_7" 'who asks where a function lies gets the library'
missing=0
for i in $(seq 40); do
	traced ./main threads
	test "$(grep -c '"ph":"X".*"many_[78]"\|"name":"many_[78]"' t.json)" = 1600 || missing=$((missing + 1))
done
is $missing 0 'eight threads that call first: no call is missing, in any of 40 processes'
traced ./with_early none
is "$("$python" -c 'import json; print([e["args"] for e in json.load(open("t.json")) if e["ph"] == "X"])')" \
	"[{'which': 'FIRST_9', 'name_9': 'early', 'result': 0}]" 'a call of a constructor that runs before ours'
# The version's number (common/signature.h) lies in the data, 64 bits with what follows it.
"$python" - <<'P'
import re
interposer = open("interposer.so", "rb").read()
at = [m.start() for m in re.finditer(re.escape((0x10007).to_bytes(8, "little")), interposer) if m.start() % 8 == 0][-1]
open("later-interposer.so", "wb").write(interposer[:at] + b"\x08" + interposer[at + 1:])
P
LD_LIBRARY_PATH="$tmp" LD_PRELOAD="$tmp/later-interposer.so:$libtracelayer" TRACELAYER_OUTPUT=t.json ./main call >pages 2>said
ok 'calls through an interposer of a later version work, and one line says that it is not used' test $? = 0 -a -s pages -a "$(wc -l <said)" = 1
# The layer's start asks for variables before it knows which interposers there are.
cat >own.c <<'C'
#include <stdlib.h>
#include <string.h>
#include "many.h"
extern char **environ;
char *getenv(const char *name)
{
	size_t length = strlen(name);
	many_5(FIRST_5, name);
	for (char **at = environ; at && *at; at++)
		if (!strncmp(*at, name, length) && (*at)[length] == '=')
			return *at + length + 1;
	return NULL;
}
int main(void) { return many_6(FIRST_6, "main"); }
C
${CC:-cc} own.c -o own -L. -lmany -rdynamic
ok "a program whose own getenv calls traced functions works" traced ./own
is "$("$python" -c 'import json; print([e["args"] for e in json.load(open("t.json")) if e["ph"] == "X" and e["name"] == "many_6"])')" \
	"[{'which': 'FIRST_6', 'name_6': 'main', 'result': 0}]" 'and its later calls are recorded'
traced ./main pages >pages
ok 'no call, no trace' test ! -e t.json

"$python" - <<'PY'
bytes_ = open("interposer.so", "rb").read()
old = (0x10007).to_bytes(4, "little") + bytes(4)
assert bytes_.count(old) == 1
open("other.so", "wb").write(bytes_.replace(old, (0x10001).to_bytes(4, "little") + bytes(4)))
PY
is "$(LD_LIBRARY_PATH="$tmp" LD_PRELOAD="$tmp/other.so:$libtracelayer" ./main none 2>&1)" \
	'tracelayer: a shim library is not used: it was made by another version; make it again with this tracegen' 'an interposer of another version is named once'
