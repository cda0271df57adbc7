# SPDX-License-Identifier: MIT
# whole.sh: sourced by the whole-program tests, after lib.sh. A program is run bare, under ltrace, and under tracelayer; what it
# says and how it ends must be the same, and each function must have as many slices as ltrace saw calls enter the real library.
#
# ltrace sets a breakpoint at each exported function of libOpenCL.so.1, so it sees calls by linked and by looked-up pointers
# alike, and shares nothing with tracelayer. It counts in a run of its own, untraced: the programs make the same calls each time.

# Drivers and programs keep caches and settings; none of them may differ from run to run, or be the user's.
export HOME=$tmp/home XDG_CACHE_HOME=$tmp/home/cache XDG_DATA_HOME=$tmp/home/data
export TMPDIR=$tmp/home/tmp
# GiB. Without it PoCL's memory depends on what the machine has free just then.
export POCL_MEMORY_LIMIT=4
mkdir -p "$XDG_CACHE_HOME" "$XDG_DATA_HOME" "$TMPDIR"

# What a program prints that differs between two runs of it without us; a test may define its own.
normalise() { cat; }

# say_and_end NAME COMMAND…: what it prints, and how it ends, into $tmp/NAME.out, .err
say_and_end()
{
	local name=$1; shift
	# In a shell of its own, which keeps its remarks about signals to itself.
	(
		timeout -k 5 300 "$@" >"$tmp/$name.raw" 2>"$tmp/$name.rawerr" </dev/null
		echo "exit code $?" >>"$tmp/$name.raw"
	) 2>/dev/null
	normalise <"$tmp/$name.raw" >"$tmp/$name.out"
	normalise <"$tmp/$name.rawerr" >"$tmp/$name.err"
}

# "NAME CALLS" of each OpenCL function that a command called, by ltrace's word. ltrace sometimes kills a program of several threads:
# a count is worth something only if the program said all that it had to, so that run is made again otherwise.
ltrace_counts()
{
	local try
	for try in 1 2 3 4 5 6 7 8; do
		timeout -k 5 300 ltrace -f -c -o "$tmp/ltrace.raw" -e NOTHING@MAIN -x 'cl*@libOpenCL.so*' "$@" \
			2>/dev/null </dev/null | normalise >"$tmp/ltrace.out"
		sed '$d' "$tmp/bare.out" | cmp -s - "$tmp/ltrace.out" && break
	done
	awk 'NF == 5 && $5 ~ /^cl[A-Z]/ { print $5, $4 }' "$tmp/ltrace.raw" | sort
}

# same_program DESCRIPTION COMMAND…: two results. Its trace is left in $tmp/t.json.
same_program()
{
	local what=$1; shift
	say_and_end bare "$@"
	rm -f "$tmp/t.json"
	say_and_end traced env LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT="$tmp/t.json" "$@"
	ok "$what: says the same and ends the same" \
		sh -c 'diff -a "$0/bare.out" "$0/traced.out" && diff -a "$0/bare.err" "$0/traced.err"' "$tmp"
}

# counted_program DESCRIPTION COMMAND…: three results.
counted_program()
{
	local what=$1; shift
	same_program "$what" "$@"
	ltrace_counts "$@" >"$tmp/want"
	local calls=$(awk '{ n += $2 } END { print n + 0 }' "$tmp/want")
	ok "$what: ltrace counts calls" test "$calls" -gt 0
	ok "$what: a sound trace, with a slice for each of the $calls calls that ltrace counted" \
		"$python" "$top_srcdir/tests/lib/check_trace.py" --counts "$tmp/want" "$tmp/t.json"
}
