#!/bin/bash
# SPDX-License-Identifier: MIT
# A C++ library that is bound to itself compares its functions' own addresses with pointers that it gets: with those of the program.
# They are equal, as they are without us (Qt knows its signals by that). Calls by name are recorded, also of such functions, and
# pointers that a library only passes on stay those of shims.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
: "${CC:=cc}"
test -x "$top_builddir/tracelayer" || skip_all "not built"
plan 32

cat >"$tmp/defaults.h" <<'END_OF_FILE'
typedef void (*release)(void *);
void default_release(void *), other_release(void *), static_release(void *), passed_on(void *);
void set_release(release);
release get_release(void);
int is_default(release), is_other(release), is_static(release);
void use(void);
END_OF_FILE
cat >"$tmp/defaults.c" <<'END_OF_FILE'
#include "defaults.h"
static release current = default_release;
static void *volatile nothing;
void default_release(void *p) { nothing = p; }
void other_release(void *p) { nothing = (char *)p + 1; }
void static_release(void *p) { nothing = (char *)p + 2; }
void passed_on(void *p) { nothing = (char *)p + 3; }
void set_release(release given) { current = given; }
release get_release(void) { return current; }
int is_default(release given) { return given == default_release; }
int is_other(release given) { return given == other_release; }
int is_static(release given)
{
	static const release list[] = {static_release, 0};
	const release *volatile at = list;
	return *at == given;
}
static void __attribute__((noinline)) call(release it) { it(&current); }
void use(void) { call(passed_on); }
END_OF_FILE
cat >"$tmp/app.c" <<'END_OF_FILE'
#include "defaults.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#ifdef PLUGIN
static const release table[] = {static_release};
extern "C" void ask(void)
{
	printf("plugin %d%d%d%d\n", get_release() == default_release, is_default(default_release), is_other(other_release), is_static(table[0]));
}
#else
void by_name(void);
static int writable_pages(void)
{
	char line[4096], rights[5];
	unsigned long from, to;
	int pages = 0;
	FILE *maps = fopen("/proc/self/maps", "r");
	while (fgets(line, sizeof line, maps))
		if (sscanf(line, "%lx-%lx %4s", &from, &to, rights) == 3 && rights[1] == 'w' && (strstr(line, "/app\n") || strstr(line, "/plugin.so\n")))
			pages += (int)((to - from) >> 12);
	fclose(maps);
	return pages;
}
int main(int argc, char **argv)
{
	printf("program %d%d%d%d\n", get_release() == default_release, is_default(default_release), is_other(other_release), is_static(static_release));
	set_release(passed_on);
	get_release()(0);
	set_release(default_release);
	by_name();
	use();
	void *plugin = dlopen(argv[1], RTLD_NOW);
	void (*ask)(void) = plugin ? (void (*)(void))dlsym(plugin, "ask") : 0;
	if (!ask)
		return puts(dlerror()), 1;
	ask();
	return printf("writable %d\n", writable_pages()) < 0;
}
#endif
END_OF_FILE
# In a library of its own: its calls have slots that no pointer shares.
cat >"$tmp/by_name.c" <<'END_OF_FILE'
#include "defaults.h"
void by_name(void) { default_release(0); other_release(0); static_release(0); passed_on(0); }
END_OF_FILE

# The library's link flags, what its functions then are, and how program and plugin are linked.
while IFS=: read -r compiled linked app; do
	way="$compiled $linked $app"
	rm -rf "$tmp/cache"
	flags="-x c++ -O2 -fPIC -I$tmp"
	$CC $flags $compiled $linked -shared -Wl,-soname,libdefaults.so -o "$tmp/libdefaults.so" "$tmp/defaults.c" &&
		$CC $flags -shared -o "$tmp/libbyname.so" "$tmp/by_name.c" -L"$tmp" -ldefaults &&
		$CC $flags $app -shared -DPLUGIN -o "$tmp/plugin.so" "$tmp/app.c" -L"$tmp" -ldefaults -Wl,-rpath,"$tmp" &&
		$CC $flags $app -pie -o "$tmp/app" "$tmp/app.c" -L"$tmp" -lbyname -ldefaults -Wl,-rpath,"$tmp" -ldl || { fail "it compiles: $way"; exit 1; }
	bare=$("$tmp/app" "$tmp/plugin.so" | xargs)
	like "$bare" "^program 1111 plugin 1111 writable" "bare:$way: pointers are equal"
	is "$(XDG_CACHE_HOME=$tmp/cache "$top_builddir/tracelayer" run --quiet --lib "$tmp/libdefaults.so" -o "$tmp/t.json" \
		-- "$tmp/app" "$tmp/plugin.so" 2>"$tmp/errors" | xargs)" "$bare" "traced:$way: likewise, and the memory is protected as it is without us"
	is "$(jq -r '.[] | select(.ph == "X") | .name' "$tmp/t.json" | c++filt | sed 's/(.*//' | sort | uniq -c | xargs)" \
		"1 default_release 3 get_release 2 is_default 2 is_other 2 is_static 1 other_release 2 passed_on 2 set_release 1 static_release 1 use" \
		"traced:$way: calls by name are recorded, and by a pointer that was only passed on"
	test ! -s "$tmp/errors" || diag "$(cat "$tmp/errors")"
	rm -f "$tmp/t.json"
