# SPDX-License-Identifier: MIT
# sanitizers.sh: programs with the layer's core under a sanitizer. Source it after lib.sh. make check-stacks builds the core
# with each sanitizer first, once for all tests (tests/lib/local.mk); a test compiles its own file and links it with that.

# For a test that is run by hand: they are made then, or made again from the sources as they are now.
need_sanitized()
{
	test "${SANITIZED-}" != built || return 0
	(
		flock 9
		cd "$top_builddir" && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s "$@"
	) 9<"$top_builddir/Makefile"
}

# unit_tests PROGRAM: tests by Check, whose own lines go to a file. It prints those that failed.
unit_tests()
{
	CK_TAP_LOG_FILE_NAME="$tmp/tap" "$1" && return
	grep '^not ok' "$tmp/tap"
	return 1
}

# works SANITIZER: on this machine.
works()
{
	echo 'int main(void) { return 0; }' >"$tmp/empty.c"
	${CC:-cc} "-fsanitize=$1" "$tmp/empty.c" -o "$tmp/empty" 2>/dev/null && "$tmp/empty"
}

# with_core SANITIZER PROGRAM SOURCE OPTION...: compile the file and link it with the toy API (core_doubles.c) and the core.
# SANITIZER: thread, or address,undefined. REAL_WRITER=1: with the layer's own writer in place of the toy one.
with_core()
{
	local sanitizer=$1 program=$2 source=$3 kind writer=
	local flags="-D_GNU_SOURCE -O1 -g -w -fexceptions -fsanitize=$1 -fno-sanitize-recover=undefined -DTL_PIN_SEQ_CST"
	flags="$flags -I$top_srcdir/include -I$top_srcdir -I$top_builddir -pthread"
	shift 3
	case $sanitizer in thread) kind=tsan ;; *) kind=asan ;; esac
	test -z "${REAL_WRITER-}" || writer="$top_builddir/libtl_writer_$kind.a -ldeflate" flags="$flags -DCORE_REAL_WRITER"
	# shellcheck disable=SC2086
	need_sanitized libtl_core_$kind.a ${writer:+libtl_writer_$kind.a} || return
	${CC:-cc} -std=gnu11 $flags -c "$top_srcdir/tests/lib/core_doubles.c" -o "$program.doubles.o" || return
	case $source in
	*.cc) set -- ${CXX:-c++} $flags "$source" "$program.doubles.o" "$@" ;;
	*) set -- ${CC:-cc} -std=gnu11 $flags "$source" "$program.doubles.o" "$@" ;;
	esac
	# shellcheck disable=SC2086
	"$@" -Wl,--start-group "$top_builddir/libtl_core_$kind.a" $writer -Wl,--end-group -o "$program"
}
