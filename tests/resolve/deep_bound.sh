#!/bin/bash
# SPDX-License-Identifier: MIT
# Plugins that are opened with RTLD_DEEPBIND, as PHP's extensions: their calls of a library that --lib names are recorded, once, and get what they get bare.
# So are those of what a plugin needs, of a plugin that was closed and opened again, and those whose slots are bound at the first call. A plugin with a
# function of its own of the same name gets its own, and so does what it needs.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
: "${CC:=cc}"
test -x "$top_builddir/tracelayer" || skip_all "not built"
plan 61

cat >"$tmp/dice.c" <<'END_OF_FILE'
static int thrown;
int dice_throw(int sides) { return sides ? ++thrown % sides : 0; }
int dice_thrown(void) { return thrown; }
END_OF_FILE
cat >"$tmp/helper.c" <<'END_OF_FILE'
int dice_throw(int);
int helper_run(int times) { int sum = 0; while (times--) sum += dice_throw(6); return sum; }
END_OF_FILE
cat >"$tmp/plugin.c" <<'END_OF_FILE'
int dice_throw(int), dice_thrown(void), helper_run(int);
int plugin_run(int times) { int sum = helper_run(2 * times); while (times--) sum += dice_throw(6); return sum * 1000 + dice_thrown(); }
END_OF_FILE
cat >"$tmp/own.c" <<'END_OF_FILE'
int dice_throw(int sides) { return 100; }
int dice_thrown(void);
int plugin_run(int times) { return dice_throw(times) * 1000 + dice_thrown(); }
END_OF_FILE
cat >"$tmp/both.c" <<'END_OF_FILE'
int dice_throw(int sides) { return 100; }
int dice_thrown(void), helper_run(int);
int plugin_run(int times) { return helper_run(times) * 1000 + dice_thrown(); }
END_OF_FILE
# Two versions of a function. A plugin that was linked to a library without versions gets the older one.
cat >"$tmp/versions.c" <<'END_OF_FILE'
static int thrown;
int older(int sides) { return ++thrown % sides; }
int newer(int sides) { return 1000 + ++thrown % sides; }
__asm__(".symver older,dice_throw@DICE_1");
__asm__(".symver newer,dice_throw@@DICE_2");
int dice_thrown(void) { return thrown; }
END_OF_FILE
cat >"$tmp/versions.map" <<'END_OF_FILE'
DICE_1 { global: dice_*; local: *; };
DICE_2 { global: dice_throw; } DICE_1;
END_OF_FILE
cat >"$tmp/unversioned.c" <<'END_OF_FILE'
int dice_throw(int), dice_thrown(void);
int plugin_run(int times) { int sum = 0; while (times--) sum += dice_throw(6); return sum * 1000 + dice_thrown(); }
END_OF_FILE
# A plugin that asks for a user namespace, which a process with several threads does not get: enough calls for a thread of the layer come before.
cat >"$tmp/unshares.c" <<'END_OF_FILE'
#define _GNU_SOURCE
#include <sched.h>
#include <unistd.h>
int dice_throw(int);
int plugin_run(int times)
{
	for (int i = 0; i < 300000; i++)
		dice_throw(6);
	_exit(unshare(CLONE_NEWUSER) ? 77 : 0);
}
END_OF_FILE
# A plugin that confines the process: what a recorded call needs is forbidden then.
cat >"$tmp/confines.c" <<'END_OF_FILE'
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int dice_throw(int), dice_thrown(void);
#define ALLOW(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
int plugin_run(int times)
{
	static struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
					    ALLOW(write), ALLOW(exit_group), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};
	dice_throw(6);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(77);
	dice_throw(6);
	_exit(write(1, dice_thrown() == 2 ? "two\n" : "not\n", 4) != 4);
}
END_OF_FILE
# A plugin that opens the library itself, and one that asks for functions without a handle: its own come first.
cat >"$tmp/finds.c" <<'END_OF_FILE'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int plugin_run(int times)
{
	void *dice = dlopen("libdice.so", RTLD_NOW | RTLD_LOCAL);
	int (*throws)(int) = (int (*)(int))dlsym(dice, "dice_throw"), (*thrown)(void) = (int (*)(void))dlvsym(dice, "dice_thrown", "NONE"), sum = 0;
	printf("%s\n", thrown ? "of a version that is not there" : dlerror());
	thrown = (int (*)(void))dlsym(dice, "dice_thrown");
	while (times--)
		sum += throws(6);
	printf("%s\n", dlsym(dice, "dice_lost") ? "lost" : dlerror());
	printf("%s\n", dlsym(RTLD_DEFAULT, "dice_throw") ? "found" : dlerror());
	return sum * 1000 + thrown();
}
END_OF_FILE
cat >"$tmp/asks_for_own.c" <<'END_OF_FILE'
#define _GNU_SOURCE
#include <dlfcn.h>
int dice_throw(int sides) { return 100; }
int plugin_run(int times)
{
	int (*throws)(int) = (int (*)(int))dlsym(RTLD_DEFAULT, "dice_throw"), (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "dice_throw");
	return throws ? throws(6) * 10 + (throws == dice_throw) + 2 * !next : 0;
}
END_OF_FILE
# Three other interposers: one asks for a function of each library that is opened, one has handles of its own, one has a function of the traced library.
cat >"$tmp/asks.c" <<'END_OF_FILE'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
void *dlopen(const char *path, int mode)
{
	static void *(*real)(const char *, int);
	if (!real)
		real = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
	void *handle = real(path, mode);
	if (handle && !dlsym(handle, "module_begin"))
		printf("no module: %s\n", dlerror());
	return handle;
}
END_OF_FILE
cat >"$tmp/adds.c" <<'END_OF_FILE'
#define _GNU_SOURCE
#include <dlfcn.h>
int dice_throw(int sides)
{
	return ((int (*)(int))dlsym(RTLD_NEXT, "dice_throw"))(sides) + 100;
}
END_OF_FILE
cat >"$tmp/handles.c" <<'END_OF_FILE'
#define _GNU_SOURCE
#include <dlfcn.h>
static void *handles[16];
static long count;
void *dlopen(const char *path, int mode)
{
	static void *(*real)(const char *, int);
	if (!real)
		real = (void *(*)(const char *, int))dlvsym(RTLD_NEXT, "dlopen", VERSION);
	void *handle = count < 15 ? real(path, mode) : 0;
	return handle ? handles[++count] = handle, (void *)count : 0;
}
void *dlsym(void *handle, const char *name)
{
	static void *(*real)(void *, const char *);
	if (!real)
		real = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", VERSION);
	return real((long)handle > 0 && (long)handle <= count ? handles[(long)handle] : handle, name);
}
END_OF_FILE
cat >"$tmp/app.c" <<'END_OF_FILE'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(LINKED) || defined(LATE)
int dice_throw(int);
#endif
/* How much of the plugins' memory may be written. */
static long writable(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	long size = 0;
	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "/plugin") && strstr(line, " rw"))
			size += strtol(strchr(line, '-') + 1, NULL, 16) - strtol(line, NULL, 16);
	if (maps)
		fclose(maps);
	return size;
}
int main(int argc, char **argv)
{
	void *last = NULL;
#if defined(LINKED)
	printf("%d\n", dice_throw(6));
#endif
	for (int i = 1; i < argc; i++) {
		int shallow = argv[i][0] == '-';
		void *plugin = dlopen(argv[i] + shallow, shallow ? RTLD_LAZY : RTLD_LAZY | RTLD_GLOBAL | RTLD_DEEPBIND);
		if (!plugin)
			return puts(dlerror()), 1;
		int (*run)(int) = (int (*)(int))dlsym(plugin, "plugin_run");
		int ten = run(10), one = run(1);
		printf("%d %d %s\n", ten, one, dlsym(plugin, "nothing") ? "" : dlerror());
		printf("%ld\n", writable());
		last = plugin;
		if (i + 1 < argc && !strcmp(argv[i], argv[i + 1]))
			dlclose(last);
	}
#if defined(LATE)
	printf("%d\n", dice_throw(6));
#endif
	return 0;
}
END_OF_FILE
cat >"$tmp/again.c" <<'END_OF_FILE'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
static int turn(const char *path, int mode, int is_closed)
{
	void *plugin = dlopen(path, mode);
	int sum = plugin ? ((int (*)(int))dlsym(plugin, "plugin_run"))(3) : 0;
	if (plugin && is_closed)
		dlclose(plugin);
	return sum;
}
/* The first one keeps the library loaded. */
int main(int argc, char **argv)
{
	int first = turn(argv[1], RTLD_NOW, 0), second = turn(argv[2], RTLD_NOW, 1);
	printf("%d %d\n", first, second);
	for (int i = 0; i < 2; i++)
		printf("%d\n", turn(argv[2], RTLD_NOW | RTLD_DEEPBIND, 1));
	return 0;
}
END_OF_FILE
build()
{
	cd "$tmp" || return
	$CC -O1 -shared -fPIC -Wl,-soname,libdice.so -o libdice.so dice.c &&
		$CC -O1 -shared -fPIC -Wl,-soname,libhelper.so -o libhelper.so helper.c -L. -ldice -Wl,-rpath,"$tmp" &&
		$CC -O1 -shared -fPIC -Wl,-z,now -o plugin_now.so plugin.c -L. -lhelper -ldice -Wl,-rpath,"$tmp" && cp plugin_now.so plugin_keep.so &&
		$CC -O1 -shared -fPIC -Wl,-z,lazy -o plugin_lazy.so plugin.c -L. -lhelper -ldice -Wl,-rpath,"$tmp" &&
		$CC -O1 -shared -fPIC -fno-plt -Wl,-z,now -o plugin_own.so own.c -L. -ldice -Wl,-rpath,"$tmp" &&
		$CC -O1 -shared -fPIC -Wl,-z,lazy -Wl,-soname,libchooses.so -o libchooses.so helper.c -L. -ldice -Wl,-rpath,"$tmp" &&
		$CC -O1 -shared -fPIC -w -o plugin_both.so both.c -L. -lchooses -ldice -Wl,-rpath,"$tmp" &&
		mkdir -p versions && $CC -O1 -shared -fPIC -Wl,-soname,libdice.so -Wl,--version-script=versions.map -o versions/libdice.so versions.c &&
		$CC -O1 -shared -fPIC -Wl,-z,lazy -o plugin_unversioned.so unversioned.c -L. -ldice -Wl,-rpath,"$tmp/versions" &&
		$CC -O1 -shared -fPIC -o plugin_confines.so confines.c -L. -ldice -Wl,-rpath,"$tmp" &&
		$CC -O1 -shared -fPIC -o plugin_unshares.so unshares.c -L. -ldice -Wl,-rpath,"$tmp" &&
		$CC -O1 -shared -fPIC -Wl,-z,now -Wl,-rpath,"$tmp" -o plugin_finds.so finds.c -ldl &&
		$CC -O1 -shared -fPIC -w -Wl,-z,now -o plugin_asks_for_own.so asks_for_own.c -L. -lhelper -Wl,-rpath,"$tmp" -ldl &&
		$CC -O1 -shared -fPIC -w -o adds.so adds.c -ldl && $CC -O1 -DLATE -o late app.c -L. -ldice -Wl,-rpath,"$tmp" -ldl &&
		$CC -O1 -shared -fPIC -w -o asks.so asks.c -ldl &&
		case $(uname -m) in x86_64) base=GLIBC_2.2.5 ;; *) base=GLIBC_2.17 ;; esac &&
		$CC -O1 -shared -fPIC -w -DVERSION="\"$base\"" -o handles.so handles.c -ldl &&
		$CC -O1 -o again again.c -ldl && $CC -O1 -o opens app.c -ldl && $CC -O1 -DLINKED -o linked app.c -L. -ldice -Wl,-rpath,"$tmp" -ldl
}
(build) || { fail "it compiles"; exit 1; }

