# SPDX-License-Identifier: MIT
# fuzz.sh: runs a fuzz target, for the shell tests that name one: by libFuzzer where clang has it, else by the target's own damage, with a
# sanitizer where the compiler has one. Sourced with $sources, what is compiled besides the encoders, and $what, what is shown; after lib.sh, or by
# itself. Who needs no encoders sets $encoders, and how many inputs are quick by themselves, $rounds.
format=$top_srcdir/format common=$top_srcdir/common
: "${encoders=$common/text.c $common/errno_names.c $common/levels.c $common/output_formats.c $format/args/checked_copy.c $common/stages.c $(ls "$format"/args/args_*.c "$format"/encode/*.c | grep -v "gzip\\.c\|trace_source\\.c")}"
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

echo 1..1
if build clang -fsanitize=fuzzer,$sanitize || build clang-14 -fsanitize=fuzzer,$sanitize; then
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