done <<'END_OF_FILE'
::
:-Wl,-Bsymbolic:
:-Wl,-Bsymbolic-functions:-Wl,-z,now
:-Wl,-Bsymbolic:-Wl,-z,norelro
-fvisibility=protected::-Wl,-z,relro
:-Wl,-Bsymbolic:-O0
-fcf-protection=none:-Wl,-Bsymbolic,-z,pack-relative-relocs:
END_OF_FILE

# A library with versions: a symbol for pointers has none, since linkers refuse an undefined symbol with a version that its file defines.
# A function that the library has in two versions has no such symbol.
rm -rf "$tmp/cache" "$tmp/t.json"
echo 'FIRST { default_release; _Z15default_releasePv; };
SECOND { *release*; *set*; *is_*; *use*; *passed_on*; } FIRST;' >"$tmp/versions"
cat >"$tmp/two.c" <<'END_OF_FILE'
#include "defaults.c"
extern "C" void old_other(void *p) { nothing = (char *)p + 4; }
__asm__(".symver old_other, _Z13other_releasePv@FIRST");
END_OF_FILE
flags="-x c++ -O2 -fPIC -I$tmp"
$CC $flags -Wl,-Bsymbolic "-Wl,--version-script=$tmp/versions" -shared -Wl,-soname,libdefaults.so -o "$tmp/libdefaults.so" "$tmp/two.c" &&
	$CC $flags -shared -o "$tmp/libbyname.so" "$tmp/by_name.c" -L"$tmp" -ldefaults &&
	$CC $flags -shared -DPLUGIN -o "$tmp/plugin.so" "$tmp/app.c" -L"$tmp" -ldefaults -Wl,-rpath,"$tmp" &&
	$CC $flags -pie -o "$tmp/app" "$tmp/app.c" -L"$tmp" -lbyname -ldefaults -Wl,-rpath,"$tmp" -ldl || { fail "it compiles: versions"; exit 1; }
is "$(XDG_CACHE_HOME=$tmp/cache "$top_builddir/tracelayer" run --quiet --lib "$tmp/libdefaults.so" -o "$tmp/t.json" \
	-- "$tmp/app" "$tmp/plugin.so" 2>"$tmp/errors" | grep -v writable | xargs)" "program 1111 plugin 1101" \
	"versions: pointers are equal, and in a plugin those of a function with one version"
rm -f "$tmp/t.json"
interposer=$(echo "$tmp"/cache/tracelayer/interposers/libdefaults.so-*.so)
ok "versions: linkers take the interposer" $CC $flags -shared -o "$tmp/linked.so" "$tmp/by_name.c" -x none "$interposer" -Wl,--no-undefined \
	-Wl,-rpath-link,"$top_builddir/.libs"
is "$(nm -D "$interposer" | grep -c ' U .*_release')" 2 "versions: a function with two has no symbol for pointers"
if command -v eu-elflint >/dev/null; then
	is "$(eu-elflint --gnu-ld "$interposer" 2>&1)" "No errors" "versions: eu-elflint finds no errors"
else
	skip 1 "eu-elflint is not on this machine"
fi

# In C, no call is missed: neither one by name of a program that takes the address, too, nor one by the pointer.
cat >"$tmp/both.c" <<'END_OF_FILE'
#include "defaults.h"
int main(void)
{
	default_release(0);
	set_release(default_release);
	get_release()(0);
	return 0;
}
END_OF_FILE
rm -rf "$tmp/cache"
$CC -O2 -fPIC "-I$tmp" -Wl,-Bsymbolic -shared -Wl,-soname,libdefaults.so -o "$tmp/libdefaults.so" "$tmp/defaults.c" &&
	$CC -O2 -fPIC -pie "-I$tmp" -o "$tmp/both" "$tmp/both.c" -L"$tmp" -ldefaults -Wl,-rpath,"$tmp" || fail "it compiles: C"
