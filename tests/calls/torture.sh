#!/bin/bash
# SPDX-License-Identifier: MIT
# The generic entry against random signatures: all scalar types, structs by value, long double, _Complex, __int128, vectors, many arguments,
# variadic functions. A callee checks each bit of what arrives, the caller each bit of what comes back: bare, with nobody watching, recorded
# in each way, and with tracers; where the functions return, throw, or are cancelled. make stress: 1,000 signatures.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
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
plan $(($# * $(echo "$options" | wc -w) * 24 + 16))

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

# --- aarch64, where this machine can run it: the entry itself around doubles of the rest (torture_runtime.c)
# On a processor without LSE, BTI and PAC, and on one with all.
processor=max
emulated() { qemu-aarch64 -cpu $processor -L /usr/aarch64-linux-gnu "$@"; }

build_aarch64()
{
	local root=${here%/tests/calls} cc=aarch64-linux-gnu-gcc cxx=aarch64-linux-gnu-g++ flags
	flags="-O2 -std=gnu11 -D_GNU_SOURCE -fPIC -fexceptions -I$root/include -I$root"
	mkdir -p "$tmp/arm" && cd "$tmp/arm" &&
		"$python" "$here/torture.py" . "$1" "$2" aarch64 &&
		$cc -O1 -w -Wno-psabi -fexceptions -fPIC -c callee.c caller.c &&
		$cxx -O1 -fPIC -c "$here/torture_inside.cc" "$here/torture_main.cc" &&
		$cxx -shared -Wl,-soname,libtorture.so -o libtorture.so callee.o torture_inside.o &&
		$cxx -o torture caller.o torture_main.o -L. -ltorture -pthread &&
		$cc $flags -mgeneral-regs-only -c "$root/layer/calls/generic_begin.c" "$root/layer/calls/generic_entry_aarch64.S" &&
		$cc $flags -c "$root/layer/calls/generic_call.c" "$here/torture_runtime.c" &&
		$cxx -shared -Wl,-soname,libtracelayer.so.0 -Wl,-Bsymbolic -o libtracelayer.so generic_begin.o generic_entry_aarch64.o \
			generic_call.o torture_runtime.o &&
		"$top_builddir/tracegen" interposer --header torture.h --lib ./libtorture.so -o interposer.so -- --target=aarch64-linux-gnu >names.out &&
		sed -n 's/: by name alone.*//p' names.out >names
}

# aarch64 WAY: bare, fast, captured and traced; each call is in the trace, as it was made.
aarch64()
{
	local mode unwound=1
	test "$1" != return || unwound=0
	for mode in bare fast captured traced; do
		rm -f t.json
		emulated -E LD_LIBRARY_PATH="$PWD" -E LD_PRELOAD="$PWD/libtracelayer.so $PWD/interposer.so" -E TORTURE_MODE=$mode \
			-E TORTURE_TRACE="$PWD/t.json" ./torture "$1" 2 || { echo "$mode fails"; return 1; }
		test $mode = bare || "$python" "$here/torture.py" --check . t.json 2 $unwound names || { echo "$mode is recorded otherwise"; return 1; }
	done
}

# build_guarded ENTRY.S: the same library with BTI: an indirect branch into it that meets no landing pad is an illegal instruction. The compiler's start files,
# and libgcc's helpers for atomics, which have no pads, are left out. The linker notes BTI where all objects do.
build_guarded()
{
	local root=${here%/tests/calls} flags
	flags="-O2 -std=gnu11 -D_GNU_SOURCE -fPIC -fexceptions -mbranch-protection=standard -mno-outline-atomics -I$root/include -I$root"
	# shellcheck disable=SC2086
	aarch64-linux-gnu-gcc $flags -mgeneral-regs-only -c "$root/layer/calls/generic_begin.c" &&
		aarch64-linux-gnu-gcc $flags -c "$root/layer/calls/generic_call.c" "$here/torture_runtime.c" &&
		aarch64-linux-gnu-gcc $flags -c "$1" -o generic_entry_aarch64.o &&
		aarch64-linux-gnu-g++ -shared -nostartfiles -Wl,-soname,libtracelayer.so.0 -Wl,-Bsymbolic -o libtracelayer.so generic_begin.o \
			generic_entry_aarch64.o generic_call.o torture_runtime.o &&
		aarch64-linux-gnu-readelf -n libtracelayer.so | grep -q 'AArch64 feature: BTI'
}
all_aarch64() { aarch64 return && aarch64 throw && aarch64 cancel; }

if command -v aarch64-linux-gnu-g++ >/dev/null && command -v qemu-aarch64 >/dev/null; then
	count=50
	test -z "${STRESS-}" || count=1000
	set -- $seeds
	ok "aarch64, seed $1: the functions are made, and an interposer for them" build_aarch64 "$1" $count
	cd "$tmp/arm" || exit 99
	is "$(sed -n '$s/ functions of.*//p' names.out)" $count "aarch64: it has all functions"
	nok "aarch64: readelf has nothing to complain of" sh -c "readelf -aW interposer.so 2>&1 | grep -iE 'warning|readelf: error'"
	is "$(readelf -lW interposer.so | awk '$1 == "LOAD" { print $NF }' | sort -u)" 0x10000 "aarch64: its segments fit pages of 64 KiB"
	for way in return throw cancel; do
		ok "aarch64: bare, $way" emulated -E LD_LIBRARY_PATH="$PWD" ./torture $way 2
		ok "aarch64: nobody watching, recorded, captured, traced, $way" aarch64 $way
	done
	processor=cortex-a53
	ok "aarch64: all of that on a processor of ARMv8.0" all_aarch64
	processor=max
	ok "aarch64: a library with BTI" build_guarded "${here%/tests/calls}/layer/calls/generic_entry.S"
	ok "aarch64: it runs where the processor looks for landing pads" all_aarch64
	sed "s,hint	#34,nop," "${here%/tests/calls}/layer/calls/generic_entry_aarch64.S" >without.S
	ok "aarch64: a library whose entry has no pad" build_guarded without.S
	nok "aarch64: does not" aarch64 return 2>/dev/null
	ok "aarch64: objdump knows each instruction" sh -c "aarch64-linux-gnu-objdump -d interposer.so | grep -c 'udf\|undefined' | grep -qx 0"
else
	skip 16 "this machine has no compiler and no emulator for aarch64"
fi
