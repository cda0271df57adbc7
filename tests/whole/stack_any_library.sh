#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_any_library.sh: Debian's programs under `tracelayer run --lib`, with a header and without: they print the same and end the same, the trace is sound,
# and has calls of a function that the program can't do without. Each function is in the trace as often as a counting preload says, and arguments have
# the expected texts and values. There are no counts of openssl and mpi4py, and no argument texts of ffmpeg.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
top_srcdir=$(cd "$top_srcdir" && pwd)
. "$top_srcdir/tests/lib/count_calls.sh"
need_library
export XDG_CACHE_HOME=$tmp/cache HOME=$tmp OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
check_trace=$top_srcdir/tests/lib/check_trace.py
cd "$tmp" || exit 99
plan 67

# any FUNCTION OPTIONS COMMAND…: three results.
any()
{
	local function=$1 options=$2 bare got; shift 2
	rm -rf traces; mkdir traces
	"$@" >bare.out 2>bare.err </dev/null; bare=$?
	# shellcheck disable=SC2086
	"$tracelayer" run -o traces/t.json $options -- "$@" >got.out 2>got.err </dev/null; got=$?
	grep -av '^tracelayer: ' got.err >got.others
	is "$got$(cat got.out got.others | sha256sum)" "$bare$(cat bare.out bare.err | sha256sum)" "$1, $options: says the same and ends the same ($bare)"
	ok "its trace is sound" "$python" "$check_trace" traces/*.json
	like "$("$python" "$check_trace" --names traces/*.json)" "^$function [1-9]" "and has its calls"
}

# counts EXCEPT LIBRARIES COMMAND…: one result, for the traces of `any` before it. EXCEPT matches names that the two can't agree on.
counts()
{
	local except=$1 list=() library; shift
	for library in $1; do list+=("/usr/lib/x86_64-linux-gnu/$library"); done; shift
	if test "$(uname -m)" != x86_64; then skip 1 "the counting preload is for x86-64"; return; fi
	rm -f counted
	counter "$tmp/counter.so" "${list[@]}"
	LD_PRELOAD=$tmp/counter.so COUNT_CALLS=$tmp/counted timeout 60 "$@" >/dev/null 2>&1 </dev/null
	# Each process adds its own lines, and has its own trace.
	sum_calls "$except" <counted >want
	for trace in traces/*.json; do "$python" "$check_trace" --names "$trace"; done | sum_calls "$except" >seen
	test -s want || echo "the preload counted nothing" >>want
	same want seen "with the calls that a preload counted: $(awk '{ n += $2 } END { print n + 0 }' want) of $(wc -l <want) functions"
}
sum_calls() { grep -vE "^($1) " | awk '{ n[$1] += $2 } END { for (name in n) print name, n[name] }' | sort; }
# shows REGEX DESCRIPTION: one result: the traces of `any` have it.
shows() { like "$(cat traces/*.json)" "$1" "$2"; }

seq 20000 >numbers
head -c 300000 /dev/urandom >noise
any lzma_code "--header lzma.h --lib liblzma.so.5" xz -9 -c numbers
counts none liblzma.so.5 xz -9 -c numbers
shows '"name":"lzma_lzma_preset".*"preset":9,' "the preset"
any BZ2_bzWrite "--header bzlib.h --lib libbz2.so.1.0" bzip2 -c numbers
counts none libbz2.so.1.0 bzip2 -c numbers
shows '"name":"BZ2_bzWriteOpen".*"blockSize100k":9,' "the size of blocks"
# The preload does not count for openssl: with libcrypto in it, openssl does not end.
any EVP_DigestInit_ex "--header openssl/evp.h --lib libcrypto.so.3" openssl dgst -sha256 noise
shows '"name":"EVP_MD_fetch".*"algorithm":"sha256"' "the digest by name"
any EVP_CipherInit_ex "--header openssl/evp.h --lib libcrypto.so.3 --lib libssl.so.3" openssl enc -aes-256-cbc -pbkdf2 -k x -S 0102030405060708 -in numbers
shows '"name":"EVP_CIPHER_fetch".*"algorithm":"aes-256-cbc"' "the cipher by name"
any inflateEnd "--header zlib.h --lib libz.so.1" git -C "$top_srcdir" log --stat -3
counts none libz.so.1 git -C "$top_srcdir" log --stat -3
shows '"name":"inflateInit_".*"version":"1\.[0-9.]+","stream_size":112,' "the version, and a size"
any curl_easy_perform "--header curl/curl.h --lib libcurl.so.4" curl -s file:///etc/services
# mprintf.h declares libcurl's printf functions; curl.h does not include it.
counts 'curl_ma?printf|curl_msnprintf' libcurl.so.4 curl -s file:///etc/services
shows '"name":"curl_easy_setopt".*"option":"CURLOPT_URL"' "options by name"
cat >sums.py <<'END'
import sqlite3
c = sqlite3.connect(":memory:")
c.execute("create table t(a)")
c.executemany("insert into t values(?)", [(i,) for i in range(1000)])
print(c.execute("select sum(a) from t").fetchall())
END
any sqlite3_step "--header sqlite3.h --lib libsqlite3.so.0" "$python" sums.py
counts none libsqlite3.so.0 "$python" sums.py
shows '"name":"sqlite3_prepare_v[23]".*"insert into t values\(\?\)"' "statements"
any jq_next "--header jq.h --lib libjq.so.1" jq -n '[1, 2, 3] | map(. * 2) | add'
# The loader calls jv_mem_uninit_setup, a constructor, which the preload counts. No header declares jq_realpath.
counts 'jv_mem_uninit_setup|jq_realpath' libjq.so.1 jq -n '[1, 2, 3] | map(. * 2) | add'
shows '"name":"jq_compile_args".*"\[1, 2, 3\] \| map\(\. \* 2\) \| add"' "the program's text"
any magic_load "--header magic.h --lib libmagic.so.1" file numbers noise
counts none libmagic.so.1 file numbers noise
shows '"name":"magic_file".*"numbers","result":"ASCII text"' "the file's name, and what it is"
any avcodec_send_packet "--lib libavcodec.so.59 --lib libavutil.so.57 --lib libavformat.so.59" \
	ffmpeg -hide_banner -loglevel error -f lavfi -i testsrc=d=0.2 -f md5 -
# How often ffmpeg calls these two differs from run to run, also without tracelayer.
counts 'av_log|av_rescale_q' "libavcodec.so.59 libavutil.so.57 libavformat.so.59" \
	ffmpeg -hide_banner -loglevel error -f lavfi -i testsrc=d=0.2 -f md5 -
any 'exp' "--lib libm.so.6" awk 'BEGIN { print sin(1), exp(2), log(3) }'
counts none libm.so.6 awk 'BEGIN { print sin(1), exp(2), log(3) }'
if grep -q '^tracelayer: libm.so.6: types of [1-9][0-9]* of ' got.err; then
	pass 'libc6-dbg has the types of it'
	like "$(cat traces/*.json)" '"name":"exp".*"args":\{"x":2,"result":7.389' 'so that arguments are shown'
else
	skip 2 'this machine has no libc6-dbg'
fi
any crypt_r "--header crypt.h --lib libcrypt.so.1" perl -e 'print crypt("a", "ab"), "\n"'
counts none libcrypt.so.1 perl -e 'print crypt("a", "ab"), "\n"'
shows '"name":"crypt_r".*"__phrase":"a","__setting":"ab"' "phrase and setting"
any deflate "--header zlib.h --lib libz.so.1" pigz -p 2 -c -n noise
counts none libz.so.1 pigz -p 2 -c -n noise
shows '"name":"deflateInit2_".*"windowBits":-15,' "a raw stream"
cat >sum.py <<'END'
from mpi4py import MPI
world = MPI.COMM_WORLD
print(world.Get_size(), world.allreduce(world.Get_rank() + 1))
END
any MPI_Finalize "--header mpi.h --lib libmpi.so.40 --pkg ompi-c" /usr/bin/python3 sum.py
shows '"name":"MPI_Bcast".*"root":0,' "the root of a broadcast"
