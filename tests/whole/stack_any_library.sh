#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_any_library.sh: Debian's programs under `tracelayer run --lib`, with a header and without: they print the same and end the same, the trace is sound,
# and has calls of a function that the program can't do without.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
top_srcdir=$(cd "$top_srcdir" && pwd)
need_library
export XDG_CACHE_HOME=$tmp/cache HOME=$tmp OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
check_trace=$top_srcdir/tests/lib/check_trace.py
cd "$tmp" || exit 99
plan 41

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

seq 20000 >numbers
head -c 300000 /dev/urandom >noise
any lzma_code "--lib liblzma.so.5" xz -9 -c numbers
any BZ2_bzWrite "--lib libbz2.so.1.0" bzip2 -c numbers
any EVP_DigestInit_ex "--lib libcrypto.so.3" openssl dgst -sha256 noise
any EVP_CipherInit_ex "--lib libcrypto.so.3 --lib libssl.so.3" openssl enc -aes-256-cbc -pbkdf2 -k x -S 0102030405060708 -in numbers
any inflateEnd "--header zlib.h --lib libz.so.1" git -C "$top_srcdir" log --stat -3
any curl_easy_perform "--header curl/curl.h --lib libcurl.so.4" curl -s file:///etc/services
any sqlite3_step "--header sqlite3.h --lib libsqlite3.so.0" "$python" -c 'import sqlite3
c = sqlite3.connect(":memory:")
c.execute("create table t(a)")
c.executemany("insert into t values(?)", [(i,) for i in range(1000)])
print(c.execute("select sum(a) from t").fetchall())'
any jq_next "--lib libjq.so.1 --lib libonig.so.5" jq -n '[1, 2, 3] | map(. * 2) | add'
any magic_load "--lib libmagic.so.1" file numbers noise
any avcodec_send_packet "--lib libavcodec.so.59 --lib libavutil.so.57 --lib libavformat.so.59" \
	ffmpeg -hide_banner -loglevel error -f lavfi -i testsrc=d=0.2 -f md5 -
any 'exp' "--lib libm.so.6" awk 'BEGIN { print sin(1), exp(2), log(3) }'
if grep -q '^tracelayer: libm.so.6: types of [1-9][0-9]* of ' got.err; then
	pass 'libc6-dbg has the types of it'
	like "$(cat traces/*.json)" '"name":"exp".*"args":\{"x":2,"result":7.389' 'so that arguments are shown'
else
	skip 2 'this machine has no libc6-dbg'
fi
any crypt_r "--lib libcrypt.so.1" perl -e 'print crypt("a", "ab"), "\n"'
cat >sum.py <<'END'
from mpi4py import MPI
world = MPI.COMM_WORLD
print(world.Get_size(), world.allreduce(world.Get_rank() + 1))
END
any MPI_Finalize "--header mpi.h --lib libmpi.so.40 --pkg ompi-c" /usr/bin/python3 sum.py
