#!/bin/bash
# SPDX-License-Identifier: MIT
# This project's OpenCL programs on PoCL, with and without tracelayer: their output, files, exit codes and numbers of calls are the same.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
: >"$tmp/begun"
. "$top_srcdir/tests/lib/whole.sh"
need_library
plan 45

apps=$top_builddir/tests/apps

# The driver compiles its kernels once; from then on two runs are alike.
"$apps/cl_vector_add" >/dev/null

counted_program "vector addition" "$apps/cl_vector_add"
# (ltrace loses programs of several threads of their own; tests/whole/cl_many_threads.sh has those.)
counted_program "vector addition, again and again" "$apps/cl_vector_add" -i "${STRESS:+2}20" -n 4096
counted_program "callbacks" "$apps/cl_callbacks"
unlike "$(cat "$tmp/traced.out")" WRONG "callbacks: what they were given was right"
counted_program "hostile arguments" "$apps/cl_hostile"
# The program prints each code.
is "$(grep -o '"errcode_ret":"CL_INVALID_KERNEL_NAME"' "$tmp/t.json" | wc -l)" "$(grep -c '^clCreateKernel.*: -46$' "$tmp/traced.out")" \
	"hostile arguments: a call that failed has its error code"
is "$(grep -c '"errcode_ret":"0x[1-9a-f]' "$tmp/t.json")" 0 "... and none has the code's address"
counted_program "errno, descriptors, signals: exit(7)" "$apps/cl_errno" -e 7

# The same with fewer and with no arguments recorded: other code runs then.
for args in none scalars; do
	TRACELAYER_ARGS=$args; export TRACELAYER_ARGS
	counted_program "hostile arguments, $args recorded" "$apps/cl_hostile"
	unset TRACELAYER_ARGS
done

# Each way to end. A trace is there for all that end by themselves.
for end in "-n" "-c" "-f"; do
	same_program "ends by $end" "$apps/cl_errno" $end
	ok "ends by $end: a sound trace" "$python" "$top_srcdir/tests/lib/check_trace.py" "$tmp/t.json"
done
for signal in 15 9 6 11 34; do
	same_program "ends by signal $signal" "$apps/cl_errno" -s "$signal"
done
same_program "ends by _exit" "$apps/cl_errno" -_ 9
same_program "ends by quick_exit" "$apps/cl_errno" -q 4

# Files that it writes.
"$apps/cl_vector_add" -o "$tmp/sums" >/dev/null
traced "$tmp/t.json" "$apps/cl_vector_add" -o "$tmp/sums.traced" >/dev/null
same "$tmp/sums" "$tmp/sums.traced" "the file that it writes is the same"
is "$(stat -c %a "$tmp/sums.traced")" "$(stat -c %a "$tmp/sums")" "and has the same mode"

# The wrong result is seen as wrong: the comparison itself works.
nok "a changed line would be seen" sh -c 'sed s/exit/left/ "$0/bare.out" | diff -a "$0/bare.out" -' "$tmp"

# No traced call: no file, no word, no open descriptor.
mkdir "$tmp/empty"
(cd "$tmp/empty" && LD_PRELOAD=$libtracelayer "$apps/cl_none" >out 2>&1; echo "exit code $?" >>out)
is "$(cat "$tmp/empty/out")" "exit code 0" "a program that makes no call prints nothing more"
is "$(ls "$tmp/empty")" out "and leaves no file"
# Without a name given, the trace lands in the folder that the program was started in.
(cd "$tmp/empty" && LD_PRELOAD=$libtracelayer "$apps/cl_vector_add" >/dev/null 2>err)
is "$(cat "$tmp/empty/err")" "" "nothing is said on stderr"
like "$(ls "$tmp/empty")" '^trace\.cl_vector_add\.[0-9]+\.json$' "the trace has its default name"

# Names that no polite program has, as they come out of Python's parser.
traced "$tmp/t.json" "$apps/cl_hostile" >/dev/null
"$apps/cl_hostile" -l >"$tmp/names"
ok "hostile names are in the trace as they were, what is no UTF-8 replaced" \
	"$python" "$top_srcdir/tests/lib/check_names.py" "$tmp/t.json" "$tmp/names"
forget_buffers cl_errno
