# SPDX-License-Identifier: MIT
# count_calls.sh: an independent count of the calls that a program makes into libraries: a library to preload, which has an entry for each function
# that they export. An entry counts the call, unless the function's own library makes it, and jumps to the real function with all registers as they were.
#
#	counter "$tmp/counter.so" /usr/lib/x86_64-linux-gnu/libz.so.1
#	LD_PRELOAD=$tmp/counter.so COUNT_CALLS=$tmp/counts gzip file
#
# $tmp/counts has "NAME CALLS" lines at the end. For x86-64.

# counter OUTPUT LIBRARY…. TOGETHER=1: the libraries are one API, and what one calls of another does not count.
counter()
{
	local output=$1 library; shift
	{
		echo 'static const char *const libraries[] = {'
		for library in "$@"; do echo "\"$library\","; done
		echo '};'
		for library in "$@"; do
			nm -D --defined-only "$library" | awk '$2 ~ /[TWi]/ { sub(/@.*/, "", $3); if ($3 !~ /^_(init|fini)$/) print $3 }'
		done | LC_ALL=C sort -u | awk '{ printf "FUNCTION(%d, %s)\n", NR - 1, $1 }' >"$output.list"
		cat "$top_srcdir/tests/lib/count_calls.c"
	} >"$output.c"
	${CC:-cc} -O1 -fPIC -shared -DTOGETHER="${TOGETHER:-0}" -DLIST="\"$output.list\"" -o "$output" "$output.c"
}
