#!/bin/bash
# SPDX-License-Identifier: MIT
# Pointers in tables that gen/late_relocation.awk has taken out of the dynamic linker's hands: there are no relocations for them, they are right
# behind tl_late_relocate, also where several threads and a signal handler call it at once, and nothing but tables is touched. By each compiler here.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
: "${CC:=cc}"

# What runs a program of the compiler's; empty: it is this machine's.
compilers=("$CC:")
command -v "$clang" >/dev/null && compilers+=("$clang:")
command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64 >/dev/null &&
	compilers+=("aarch64-linux-gnu-gcc:qemu-aarch64 -L /usr/aarch64-linux-gnu")

cat >"$tmp/tables.c" <<'END_OF_FILE'
#include <stddef.h>
#include <stdint.h>
struct node { const char *name; const struct node *next; uint64_t number; int (*call)(int); const char *const *words; };
int twice(int n) { return 2 * n; }
extern void catches(void (*work)(void));
static const char *const words[] = {"one", "two", NULL};
static const struct node nodes[3];
static const struct node nodes[3] = {
	{"first", &nodes[1], (uint64_t)-1142, twice, words},
	{"second", &nodes[2], 0x4000000000000000, NULL, words + 1},
	{"third", NULL, INT64_MAX, twice, NULL},
};
const struct node *table(void) { return nodes; }
/* Several whole pages. */
static const char *const pages[3000] = {[0 ... 2999] = "page"};
const char *const *lots(void) { return pages; }
struct node changing = {"changing", &nodes[2], 7, twice, words};
/* With a cleanup the object refers to the unwinder's function, by a pointer that must be there from the start. */
static void clean(int *cleaned) { ++*cleaned; }
void catches(void (*work)(void)) { int cleaned __attribute__((cleanup(clean))) = 0; work(); }
END_OF_FILE
cat >"$tmp/main.c" <<'END_OF_FILE'
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include "layer/buffers/process_state.h"
#include "layer/resolve/late_relocation.h"
bool tl_process_is_confined(void) { return false; }
struct node { const char *name; const struct node *next; uint64_t number; int (*call)(int); const char *const *words; };
extern const struct node *table(void);
extern const char *const *lots(void);
extern struct node changing;
extern int twice(int);
static void alarmed(int signal) { tl_late_relocate(); }
static void *relocate(void *unused) { tl_late_relocate(); return NULL; }
static int is_right(void)
{
	const struct node *node = table();
	for (int i = 0; i < 3000; i++)
		if (strcmp(lots()[i], "page"))
			return 0;
	return !strcmp(node[0].name, "first") && !strcmp(node[1].name, "second") && !strcmp(node[2].name, "third") &&
	       node[0].next == &node[1] && node[1].next == &node[2] && !node[2].next && node[0].number == (uint64_t)-1142 &&
	       node[1].number == 0x4000000000000000 && node[2].number == INT64_MAX && node[0].call == twice && !node[1].call &&
	       node[0].call(4) == 8 && !strcmp(node[0].words[1], "two") && node[1].words == node[0].words + 1 &&
	       !strcmp(changing.name, "changing") && changing.next == &node[2] && changing.number == 7 && changing.call == twice;
}
int main(void)
{
	struct itimerval often = {{0, 200}, {0, 200}};
	pthread_t thread[8];
	if ((uintptr_t)table()->name >> 60 == 0)
		return puts("a pointer was there before"), 1;
	signal(SIGALRM, alarmed);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < 8; i++)
		pthread_create(&thread[i], NULL, relocate, NULL);
	for (int i = 0; i < 8; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < 3; i++) {
		if (!is_right())
			return puts("wrong"), 1;
		tl_late_relocate();
	}
	return puts("right"), 0;
}
END_OF_FILE

# relocations NAME: how many the dynamic linker has to make.
relocations() { readelf -rW "$1" | grep -c '_RELATIVE\|_64 \|ABS64'; }

plan $((${#compilers[@]} * 4))
cd "$tmp" || exit 99
for each in "${compilers[@]}"; do
	compiler=${each%%:*} runs=${each#*:} flags="-O2 -g -fPIC -fexceptions -fvisibility=hidden"
	# shellcheck disable=SC2086
	$compiler $flags -shared tables.c -o before.so 2>err && $compiler $flags -S tables.c -o tables.s 2>>err &&
		awk -f "$top_srcdir/gen/late_relocation.awk" tables.s >late.s && $compiler -c late.s -o late.o 2>>err &&
		$compiler $flags -shared -Wl,-Bsymbolic late.o -o after.so 2>>err &&
		$compiler $flags -pie -pthread -I"$top_srcdir" -I"$top_srcdir/include" main.c "$top_srcdir/layer/resolve/late_relocation.c" late.o -o main 2>>err
	is "$?:$(cat err)" "0:" "$compiler: it builds"
	is "$(relocations before.so):$(($(relocations before.so) - $(relocations after.so)))" "$(relocations before.so):3015" \
		"$compiler: the 3,015 pointers of the tables are not the dynamic linker's"
	# shellcheck disable=SC2086
	is "$($runs ./main)" right "$compiler: they are right, whoever asks first"
	is "$(grep -c 'DW.ref.__gcc_personality_v0,"awG"\|DW.ref.__gcc_personality_v0,"aGw"' late.s):$(grep -A9 'section.*DW.ref' late.s | grep -c '77:')" \
		"$(grep -c 'DW.ref.__gcc_personality_v0,"awG"\|DW.ref.__gcc_personality_v0,"aGw"' tables.s):0" "$compiler: the unwinder's pointer is left alone"
done
