#!/bin/bash
# Trace contexts under stress: 8 workers and readers, as they are built, and under sanitizers; every form of the header under sanitizers, too.
. "${top_srcdir:-.}/tests/lib.sh"

seconds=1
test -z "$STRESS" || seconds=60
layer="$(sources_of libtl_core_la layer) $(sources_of libtl_format_la format) tests/core_doubles"

# build SANITIZER: the layer's core once, and both programs with it. -w: see core_tsan.sh.
build()
{
	local sanitizer=$1 name objects=
	# shellcheck disable=SC2086
	for name in $layer; do
		${CC:-cc} $flags "-fsanitize=$sanitizer" -c "$top_srcdir/$name.c" -o "$tmp/$sanitizer.${name//\//_}.o" || return
		objects="$objects $tmp/$sanitizer.${name//\//_}.o"
	done
	# shellcheck disable=SC2086
	${CC:-cc} $flags "-fsanitize=$sanitizer" "$top_srcdir/tests/stress_contexts.c" $objects -o "$tmp/stress.$sanitizer" -pthread &&
		${CC:-cc} $flags "-fsanitize=$sanitizer" -DTRACELAYER_LINKED "$top_srcdir/tests/apps/context_forms.c" $objects \
			-o "$tmp/forms.$sanitizer" -pthread
}
flags="-std=gnu11 -D_GNU_SOURCE -O1 -g -w -fexceptions -fno-sanitize-recover=undefined -DTL_PIN_SEQ_CST -I$top_srcdir/include -I$top_srcdir -I$top_builddir"

# works SANITIZER: on this machine.
works()
{
	echo 'int main(void) { return 0; }' >"$tmp/empty.c"
	${CC:-cc} "-fsanitize=$1" "$tmp/empty.c" -o "$tmp/empty" 2>/dev/null && "$tmp/empty"
}

plan 7
ok "workers and readers for $seconds s: every event whole, once, and every call in its request" "$top_builddir/stress_contexts" "$seconds"
for sanitizer in address,undefined thread; do
	if works "$sanitizer"; then
		ok "the same builds with -fsanitize=$sanitizer" build "$sanitizer"
		ok "... and passes without a report" env ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=halt_on_error=1 "$tmp/stress.$sanitizer" "$seconds"
		ok "... and so does every form of the header" env ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=halt_on_error=1 \
			"$tmp/forms.$sanitizer" there "$tmp/forms.json"
	else
		skip 3 "-fsanitize=$sanitizer does not work on this machine"
	fi
done
