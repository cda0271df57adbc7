# SPDX-License-Identifier: MIT
# For scripts that run programs in which another library stands in the place of libc's functions: builds them, runs them bare and traced, and compares.
build=$(cd "$top_builddir" && pwd)
shims=$build/.libs/libbench_shims.so
source=$top_srcdir/tests/base/libc
callee="-I$top_srcdir/bench -L$build/.libs -lbench_callee -Wl,-rpath,$build/.libs -pthread"
build_as() { local compiler=$1 output=$2; shift 2; $compiler -std=gnu11 -O1 -g "$@" -o "$tmp/$output" $callee; }

# same_and_whole WHAT CALLS COMMAND…: bare and traced say and end alike, nothing is on stderr that was not, and so many calls are in the trace. The
# preloading is what `run` does: TRACED, where the command has preloads of its own, stands for ours.
same_and_whole()
{
	local what=$1 want=$2 found
	shift 2
	rm -rf "$tmp/traces"
	mkdir "$tmp/traces"
	env -u TRACED timeout 200 "$@" >"$tmp/bare" 2>"$tmp/bare.err"
	echo "exit code $?" >>"$tmp/bare"
	TRACED="$libtracelayer:$shims" TRACELAYER_OUTPUT="$tmp/traces/t.%p.json" timeout 200 "$@" >"$tmp/traced" 2>"$tmp/traced.err"
	echo "exit code $?" >>"$tmp/traced"
	sort -o "$tmp/bare" "$tmp/bare"
	sort -o "$tmp/traced" "$tmp/traced"
	ok "$what: says the same and ends the same" sh -c 'diff -a "$0/bare" "$0/traced" && diff -a "$0/bare.err" "$0/traced.err"' "$tmp"
	found=$(cat "$tmp/traces/"*.json 2>/dev/null | grep -c '"name":"bench_')
	is "$found" "$want" "$what: every call is in the trace"
}
# with COMMAND…: preloads what TRACED says, before what is preloaded already.
cat >"$tmp/with" <<'END'
#!/bin/sh
if test -n "$TRACED"; then LD_PRELOAD=$TRACED${LD_PRELOAD:+:$LD_PRELOAD}; export LD_PRELOAD; fi
exec "$@"
END
# behind: the same, after it.
sed 's/=\$TRACED.*; export/=${LD_PRELOAD:+$LD_PRELOAD:}$TRACED; export/' "$tmp/with" >"$tmp/behind"
chmod +x "$tmp/with" "$tmp/behind"
