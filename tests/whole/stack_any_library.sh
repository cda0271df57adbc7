#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_any_library.sh: Debian's programs under `tracelayer run --lib`, with a header and without: they print the same and end the same, the trace is sound,
# and has calls of a function that the program can't do without. Each function is in the trace as often as a counting preload says, and arguments have
# the expected texts and values. Debian's mpi4py is for Open MPI alone.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
top_srcdir=$(cd "$top_srcdir" && pwd)
. "$top_srcdir/tests/lib/count_calls.sh"
need_library
allow_mpi
export XDG_CACHE_HOME=$tmp/cache HOME=$tmp
check_trace=$top_srcdir/tests/lib/check_trace.py
cd "$tmp" || exit 99
plan 137

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
	# Not to /dev/null: grep would end at its first match.
	LD_PRELOAD=$tmp/counter.so COUNT_CALLS=$tmp/counted timeout 60 "$@" >counted.out 2>&1 </dev/null
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
for name in cmp comp conf engine kdf ocsp pkcs12 provider rand rsa srp ssl store trace ts ui; do echo "#include <openssl/$name.h>"; done >openssl.h
crypto="--header ./openssl.h --lib libcrypto.so.3" both="--header ./openssl.h --lib libcrypto.so.3 --header ./openssl.h --lib libssl.so.3"
# libcrypto gives the address of OPENSSL_cleanup to libc, which calls it at the end. The preload has libcrypto take its own.
any EVP_DigestInit_ex "$crypto" openssl dgst -sha256 noise
counts OPENSSL_cleanup libcrypto.so.3 openssl dgst -sha256 noise
shows '"name":"EVP_MD_fetch".*"algorithm":"sha256"' "the digest by name"
any EVP_CipherInit_ex "$both" openssl enc -aes-256-cbc -pbkdf2 -k x -S 0102030405060708 -in numbers
# There libcrypto calls a function of libssl, which ends by a jump to OPENSSL_sk_pop_free: that looks like libcrypto's own call.
counts 'OPENSSL_(cleanup|sk_pop_free)' "libcrypto.so.3 libssl.so.3" openssl enc -aes-256-cbc -pbkdf2 -k x -S 0102030405060708 -in numbers
shows '"name":"EVP_CIPHER_fetch".*"algorithm":"aes-256-cbc"' "the cipher by name"
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -subj /CN=localhost -days 2 2>/dev/null
printf 'GET /numbers HTTP/1.0\r\n\r\n' >request
openssl s_server -accept 127.0.0.1:0 -key key.pem -cert cert.pem -WWW >server.out 2>&1 &
server=$!
trap 'kill $server; rm -rf "$tmp"' EXIT
for _ in $(seq 100); do grep -q '^ACCEPT' server.out && break; sleep 0.1; done
client="exec openssl s_client -connect 127.0.0.1:$(sed -n 's/^ACCEPT .*:\([0-9]*\)$/\1/p' server.out) -quiet -CAfile cert.pem <request"
any SSL_read "$both" sh -c "$client"
# How often s_client wakes depends on the time. It then calls these, and libssl the others. conf_ssl_name_find is in no header. When libssl calls
# EVP_DigestUpdate, libcrypto jumps from there to its own SHA384_Update, and the counter takes that for libssl's call.
counts 'OPENSSL_(cleanup|sk_pop_free)|conf_ssl_name_find|SHA384_Update|BIO_(ctrl|find_type)|ERR_peek_error|SSL_(get_error|get_fd|has_pending|is_dtls|is_init_finished|read|write)' "libcrypto.so.3 libssl.so.3" sh -c "$client"
shows '"name":"SSL_CTX_load_verify_file".*"CAfile":"cert.pem","result":1' "the file of certificates"
is "$(tail -n +4 got.out | cksum)" "$(cksum <numbers)" "and the page arrives"
kill $server
trap 'rm -rf "$tmp"' EXIT
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
# What ffmpeg was linked with: the sonames differ between releases.
av() { ldd "$(command -v ffmpeg)" | sed -n "s/^\t\(lib$1\.so[.0-9]*\) .*/\1/p"; }
codec=$(av avcodec) util=$(av avutil) format=$(av avformat)
any avcodec_send_packet "--lib $codec --lib $util --lib $format" \
	ffmpeg -hide_banner -loglevel error -f lavfi -i testsrc=d=0.2 -f md5 -
