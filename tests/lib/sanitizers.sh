# SPDX-License-Identifier: MIT
# sanitizers.sh: what tests share that build the layer's core with a sanitizer. After lib.sh.

# works SANITIZER: on this machine.
works()
{
	echo 'int main(void) { return 0; }' >"$tmp/empty.c"
	${CC:-cc} "-fsanitize=$1" "$tmp/empty.c" -o "$tmp/empty" 2>/dev/null && "$tmp/empty"
}

# core_objects SANITIZER OPTION...: the layer's core and the toy API, compiled with the sanitizer; their names are in $objects. -w: see core_tsan.sh.
core_objects()
{
	local sanitizer=$1 name
	shift
	objects=
	for name in $(sources_of libtl_core_la layer) $(sources_of libtl_format_la format) $(sources_of libtl_common_la common) tests/lib/core_doubles; do
		${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -g -w -fexceptions "-fsanitize=$sanitizer" "$@" -I"$top_srcdir/include" \
			-I"$top_srcdir" -I"$top_builddir" -c "$top_srcdir/$name.c" -o "$tmp/$sanitizer.${name//\//_}.o" || return
		objects="$objects $tmp/$sanitizer.${name//\//_}.o"
	done
}
