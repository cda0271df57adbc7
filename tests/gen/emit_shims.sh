#!/bin/sh
# SPDX-License-Identifier: MIT
# Code made by tracegen: compiles in silence with each compiler there is, is the same each time, and passes calls on rightly. An API made
# up of difficulties (tests/gen/emit/odd.h), zlib and SQLite; the runtime is a stand-in (tests/gen/emit/runtime.c), so that both ways through a
# shim can be looked at.
set -u
here=$top_srcdir/tests/gen/emit
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
count=0
failed=0

say() {
	count=$((count + 1))
	if test "$1" = 0; then
		echo "ok $count - $2"
	else
		echo "not ok $count - $2"
		failed=1
		test -z "${3:-}" || sed 's/^/# /' "$3"
	fi
}

# The cases of a program that prints TAP, numbered on.
run_cases() {
	timeout 60 "$1" >"$work/cases" 2>&1
	code=$?
	while IFS= read -r line; do
		case $line in
		"ok "*) say 0 "${line#*- } ($2)" ;;
		"not ok "*) say 1 "${line#*- } ($2)" ;;
		esac
	done <"$work/cases"
	test $code -le 1 && grep -q '^1\.\.' "$work/cases"
	say $? "$(basename "$1") comes to its end ($2)" "$work/cases"
}

include="-I$top_srcdir/include -I$here"
link="-Wl,--no-as-needed,-rpath,$work"
warnings="-Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes -Wpointer-arith -Wwrite-strings -Werror"

make_api() { # NAME, then what tracegen is told
	name=$1
	shift
	mkdir -p "$work/$name" "$work/again"
	"$top_builddir/tracegen" emit "$@" -o "$work/$name" -- -I"$here" >"$work/log" 2>&1 &&
		"$top_builddir/tracegen" emit "$@" -o "$work/again" -- -I"$here" >/dev/null 2>&1
	say $? "$name: code is made" "$work/log"
	same=0
	for file in "$work/$name"/*; do
		cmp -s "$file" "$work/again/${file##*/}" || same=1
	done
	say $same "$name: the same input gives the same output"
}

# SQLite's 280 functions take a compiler 12 s. What is emitted for them has the forms of the other two, which are built with -O2: the short form of
# the test has a part of them, built without optimisation, and shows that theirs is right C, and passes calls on. STRESS=1 (make stress): all of them.
level_of() { if test "$1" = sqlite3 && test -z "${STRESS:-}"; then echo -O0; else echo -O2; fi; }
build_api() { # NAME COMPILER
	level=$(level_of "$1")
	# shellcheck disable=SC2086
	$2 -std=c11 $level -fPIC -fexceptions $warnings $include -shared -DTL_SHIM_LIBRARY -o "$work/lib$1-shims.so" \
		"$work/$1/$1_shims.c" "$work/$1/$1_tables.c" >"$work/log" 2>&1
	code=$?
	test -s "$work/log" && code=1
	say $code "$1: compiles without a warning ($2)" "$work/log"
}

# Those that the test calls, and others that take functions, text, structs and any number of arguments.
sqlite_part='sqlite3_(libversion|close|exec|v?mprintf|open|prepare_v2|bind_(int64|text|blob)|step|finalize|free|create_.*|column_(double|text|blob)|value_(double|text)'
sqlite_part=$sqlite_part'|result_(double|text|value)|set_authorizer|trace_v2|progress_handler|auto_extension|vfs_.*|serialize|snapshot_.*|rtree_.*|log)'
python=/usr/bin/python3
test -x $python || python=python3

make_api odd --api "$here/odd.json"
make_api zlib /usr/include/zlib.h
if test -n "${STRESS:-}"; then
	make_api sqlite3 /usr/include/sqlite3.h
else
	"$top_builddir/tracegen" model /usr/include/sqlite3.h -o "$work/model.json" 2>"$work/log" &&
		"$python" -B "$top_srcdir/tests/gen/model_part.py" "$work/model.json" "$sqlite_part" >"$work/log" 2>&1
	say $? "sqlite3: $(tail -n 1 "$work/log") functions, of all sorts"
	make_api sqlite3 --model "$work/model.json"
fi
printf '%s\n' odd_variadic >"$work/expected"
sed -n 's/^ \*	\([a-z0-9_]*\): .*variadic.*/\1/p' "$work/odd/odd_shims.c" | cmp -s - "$work/expected"
say $? "functions that are left out are listed with the reason"
grep -c '{"result_",' "$work/odd/odd_tables.c" | grep -qx 1 && ! grep -q '{"result",' "$work/odd/odd_tables.c"
say $? "a parameter that is called as what a trace adds itself has a name of its own"
sort -c "$work/odd/odd.exports" && test "$(wc -l <"$work/odd/odd.exports")" = 23
say $? "exports are listed in order"

for compiler in "$CC" gcc gcc-12 clang clang-14; do
	case " ${done:-} " in *" $compiler "*) continue ;; esac
	command -v "${compiler%% *}" >/dev/null || continue
	done="${done:-} $compiler"
	# The compiler behind "gcc" is one of the two.
	version=$($compiler --version | sed -n "1s/^[^ ]* //p")
	case "${versions:-}" in *"$version"*) continue ;; esac
	versions="${versions:-}|$version"
	for api in odd zlib sqlite3; do
		build_api $api "$compiler"
	done
	# shellcheck disable=SC2086
	$compiler -O1 -fPIC -shared $include -o "$work/libodd.so" "$here/odd.c" &&
		$compiler -std=gnu11 -D_GNU_SOURCE -O1 -fPIC -shared $include -o "$work/libruntime.so" "$here/runtime.c" &&
		$CXX -std=c++17 -Wall -Wextra -Werror $include -I"$work/odd" -o "$work/odd_test" "$here/odd_test.cc" \
			$link "$work/libodd-shims.so" "$work/libruntime.so" "$work/libodd.so" >"$work/log" 2>&1
	say $? "odd_test is built, with the callbacks header in C++ ($compiler)" "$work/log"
	run_cases "$work/odd_test" "$compiler"
	for api in zlib:z sqlite3:sqlite3; do
		name=${api%:*}
		# shellcheck disable=SC2086
		$compiler -std=gnu11 $include -o "$work/${name%3}_test" "$here/${name%3}_test.c" \
			$link "$work/lib$name-shims.so" "$work/libruntime.so" -l"${api#*:}" >"$work/log" 2>&1
		say $? "${name%3}_test is built ($compiler)" "$work/log"
		run_cases "$work/${name%3}_test" "$compiler"
	done
done
echo "1..$count"
exit $failed
