#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer/nntrace.h in C and in C++: what its marks are, in tracelayer's trace and in a trace_marker; what does not compile; threads, forks, exits, pauses.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
strict="-D_GNU_SOURCE -O2 -fexceptions -pedantic -Wall -Wextra -Werror -I$top_srcdir/include"

# forms NAME COMPILER…: the program of all forms, once with the library linked.
forms()
{
	local name=$1; shift
	# shellcheck disable=SC2086
	"$@" $strict "$top_srcdir/tests/apps/nntrace_forms.c" -o "$tmp/$name" -ldl -lpthread &&
		"$@" $strict -DTRACELAYER_LINKED "$top_srcdir/tests/apps/nntrace_forms.c" -o "$tmp/$name.linked" \
			-L"${libtracelayer%/*}" -ltracelayer -lpthread -Wl,-rpath,"${libtracelayer%/*}"
}

# marks FILE: of a trace, its marks in their order, thread by thread: what begins, and E.
marks()
{
	"$python" - "$1" <<-'END'
	import collections, json, sys
	by = collections.OrderedDict()
	for x in json.load(open(sys.argv[1])):
	    if x.get("cat") == "nntrace,runtime":
	        by.setdefault(x["tid"], []).append(x)
	for events in by.values():
	    assert [x["ts"] for x in events] == sorted(x["ts"] for x in events)
	    for x in events:
	        print(x["name"] if x["ph"] == "B" else x["ph"])
	END
}

# The rows of the contract, then the other forms, as they are marked.
cat >"$tmp/want" <<'END'
[NN_LR_PP]funcP
E
[NN_LA_PP]funcA1
[NN_LR_PP]funcR1
E
E
[NN_LC_PTR]funcC1
[SW][NN_LC_PCO]funcC1
E
E
[NN_LR_PE]funcR2
[NN_LC_PCO]funcC2
E
E
[NN_LR_PE]funcR3
[NN_LR_PE]funcR4
E
E
[NN_LR_PC]funcR5
[NN_LI_PI]getCapabilities
E
E
[NN_LI_PC]prepareModel
[SUB][NN_LR_PC]VersionedIDevice::prepareModel
E
E
[NN_LR_PP]funcR6
[NN_LU_PU]funcU
E
E
[NN_LA_PO]run
[SW][NN_LA_PWU]warm
[SW][NN_LA_PBM]bench
[NN_LR_PE]in
[SW][NN_LR_PIO]in
E
E
[NN_LC_PE]loop
[SW][NN_LC_PR]loop
[NN_LO_PT]first
[NN_LD_PE]second
E
E
E
E
[NN_LC_PE]loop
[SW][NN_LC_PR]loop
[NN_LO_PT]first
[NN_LD_PE]second
E
E
E
E
E
E
E
[NN_LA_PO]run
[SW][NN_LA_PWU]warm
[SW][NN_LA_PBM]bench
[NN_LR_PE]in
[SW][NN_LR_PIO]in
E
E
E
E
E
END

