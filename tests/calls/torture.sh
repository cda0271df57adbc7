#!/bin/bash
# SPDX-License-Identifier: MIT
# The generic entry against random signatures: all scalar types, structs by value, long double, _Complex, __int128, vectors, many arguments,
# variadic functions. A callee checks each bit of what arrives, the caller each bit of what comes back: bare, with nobody watching, recorded
# in each way, and with tracers; where the functions return, throw, or are cancelled. make stress: 1,000 signatures.
. "${top_srcdir:-.}/tests/lib/lib.sh"
need_library
here=$(cd "$top_srcdir/tests/calls" && pwd)
seeds="$((RANDOM % 100000))" count=120
test -z "${STRESS-}" || seeds="1 2 3 4 5" count=200
test -z "${TORTURE_SEED-}" || seeds=$TORTURE_SEED
# Where vectors of more than 16 bytes are passed depends on the compiler's options.
options=default
grep -qw avx512f /proc/cpuinfo 2>/dev/null && options="default -mavx512f"
grep -qw avx /proc/cpuinfo 2>/dev/null && test "$options" = default && options="default -mavx"
test -n "${STRESS-}" || options=${options##* }
set -- $seeds
plan $(($# * $(echo "$options" | wc -w) * 24))

build()
{
	local flags=
	test "$2" = default || flags=$2
	mkdir -p "$tmp/t" && cd "$tmp/t" && rm -rf ./* &&
		"$python" "$here/torture.py" . "$1" $count &&
		for file in callee caller; do
			# shellcheck disable=SC2086
			${CC:-cc} -O1 -w -Wno-psabi $flags -fexceptions -fPIC -c $file.c || return
		done &&
		for file in inside main; do
			${CXX:-c++} -O1 -fPIC -c "$here/torture_$file.cc" -o $file.o || return
		done &&
		${CXX:-c++} -shared -Wl,-soname,libtorture.so -o libtorture.so callee.o inside.o &&
		${CXX:-c++} -o torture caller.o main.o -L. -ltorture -pthread -Wl,-rpath,"$PWD" &&
		"$top_builddir/tracegen" interposer --header torture.h --lib ./libtorture.so -o ./interposer.so >names.out &&
		sed -n 's/: by name alone.*//p' names.out >names
}

# interposed SETTING...: the calls are made, recorded as the settings ask.
interposed()
{
	rm -f t.json
	env LD_PRELOAD="$libtracelayer:$PWD/interposer.so" TRACELAYER_OUTPUT="$PWD/t.json" "$@"
}

for seed in $seeds; do
	for option in $options; do
		with="seed $seed, $option"
		ok "$with: the functions are made, and an interposer for them" build "$seed" "$option"
		cd "$tmp/t" || exit 99
		is "$(sed -n '$s/ functions of.*//p' names.out)" $count "$with: it has all functions"
		for way in return throw cancel; do
			unwound=1
			test $way = return && unwound=0
			ok "$with: bare, $way" ./torture $way 2
			ok "$with: nobody watches, $way" interposed TRACELAYER_LEVEL=none ./torture $way 2
			for args in none scalars full; do
				ok "$with: recorded, args $args, $way" interposed TRACELAYER_ARGS=$args timeout 60 ./torture $way 2
				test $args != none || continue
				ok "$with: each call twice in the trace, with the numbers that it passed ($args, $way)" \
					"$python" "$here/torture.py" --check . t.json 2 $unwound names
			done
		done
		ok "$with: with a tracer and records" interposed TRACELAYER_TOOLS="$top_builddir/callbacks/.libs/log.so" ./torture return 2
	done
done