# counted NAME THROWS APP PLUGIN...: the same output as bare, and so many calls of dice_throw.
counted()
{
	local what=$1 throws=$2 app=$3
	shift 3
	"$tmp/$app" "$@" >"$tmp/bare" 2>&1
	XDG_CACHE_HOME=$tmp/cache "$top_builddir/tracelayer" run --quiet --lib "${library:-$tmp/libdice.so}" -o "$tmp/t.json" -- "$tmp/$app" "$@" >"$tmp/traced" 2>"$tmp/errors"
	is $? 0 "$what: the program ends well"
	same "$tmp/bare" "$tmp/traced" "$what: functions, messages of dlerror and memory's protection are as bare"
	is "$(jq -r '.[] | select(.ph == "X") | .name' "$tmp/t.json" | sort | uniq -c | xargs)" "$throws" "$what: each call is recorded once"
	rm -f "$tmp/t.json"
}
# A run makes 3 throws for each of 10 and 1, and asks twice.
now=$tmp/plugin_now.so lazy=$tmp/plugin_lazy.so own=$tmp/plugin_own.so
counted "a plugin that is bound when it is opened" "33 dice_throw 2 dice_thrown" opens "$now"
counted "one that is bound by its calls" "33 dice_throw 2 dice_thrown" opens "$lazy"
counted "the program has the library, too" "34 dice_throw 2 dice_thrown" linked "$now"
counted "... a plugin that is bound by its calls" "34 dice_throw 2 dice_thrown" linked "$lazy"
counted "one after the other" "66 dice_throw 4 dice_thrown" opens "$now" "$lazy"
# The library stays: a plugin that was opened alone would bring it anew.
counted "closed and opened again" "166 dice_throw 10 dice_thrown" linked "$now" "$now" "$now" "$now" "$now"
counted "closed and opened again in this way, at the same place" "36 dice_throw 4 dice_thrown" again "$tmp/plugin_keep.so" "$now"
counted "a plugin that opens the library itself" "11 dice_throw 2 dice_thrown" opens "$tmp/plugin_finds.so"
counted "... the program has the library, too" "12 dice_throw 2 dice_thrown" linked "$tmp/plugin_finds.so"
counted "a plugin that asks for a function of its own, without a handle" "1 dice_throw" linked "$tmp/plugin_asks_for_own.so"
both=$tmp/plugin_both.so
counted "what a plugin needs gets the plugin's own function" "2 dice_thrown" opens "$both"
counted "... the program has the library, too" "1 dice_throw 2 dice_thrown" linked "$both"
library=$tmp/versions/libdice.so counted "no version asked for: the oldest one's function" "" opens "$tmp/plugin_unversioned.so"
library=$tmp/versions/libdice.so counted "... a plugin that is bound by its calls, as usual" "11 dice_throw@DICE_1 2 dice_thrown" opens "-$tmp/plugin_unversioned.so"
LD_PRELOAD=$tmp/asks.so counted "another interposer asks for functions of what is opened" "33 dice_throw 2 dice_thrown" opens "$now"
LD_PRELOAD=$tmp/adds.so counted "another interposer has the function: the program's call gets there" "1 dice_throw 2 dice_thrown" late "$now"
LD_PRELOAD=$tmp/handles.so counted "another interposer has handles of its own" "" opens "$now"
"$tmp/opens" "$tmp/plugin_confines.so" >"$tmp/bare" 2>&1
if test $? = 77; then
	skip 3 "this machine's kernel has no seccomp"
