#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_john.sh: john the ripper's formats of OpenCL on PoCL. It notices nothing, and each of its calls is in the trace. Debian's john has none of these formats,
# nor has PyPI's (hashcrack-jtr, which is linked statically): JOHN names one that has, JOHN=…/run/john.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
top_srcdir=$(cd "$top_srcdir" && pwd)
. "$top_srcdir/tests/lib/whole.sh"
need_library
. "$top_srcdir/tests/whole/cl_counter.sh"
john=${JOHN:-john}
formats="raw-MD5-opencl raw-SHA1-opencl raw-SHA256-opencl raw-SHA512-opencl"
missing=$("$john" --list=formats --format=opencl 2>&1 | tr -s ', \n' '\n' >"$tmp/formats"; for format in $formats; do grep -qxi "$format" "$tmp/formats" || echo "$format"; done)
test -z "$missing" || skip_all "this machine has no john the ripper with formats of OpenCL (JOHN=$john lacks" $missing")"
plan 35
# Device lanes ask the driver, too, and are no calls. john tunes itself by times unless these are set.
export TRACELAYER_DEVICE=0 LWS=64 GWS=1024

# The passwords that it finds are among these words.
seq -f 'word%g' 2000 >"$tmp/words"
# With times and speeds, also those in its log.
normalise() { sed -E '/^[0-9]+g |^[0-9]+:[0-9]+:[0-9]+:[0-9]+ |DONE|c\/s/d'; }
for format in $formats; do
	sum=${format#raw-} sum=${sum%-opencl}
	for word in word7 word1234 word1999; do
		echo "$word:$(printf %s "$word" | "${sum,,}sum" | cut -d' ' -f1)"
	done >"$tmp/hashes"
	real_program "$format" "$john" --format="$format" --pot=john.pot --session=john --wordlist="$tmp/words" "$tmp/hashes"
	is "$(grep -cE '^word(7|1234|1999) ' "$tmp/bare.out")" 3 "$format: it finds the three passwords"
done
real_program "its own test" "$john" --test=0 --format=raw-SHA256-opencl
like "$(cat "$tmp/bare.out")" 'PASS' "which passes"
