# SPDX-License-Identifier: MIT
# fuzz.sh: runs a fuzz target, for the shell tests that name one: by libFuzzer where clang has it, else by the target's own damage, with a
# sanitizer where the compiler has one. Sourced with $sources, what is compiled besides the encoders, and $what, what is shown; after lib.sh, or by
# itself. A target without encoders sets $encoders, and how many inputs are quick by themselves, $rounds.
format=$top_srcdir/format common=$top_srcdir/common
shared=
if test -z "${encoders+set}"; then
	shared=1
	encoders="$common/text.c $common/errno_names.c $common/levels.c $common/output_formats.c $format/args/checked_copy.c $common/stages.c $format/file/stack_text.c
		$(ls "$format"/args/args_*.c "$format"/encode/*.c | grep -v "gzip\\.c\|deflate\\.c\|deflate_codes\\.c\|prefix_code\\.c\|trace_source\.c")"
fi
flags="-std=gnu11 -D_GNU_SOURCE -I$top_srcdir/include -I$top_srcdir -g -O1 $(pkg-config --cflags jansson)"
libs=$(pkg-config --libs jansson)
seconds=${FUZZ_SECONDS:-4}
if test -z "${tmp-}"; then
	tmp=$(mktemp -d) || exit 99
	trap 'rm -rf "$tmp"' EXIT
fi
sanitize="address,undefined -fno-sanitize-recover=undefined"

build() {
	# shellcheck disable=SC2086
	"$@" $flags $encoders $sources $libs -o "$tmp/fuzz" 2>"$tmp/build.log"
}

# compile_shared ARCHIVE COMPILER: the encoders, which several targets use, into an archive.
compile_shared() {
	local source folder=$tmp/shared
	mkdir -p "$folder"
	for source in $encoders; do
		# shellcheck disable=SC2086
		"$2" -fsanitize=fuzzer-no-link,$sanitize $flags -c "$source" -o "$folder/$(basename "$source" .c).o" 2>"$tmp/build.log" || return
	done
	rm -f "$1.new"
	ar rcs "$1.new" "$folder"/*.o && mv "$1.new" "$1"
}

# build_fuzzer COMPILER: with libFuzzer. The first test that needs the shared archive makes it; the others wait for it.
build_fuzzer() {
	local archive=$top_builddir/fuzz_encoders.$1.a
	command -v "$1" >/dev/null || return
	if test "$shared"; then
		(
			flock 9
			test -f "$archive" && test -z "$(find "$common" "$format" "$top_srcdir/include" -name '*.[ch]' -newer "$archive" -print -quit)" ||
				compile_shared "$archive" "$1"
		) 9>"$archive.lock" || return
		(encoders='' sources="$sources $archive" && build "$1" -fsanitize=fuzzer,$sanitize)
	else
		build "$1" -fsanitize=fuzzer,$sanitize
	fi
}

echo 1..1
if build_fuzzer clang || build_fuzzer clang-14; then
	how="libFuzzer, $seconds seconds"
	set -- -max_total_time="$seconds" -max_len=1200 -artifact_prefix="$tmp/"
elif build $CC -DFUZZ_STANDALONE -fsanitize=$sanitize; then
	how="own damage, with a sanitizer"
	set -- "${rounds:-100000}"
else
	how="own damage"
	set -- $((3 * ${rounds:-100000}))
	build $CC -DFUZZ_STANDALONE || { sed 's/^/# /' "$tmp/build.log"; echo "not ok 1 - the fuzzer builds"; exit 1; }
fi
if (cd "$tmp" && timeout $((seconds + 120)) ./fuzz "$@" >log 2>&1); then
	echo "ok 1 - $what ($how)"
else
	tail -n 60 "$tmp/log" | sed 's/^/# /'
	echo "not ok 1 - $what ($how)"
	exit 1
fi