XDG_CACHE_HOME=$tmp/cache "$top_builddir/tracelayer" run --quiet --lib "$tmp/libdefaults.so" -o "$tmp/t.json" -- "$tmp/both" 2>"$tmp/errors"
is "$(jq -r '.[] | select(.ph == "X") | .name' "$tmp/t.json" | grep -c default_release)" 2 "C: a call by name and one by pointer are both recorded"

# -fno-plt: a library calls and takes addresses through slots of one kind. One that only calls keeps shims; one that takes the address has equal pointers.
cat >"$tmp/no_plt.c" <<'END_OF_FILE'
#include "defaults.h"
#include <stdio.h>
void by_name(void);
int main(void)
{
	default_release(0);
	by_name();
	return printf("%d\n", get_release() == default_release) < 0;
}
END_OF_FILE
for linked in "" -Wl,-z,now; do
	rm -rf "$tmp/cache" "$tmp/t.json"
	flags="-x c++ -O2 -fPIC -fno-plt -I$tmp $linked"
	$CC -x c++ -O2 -fPIC "-I$tmp" -Wl,-Bsymbolic -shared -Wl,-soname,libdefaults.so -o "$tmp/libdefaults.so" "$tmp/defaults.c" &&
		$CC $flags -shared -o "$tmp/libbyname.so" "$tmp/by_name.c" -L"$tmp" -ldefaults &&
		$CC $flags -pie -o "$tmp/no_plt" "$tmp/no_plt.c" -L"$tmp" -lbyname -ldefaults -Wl,-rpath,"$tmp" || fail "it compiles: -fno-plt"
	is "$(XDG_CACHE_HOME=$tmp/cache "$top_builddir/tracelayer" run --quiet --lib "$tmp/libdefaults.so" -o "$tmp/t.json" \
		-- "$tmp/no_plt" 2>"$tmp/errors")" "1" "-fno-plt $linked: pointers are equal where the address is taken"
	case "$($CC -dumpmachine)" in
	x86_64-*)
		is "$(jq -r '.[] | select(.ph == "X") | .name' "$tmp/t.json" | c++filt | sed 's/(.*//' | sort | uniq -c | xargs)" \
			"1 default_release 1 get_release 1 other_release 1 passed_on 1 static_release" "-fno-plt $linked: calls by name are recorded where it is not" ;;
	*) skip 1 "slots of calls are only told apart on x86-64" ;;
	esac
	test ! -s "$tmp/errors" || diag "$(cat "$tmp/errors")"
done

# Many libraries with such pointers: what the kernel says of their memory is read once, not for each.
echo '#include "defaults.h"
extern "C" int PART(void) { return is_default(default_release); }' >"$tmp/part.c"
rm -rf "$tmp/cache" "$tmp/t.json"
parts=() calls=
for i in $(seq 30); do
	$CC -x c++ -O2 -fPIC "-I$tmp" "-DPART=part$i" -Wl,-z,now -shared -o "$tmp/libpart$i.so" "$tmp/part.c" -L"$tmp" -ldefaults -Wl,-rpath,"$tmp" || fail "it compiles: a part"
	parts+=("-lpart$i") calls+="int part$i(void); n += part$i();"
done
echo "#include <stdio.h>
int main(void) { int n = 0; $calls printf(\"equal %d\\n\", n); return 0; }" >"$tmp/parts.c"
$CC -O1 -o "$tmp/parts" "$tmp/parts.c" -L"$tmp" "${parts[@]}" -ldefaults -Wl,-rpath,"$tmp" || fail "it compiles: parts"
parts() { XDG_CACHE_HOME=$tmp/cache "$@" "$top_builddir/tracelayer" run --quiet --lib "$tmp/libdefaults.so" -o "$tmp/t.json" -- "$tmp/parts" 2>"$tmp/errors"; }
is "$(parts)" "equal 30" "30 libraries: pointers are equal in each"
if strace -o "$tmp/calls" true 2>/dev/null; then
	parts strace -f -e trace=open,openat -o "$tmp/calls" >/dev/null
	is "$(grep -c /proc/self/maps "$tmp/calls")" 1 "30 libraries: /proc/self/maps is read once"
else
	skip 1 "no strace here, or it may not trace"
fi
