#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer/profiler.h in C and C++: its document's examples, the layout of what it prints, labels left in every way, threads, and no data race.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/sanitizers.sh"
strict="-D_GNU_SOURCE -O2 -pedantic -Wall -Wextra -Wshadow -Werror -I$top_srcdir/include -I$top_srcdir"
apps=$top_srcdir/tests/apps

# forms NAME COMPILER…: the program of two source files; and with one of them as a shared library, which hides its symbols.
forms()
{
	local name=$1; shift
	# shellcheck disable=SC2086
	"$@" $strict -c "$apps/profiler_forms.c" -o "$tmp/$name.o" &&
		"$@" $strict -c "$apps/profiler_other.c" -o "$tmp/$name.other.o" &&
		"$@" $strict -fPIC -shared -fvisibility=hidden "$apps/profiler_other.c" -o "$tmp/lib$name.so" &&
		"$@" -x none "$tmp/$name.o" "$tmp/$name.other.o" -o "$tmp/$name" -pthread -ldl &&
		"$@" -x none "$tmp/$name.o" -o "$tmp/$name.shared" -L"$tmp" -l"$name" -Wl,-rpath,"$tmp" -pthread -ldl
}

# shares PROFILE TRUTH: each share within 2 points of what the program's clock says.
shares()
{
	"$python" - "$@" <<'END'
import re, sys
said = {name: float(share) for share, name in re.findall(r"^ *([0-9.]+)% (.*)$", open(sys.argv[1]).read(), re.M)}
for name, share in re.findall(r"^(\w+): ([0-9.]+)$", open(sys.argv[2]).read(), re.M):
    print(f"{name}: {said.get(name)} for {share}")
    if abs(said.get(name, -99) - float(share)) > 2: sys.exit(1)
END
}

# shape PROFILE: its layout, without the numbers.
shape() { sed -E 's/[0-9]+ samples/N samples/; s/[0-9]+\.[0-9]{2}%/N%/' "$1"; }

plan 35
for language in c:c11 c++:c++11 c++:c++17; do
	standard=${language#*:}
	compiler=${CC:-cc}
	test "${language%:*}" = c || compiler="${CXX:-c++}"
	# shellcheck disable=SC2086
	ok "$standard, pedantic: compiles without a warning" forms "$standard" $compiler -x "${language%:*}" -std="$standard"
	ok "$standard: labels, start and finish are as the header says" timeout 60 "$tmp/$standard" forms
	ok "$standard: ... with a source file in a shared library" timeout 60 "$tmp/$standard.shared" forms
done

# profiled PART: its profile is in $tmp/PART, and what its clock says in $tmp/truth. Up to five times, until the shares agree: who takes the samples may not get
# the processor for a while, and then misses some.
profiled()
{
	local status
	for _ in 1 2 3 4 5; do
		timeout 60 "$tmp/c11" "$1" >"$tmp/$1" 2>"$tmp/truth"
		status=$?
		if test "$status" != 0 || shares "$tmp/$1" "$tmp/truth" >/dev/null; then break; fi
	done
	return $status
}

profiled example
is "$?" 0 "the document's example runs"
is "$(shape "$tmp/example" | sort | uniq -c | sed 's/^ *//')" "$(sort <<'END' | uniq -c | sed 's/^ *//'

tracelayer profile (1 threads, N samples)
N% Foo
    N% Bar
    N% other
N% other (outside of any label)

END
)" "... its profile has the document's layout"
ok "... and shares within 2 points" shares "$tmp/example" "$tmp/truth"
diag "$(cat "$tmp/example")"
profiled workers
is "$(sed -nE '2s/[0-9]+ samples/N samples/p' "$tmp/workers")" "tracelayer profile (5 threads, N samples)" "main and four workers: five threads"
ok "... 80 % and 20 %, within 2 points" shares "$tmp/workers" "$tmp/truth"
ok "2,000 threads that come and go leave nothing registered" timeout 60 "$tmp/c11" many


is "$(timeout 60 "$tmp/c11" tree)" "$(cat <<'END'

tracelayer profile (2 threads, 8 samples)
37.50% other (outside of any label)
25.00% A
    12.50% over
    12.50% under
    0.00% other
25.00% B
12.50% Z
    12.50% whole
    0.00% other


tracelayer profile (0 threads, 7 samples)


tracelayer profile (0 threads, 0 samples)
END
)" "texts merge, ties are in order, other stands by its weight, without labels there is no row"

timeout 60 "$tmp/c11" forms >"$tmp/forms"
unlike "$(cat "$tmp/forms")" "never sampled" "threads that did not register are not sampled"
like "$(sed -n '2,/^$/p' "$tmp/forms")" "first" "a label that was changed counts as what it is"
unlike "$(sed '2,/^$/d' "$tmp/forms")" "first" "a second profile has none of the first one's samples"
ok "a forked child is profiled by itself, and its parent goes on" timeout 60 "$tmp/c11" fork
timeout 60 "$tmp/c11" deep >"$tmp/deep" 2>"$tmp/deep.said"
is "$(grep -c '% top\|% down' "$tmp/deep")" 253 "labels beyond 253 are cut"
like "$(cat "$tmp/deep.said")" '^tracelayer: profile: [0-9]+ samples had more than 253 labels' "... which is said"
# shellcheck disable=SC2086
ok "with TRACELAYER_PROFILER_ABORT" ${CC:-cc} $strict -O0 -DTRACELAYER_PROFILER_ABORT "$apps/profiler_forms.c" "$apps/profiler_other.c" -o "$tmp/strict" \
	-pthread -ldl
(ulimit -c 0; timeout 60 "$tmp/strict" deep) >"$tmp/deep" 2>"$tmp/deep.said"
is "$?" 134 "... too many labels abort"
(ulimit -c 0; timeout 60 "$tmp/strict" forms) >/dev/null 2>"$tmp/forms.said"
is "$?" 134 "... and so does a finish without a start"

# --- compiled out
# compile OPTION…: what is on stdin.
compile()
{
	# shellcheck disable=SC2086
	${CC:-cc} -x c -std=c11 $strict -c - -o "$tmp/out.o" "$@"
}
labels='#include <tracelayer/profiler.h>
int f(int); int f(int i) { TL_PROFILE_SCOPE_NAMED("f", scope); TL_PROFILE_SCOPE("g"); TL_PROFILE_UPDATE(scope, "h"); tl_profile_thread(); return i; }'
ok "without TRACELAYER_PROFILING labels compile" compile <<<"$labels"
is "$(nm "$tmp/out.o" | awk '{ print $NF }' | tr '\n' ' ')" "f " "... to nothing"
nok "... and a start does not" compile <<<'#include <tracelayer/profiler.h>
int f(void); int f(void) { return tl_profile_start(); }'
like "$(cat "$tmp/.ok")" "define TRACELAYER_PROFILING" "... which is explained"
for on in -DTRACELAYER_PROFILING -UTRACELAYER_PROFILING; do
	nok "a text that is no literal does not compile ($on)" compile "$on" <<<'#include <tracelayer/profiler.h>
void f(const char *text); void f(const char *text) { TL_PROFILE_SCOPE(text); }'
done

# --- data races
if works thread; then
	# shellcheck disable=SC2086
	ok "it builds with -fsanitize=thread" ${CC:-cc} $strict -g -fsanitize=thread "$apps/profiler_forms.c" "$apps/profiler_other.c" -o "$tmp/tsan" \
		-pthread -ldl
	for part in workers many example; do
		ok "... and has no data race: $part" timeout 120 "$tmp/tsan" "$part"
	done
else
	skip 4 "ThreadSanitizer does not work on this machine"
fi