# How often ffmpeg calls these differs from run to run, also without tracelayer. From release 7 on it works in threads that pass on packets and frames.
differ='av_log|av_rescale_q|av_(buffer|frame)_unref|av_freep|av_image_check_size2'
ffmpeg -version | grep -q '^ffmpeg version [1-6]\.' || differ="$differ|av_mallocz|av_(buffer|fifo|frame|packet)_[a-z_]*|avcodec_parameters_free"
counts "$differ" "$codec $util $format" \
	ffmpeg -hide_banner -loglevel error -f lavfi -i testsrc=d=0.2 -f md5 -
any av_opt_set "--header libavutil/opt.h --lib $util --header libavcodec/avcodec.h --lib $codec" \
	ffmpeg -hide_banner -loglevel error -f lavfi -i testsrc=d=0.2 -f md5 -
shows '"name":"avcodec_find_encoder".*"id":"AV_CODEC_ID_RAWVIDEO"' "a codec by name"
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
# Open MPI's plugins call functions of libmpi that mpi.h does not declare, and hwloc calls OpenCL and Level Zero. mpi4py jumps to MPI_Comm_free_keyval from a
# callback, so the address to return to is in libmpi: it is a call all the same.
counts '(ompi|mca|cl|ze)[A-Za-z0-9_]*' libmpi.so.40 /usr/bin/python3 sum.py
shows '"name":"MPI_Comm_free_keyval"' "also the call that mpi4py makes from a callback"
shows '"name":"MPI_Bcast".*"root":0,' "the root of a broadcast"

# --- more programs
for header in /usr/include/libxml2/libxml/*.h; do
	# These two are for other systems, or gone.
	case $header in */xmlwin32version.h | */DOCBparser.h) ;; *) echo "#include <libxml/${header##*/}>" ;; esac