else
	counted "a plugin that confines the process" "1 dice_throw" opens "$tmp/plugin_confines.so"
fi
"$tmp/opens" "$tmp/plugin_unshares.so" >"$tmp/bare" 2>&1
if test $? = 77; then
	skip 3 "user namespaces can't be had on this machine"
else
	counted "a plugin that asks for a user namespace" "300000 dice_throw" opens "$tmp/plugin_unshares.so"
fi
# Where dice_thrown is called without a procedure linkage table it is not seen.
"$tmp/opens" "$own" >"$tmp/bare" 2>&1
XDG_CACHE_HOME=$tmp/cache "$top_builddir/tracelayer" run --quiet --lib "$tmp/libdice.so" -o "$tmp/t.json" -- "$tmp/opens" "$own" >"$tmp/traced" 2>&1
same "$tmp/bare" "$tmp/traced" "a plugin with a function of the same name gets its own"

# --- PHP
if php -r 'exit(extension_loaded("sqlite3") ? 0 : 1);' 2>/dev/null; then
	cat >"$tmp/p.php" <<-'END_OF_FILE'
		<?php
		$db = new SQLite3(':memory:');
		$db->exec('create table t(n)');
		for ($i = 0; $i < 100; $i++) $db->exec("insert into t values($i)");
		echo $db->querySingle('select sum(n) from t'), "\n";
	END_OF_FILE
	is "$(XDG_CACHE_HOME=$tmp/cache "$top_builddir/tracelayer" run --quiet --lib libsqlite3.so.0 -o "$tmp/php.json" -- php "$tmp/p.php" 2>&1)" 4950 "PHP's sqlite3: the script's output"
	is "$(events "$tmp/php.json" sqlite3_exec)" 101 "... and each call is recorded once"
	if ltrace -o "$tmp/ltrace" -e 'sqlite3_*@sqlite3.so' php "$tmp/p.php" >/dev/null 2>&1 && grep -q sqlite3_exec "$tmp/ltrace"; then
		is "$(jq -r '.[] | select(.ph == "X") | .name' "$tmp/php.json" | sort | uniq -c | xargs)" \
			"$(sed -n 's/.*->\(sqlite3_[a-z0-9_]*\)(.*/\1/p' "$tmp/ltrace" | sort | uniq -c | xargs)" "... as ltrace counts them"
	else
		skip 1 "this machine lets ltrace trace nothing"
	fi
else
	skip 3 "this machine has no PHP with sqlite3"
fi
exit 0