plan 53
for language in c:c11 c++:c++11 c++:c++17; do
	standard=${language#*:}
	compiler=${CC:-cc}
	test "${language%:*}" = c || compiler="${CXX:-c++}"
	# shellcheck disable=SC2086
	ok "$standard, pedantic: compiles without a warning" forms "$standard" $compiler -x "${language%:*}" -std="$standard"
	ok "$standard: without the library nothing happens" timeout 60 "$tmp/$standard"
	traced "$tmp/$standard.json" timeout 60 "$tmp/$standard"
	is $? 0 "$standard: traced, the program runs, and keeps its errno"
	marks "$tmp/$standard.json" >"$tmp/got"
	same "$tmp/got" "$tmp/want" "$standard: the trace has every mark, begun and ended where it was"
	ok "$standard: linked, and not recording" timeout 60 "$tmp/$standard.linked"
	ok "$standard: linked, and recording" env TRACELAYER_OUTPUT="$tmp/$standard.linked.json" timeout 60 "$tmp/$standard.linked"
	marks "$tmp/$standard.linked.json" >"$tmp/got"
	same "$tmp/got" "$tmp/want" "$standard: ... has them, too"
done

# compiles TEXT: a function of these lines does.
compiles()
{
	printf '#include <tracelayer/nntrace.h>\nvoid f(const char *text);\nvoid f(const char *text)\n{\n\t(void)text;\n%s\n}\n' "$1" >"$tmp/one.c"
	# shellcheck disable=SC2086
	${CC:-cc} -std=c11 $strict -c "$tmp/one.c" -o "$tmp/one.o" && { test "${2:-}" = c ||
		${CXX:-c++} -x c++ -std=c++11 $strict -c "$tmp/one.c" -o "$tmp/one.o"; }
}
ok "a switch behind a basic mark compiles" compiles 'NNTRACE_TRANS("a"); NNTRACE_COMP_SWITCH("a");'
ok "... also in a block within" compiles 'NNTRACE_TRANS("a"); { NNTRACE_COMP_SWITCH("a"); }'
ok "... and two of them" compiles 'NNTRACE_TRANS("a"); NNTRACE_COMP_SWITCH("a"); NNTRACE_COMP_SWITCH("b");'
nok "a switch without one does not" compiles 'NNTRACE_COMP_SWITCH("a");'
like "$(cat "$tmp/.ok")" "tl_nntrace_basic" "... and the compiler says what is missing"
nok "... nor behind one whose block has ended" compiles '{ NNTRACE_TRANS("a"); } NNTRACE_COMP_SWITCH("a");'
nok "... nor behind what only subtracts" compiles 'NNTRACE_FULL_SUBTRACT("LR", "PC", "a"); NNTRACE_COMP_SWITCH("a");'
nok "two basic marks in one block do not" compiles 'NNTRACE_TRANS("a"); NNTRACE_COMP("b");'
nok "a detail that is no literal does not" compiles 'NNTRACE_COMP(text);'

nok "strict C11 has no POSIX" ${CC:-cc} -std=c11 -I"$top_srcdir/include" -c "$tmp/one.c" -o "$tmp/one.o"
like "$(cat "$tmp/.ok")" "needs POSIX: compile with -std=gnu11" "... which is explained"
printf '#include <tracelayer/nntrace.h>\n' >"$tmp/one.c"
ok "... and with _POSIX_C_SOURCE it has" ${CC:-cc} -std=c11 -pedantic -Werror -D_POSIX_C_SOURCE=200809L -I"$top_srcdir/include" -c "$tmp/one.c" -o "$tmp/one.o"

# The kernel's way: what is written, in whose name.
printf '' >"$tmp/marker"
env TRACELAYER_TRACE_MARKER="$tmp/marker" timeout 60 "$tmp/c11" && sed -E 's/^B\|[0-9]+\|//; s/^E\|[0-9]+$/E/' "$tmp/marker" >"$tmp/got"
same "$tmp/got" "$tmp/want" "a trace_marker gets all of it, without the library"
like "$(sed -E 's/\|.*//' "$tmp/marker" | sort | uniq -c | tr -s ' \n' ' ')" "^ ([0-9]+) B \1 E $" "... each line B|PID|MARK or E|PID"
is "$(cut -d'|' -f2 "$tmp/marker" | sort -u | wc -l)" 1 "... of one process"
printf '' >"$tmp/marker"
traced "$tmp/both.json" env TRACELAYER_TRACE_MARKER="$tmp/marker" timeout 60 "$tmp/c11"
sed -E 's/^B\|[0-9]+\|//; s/^E\|[0-9]+$/E/' "$tmp/marker" >"$tmp/got"
same "$tmp/got" "$tmp/want" "... and with it"
marks "$tmp/both.json" >"$tmp/got"
same "$tmp/got" "$tmp/want" "... beside our trace"
mkfifo "$tmp/pipe"
timeout 60 cat "$tmp/pipe" >"$tmp/piped" &
reader=$!
exec 7>"$tmp/pipe"
env TRACELAYER_TRACE_MARKER="$tmp/pipe" timeout 60 "$tmp/c11" 7>&-
exec 7>&-
wait "$reader"
sed -E 's/^B\|[0-9]+\|//; s/^E\|[0-9]+$/E/' "$tmp/piped" >"$tmp/got"
same "$tmp/got" "$tmp/want" "a pipe as trace_marker gets each mark in one write"
said=$(env TRACELAYER_TRACE_MARKER="$tmp/none/marker" timeout 60 "$tmp/c11" 2>&1)
is "$? $said" "0 tracelayer: TRACELAYER_TRACE_MARKER: cannot open $tmp/none/marker: No such file or directory; mount tracefs and let this user write there, or name another file" \
	"one that can't be opened is said once, and the program runs"

for word in no off 0; do
	is "$(cd "$tmp" && env TRACELAYER_TRACE_MARKER=$word timeout 60 "$tmp/c11" 2>&1)" "" "$word: nobody asked for it"
done
mkdir -m 1777 "$tmp/sticky"; chmod 755 "$tmp"
other="setpriv --reuid=65534 --regid=65534 --clear-groups"
if test "$(id -u)" = 0 && $other mkfifo -m 666 "$tmp/sticky/marker" 2>/dev/null; then
	$other timeout 20 cat "$tmp/sticky/marker" >"$tmp/stolen" & thief=$!
	sleep 0.2
	like "$(env TRACELAYER_TRACE_MARKER="$tmp/sticky/marker" timeout 60 "$tmp/c11" 2>&1)" "cannot open $tmp/sticky/marker: Operation not permitted; " "a pipe of somebody else is refused"
	kill $thief 2>/dev/null; wait $thief 2>/dev/null
	is "$(cat "$tmp/stolen")" "" "and its reader gets nothing"
else
	skip 2 "this machine's user can't play another one"
fi

# Threads: each has its own, whole.
traced "$tmp/threads.json" timeout 120 "$tmp/c11" threads 16
is "$(marks "$tmp/threads.json" | sort | uniq -c | tr -s ' \n' ' ')" \
	" 48000 E 16000 [NN_LA_PE]outer 16000 [NN_LC_PCO]funcC2 16000 [NN_LR_PE]funcR2 " "16 threads at once: each mark is there, once"

# A fork in a mark: the child's trace has its own alone, the parent's is whole.
traced "$tmp/fork.%p.json" timeout 60 "$tmp/c11" fork
got=$(for file in "$tmp"/fork.*.json; do marks "$file" | tr '\n' ' '; echo; done | sort | tr '\n' '/')
is "$got" "[NN_LR_PP]child E /[NN_LR_PP]funcP E [NN_LA_PP]parent E /" "a child ends no mark that its parent began"

traced "$tmp/exit.json" timeout 60 "$tmp/c11" exit
is "$(marks "$tmp/exit.json" | tr '\n' ' ')" "[NN_LA_PE]left [NN_LR_PE]funcR4 E " "a mark that the program exits in stays open"
traced "$tmp/pause.json" timeout 60 "$tmp/c11" pause
is "$(marks "$tmp/pause.json" | tr '\n' ' ')" "[NN_LA_PE]around E [NN_LR_PP]funcP E " "what was begun is ended, also while recording is paused"

traced "$tmp/throw.json" timeout 60 "$tmp/c++17" throw
is "$(marks "$tmp/throw.json" | tr '\n' ' ')" "[NN_LA_PE]catches [NN_LR_PE]throws E [NN_LC_PCO]funcC2 E E " "an exception ends the marks that it leaves"
traced "$tmp/cancel.json" timeout 60 "$tmp/c11" cancel
like "$(marks "$tmp/cancel.json" | tr '\n' ' ')" '^(\[NN_LA_PE\]cancelled E )?$' "... and so does cancellation"

TRACELAYER_LEVEL=debug traced "$tmp/level.json" timeout 60 "$tmp/c11"
is "$(marks "$tmp/level.json" 2>/dev/null | wc -l)" 0 "a level without runtime leaves marks out"

# Driver calls have theirs from the descriptor.
traced "$tmp/calls.json" timeout 60 "$top_builddir/tests/apps/cl_vector_add"
like "$(grep -o '"name":"cl[A-Za-z]*","cat":"[^"]*"' "$tmp/calls.json" | sort -u | tr '\n' ' ')" \
	'clBuildProgram","cat":"opencl,runtime,NN_LD_PC".*clCreateBuffer","cat":"opencl,runtime,NN_LR_PP".*clEnqueueReadBuffer","cat":"opencl,runtime,NN_LD_PR"' \
	"driver calls have layer and phase in their category"