done >xml.h
cat >list.xml <<'END'
<?xml version="1.0"?>
<!DOCTYPE list [<!ELEMENT list (item*)><!ELEMENT item (#PCDATA)><!ATTLIST item n CDATA #REQUIRED>]>
<list><item n="1">plum</item><item n="2">pear &amp; quince</item></list>
END
any xmlCtxtReadFile "--header ./xml.h --pkg libxml-2.0 --lib libxml2.so.2" xmllint --valid --xpath 'string(//item[@n="2"])' list.xml
counts none libxml2.so.2 xmllint --valid --xpath 'string(//item[@n="2"])' list.xml
shows '"name":"xmlCtxtReadFile".*"filename":"list.xml","encoding":"0x0",' "the document's name"

cat >items.py <<'END'
import xml.etree.ElementTree as tree
print([item.text for item in tree.parse("list.xml").iter("item")])
END
any XML_Parse "--header expat.h --lib libexpat.so.1" /usr/bin/python3 items.py
counts none libexpat.so.1 /usr/bin/python3 items.py
shows '"name":"XML_Parse".*"s":"<\?xml version' "what is parsed"

for name in cairo cairo-ft cairo-gobject cairo-pdf cairo-ps cairo-svg; do echo "#include <$name.h>"; done >cairo_all.h
cairo="--header ./cairo_all.h --pkg cairo-gobject --lib libcairo.so.2"
echo '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="48"><rect x="4" y="4" width="40" height="30"/><circle cx="40" cy="24" r="15"/></svg>' >picture.svg
any cairo_fill_preserve "$cairo" rsvg-convert -w 128 picture.svg
counts none libcairo.so.2 rsvg-convert -w 128 picture.svg
shows '"name":"cairo_image_surface_create".*"format":"CAIRO_FORMAT_ARGB32","width":128,"height":96,' "the picture's size"
any cairo_show_glyphs "$cairo" gnuplot -e 'set terminal pngcairo size 200,150; plot sin(x)'
counts none libcairo.so.2 gnuplot -e 'set terminal pngcairo size 200,150; plot sin(x)'
shows '"name":"cairo_image_surface_create".*"format":"CAIRO_FORMAT_ARGB32","width":200,"height":150,' "the plot's size"

pcre2="--header pcre2.h --cflags=-DPCRE2_CODE_UNIT_WIDTH=8 --lib libpcre2-8.so.0"
any pcre2_match_8 "$pcre2" grep -P '^1(?=2)\d+5$' numbers
counts none libpcre2-8.so.0 grep -P '^1(?=2)\d+5$' numbers
shows '"name":"pcre2_jit_compile_8".*"arg1":1,"result":0' "the option to compile, of a header without names"

mkdir -p www
echo plum >www/plum.txt
cat >nginx.conf <<END
daemon off; master_process off; pid $tmp/nginx.pid; error_log $tmp/nginx.log;
events { worker_connections 16; }
http {
	access_log off; gzip on; gzip_min_length 1; gzip_types text/plain;
	client_body_temp_path $tmp/www1; proxy_temp_path $tmp/www2; fastcgi_temp_path $tmp/www3; uwsgi_temp_path $tmp/www4; scgi_temp_path $tmp/www5;
	server { listen unix:$tmp/nginx.socket; root $tmp/www; location ~ ^/fruit/([a-z]+)\$ { default_type text/plain; try_files /\$1.txt =404; } }
}
END
cat >nginx.sh <<'END'
PATH=$PATH:/usr/sbin
nginx -c "$PWD/nginx.conf" 2>/dev/null &
for try in $(seq 200); do test -S nginx.socket && break; sleep 0.05; done
curl -s --unix-socket nginx.socket --compressed http://here/fruit/plum
nginx -c "$PWD/nginx.conf" -s quit 2>/dev/null
wait $!
END
any pcre2_match_8 "$pcre2 --header zlib.h --lib libz.so.1" sh nginx.sh
counts none "libpcre2-8.so.0 libz.so.1" sh nginx.sh
shows '"name":"deflateInit2_".*"windowBits":25,' "a gzip stream"

# Debian has the server's program in its tools, under the name of one of these.
ln -s "$(command -v redis-check-rdb)" redis-server
cat >redis.sh <<'END'
./redis-server --port 0 --unixsocket "$PWD/redis.socket" --dir "$PWD" --save "" --appendonly no >/dev/null &
for try in $(seq 200); do test -S redis.socket && break; sleep 0.05; done
redis-cli -s redis.socket geoadd towns 13.361389 38.115556 Palermo 15.087269 37.502669 Catania
redis-cli -s redis.socket geodist towns Palermo Catania
redis-cli -s redis.socket shutdown nosave
wait $!
END
any asin "--header math.h --lib libm.so.6" sh redis.sh
counts none libm.so.6 sh redis.sh
shows '"name":"pow".*"args":\{"__x":2,"__y":8,"result":256\}' "numbers"

gpg --batch --print-md sha512 noise >/dev/null 2>&1 # makes its folder
any gcry_md_write "--header gcrypt.h --lib libgcrypt.so.20" gpg --batch --print-md sha512 noise
counts none libgcrypt.so.20 gpg --batch --print-md sha512 noise
shows '"name":"gcry_md_map_name".*"name":"MD5","result":1' "the name of a digest"

# --- what programs make, they end: headers alone tell the leaks tool which functions do that
# balanced OPTIONS COMMAND…: one result.
balanced()
{
	local options=$1; shift
	# shellcheck disable=SC2086
	"$tracelayer" run --level=none --tool=leaks $options -- "$@" 2>&1 >/dev/null </dev/null | grep -a '^tracelayer: leaks' | sed 's/ (process .*//' >got.leaks
	is "$(cat got.leaks)" "tracelayer: leaks: 0 objects never destroyed, 0 wrong calls" "$1 ends each object that it makes, once"
}
archive="--header archive.h --header archive_entry.h --lib libarchive.so.13"
any archive_write_header "$archive" bsdtar -cf - numbers noise
counts none libarchive.so.13 bsdtar -cf - numbers noise
shows '"name":"archive_entry_pathname".*"result":"numbers"' "the name of a file"
balanced "$archive" bsdtar -cf - numbers noise
cat >mix.mod <<'END'
var x >= 0; var y >= 0;
maximize gain: 3 * x + 2 * y;
s.t. first: x + y <= 4;
s.t. second: x + 3 * y <= 6;
end;
END
# It says how long it took.
solve="glpsol --math mix.mod | grep -v ' used:'"
any glp_simplex "--header glpk.h --lib libglpk.so.40" sh -c "$solve"
counts none libglpk.so.40 sh -c "$solve"
shows '"name":"glp_mpl_read_model".*"mix.mod"' "the model's file"
balanced "--header glpk.h --lib libglpk.so.40" glpsol --math mix.mod
cat >list.xsl <<'END'
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:output method="text"/>
<xsl:template match="/"><xsl:for-each select="//item"><xsl:sort select="."/><xsl:value-of select="concat(@n, .)"/></xsl:for-each></xsl:template>
</xsl:stylesheet>
END
for name in transform xsltutils; do echo "#include <libxslt/$name.h>"; done >xslt.h
xslt="--header ./xslt.h --pkg libxslt --lib libxslt.so.1"
any xsltApplyStylesheetUser "$xslt" xsltproc list.xsl list.xml
shows '"name":"xsltSaveResultToFile"' "and what it writes"
