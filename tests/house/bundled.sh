#!/bin/bash
# SPDX-License-Identifier: MIT
# configure --with-bundled=no: the library does not need libffi or libdeflate; it opens libffi with the first closure, and only then. The library is linked
# here once more, of the build's objects and of the few that differ.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
soname=$(linked libffi.so)
test -n "$soname" || skip_all "this machine has no shared libffi to link with"
plan 17

apps=$top_builddir/tests/apps
drivers=$top_builddir/tests/drivers/.libs
mkdir "$tmp/config" "$tmp/lib"
grep -v HAVE_LIBDEFLATE "$top_builddir/config.h" >"$tmp/config/config.h"
compile() { ${CC:-cc} -DHAVE_CONFIG_H -D_GNU_SOURCE -std=gnu11 -O2 -g -fPIC -fvisibility=hidden -I"$tmp/config" -I"$top_srcdir/include" -I"$top_srcdir" -DLIBFFI_SONAME="\"$soname\"" -c "$top_srcdir/$1" -o "$tmp/$2"; }
library_link()
{
	local archive
	for archive in libc late core resolve writer format; do cp "$top_builddir/.libs/libtl_$archive.a" "$tmp/lib/" || return; done
	compile layer/resolve/closure.c libtl_resolve_la-closure.o && compile layer/resolve/shared_ffi.c libtl_resolve_la-shared_ffi.o &&
		compile format/encode/gzip.c libtl_gzip_la-gzip.o && compile format/encode/crc32.c libtl_gzip_la-crc32.o &&
		ar r "$tmp/lib/libtl_resolve.a" "$tmp"/libtl_resolve_la-*.o && ar r "$tmp/lib/libtl_writer.a" "$tmp"/libtl_gzip_la-*.o || return
	(cd "$top_builddir" && ${CC:-cc} -shared -o "$tmp/lib/libtracelayer.so" -Wl,-soname,libtracelayer.so.0 $(find layer apis -path '*/.libs/libtracelayer_la-*.o') \
		-Wl,--whole-archive "$tmp"/lib/libtl_*.a -Wl,--no-whole-archive -static-libgcc -Wl,--wrap=syscall -Wl,--wrap=prctl \
		-Wl,-Bsymbolic -Wl,-z,nodelete -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,-z,defs -Wl,--version-script=layer/libtracelayer.map)
}
ok "the library without libffi and libdeflate" library_link || exit
libtracelayer=$tmp/lib/libtracelayer.so
is "$(readelf -dW "$libtracelayer" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v '^ld-linux')" libc.so.6 "it needs libc and nothing else"
is "$(nm -D "$libtracelayer" | grep -cE ' (ffi|libdeflate)_')" 0 "and asks for none of their functions"

# Two OpenCL platforms: each has a function of its own for one name.
mkdir "$tmp/two"
echo "$drivers/icd_a.so" >"$tmp/two/a.icd"
echo "$drivers/icd_b.so" >"$tmp/two/b.icd"
export OCL_ICD_VENDORS=$tmp/two
timeout 60 "$apps/cl_extension" >"$tmp/bare"
LD_DEBUG=files LD_DEBUG_OUTPUT=$tmp/opened traced "$tmp/t.json" timeout 60 "$apps/cl_extension" >"$tmp/out"
is $? 0 "a program with closures runs"
same "$tmp/out" "$tmp/bare" "and sees no difference"
is "$(events "$tmp/t.json" clHostMemAllocINTEL)" 200 "the calls of both platforms are recorded"
ok "libffi was opened" grep -q "file=$soname.*dynamically loaded by $libtracelayer" "$tmp"/opened.*
rm -f "$tmp"/opened.*
LD_DEBUG=files LD_DEBUG_OUTPUT=$tmp/opened traced "$tmp/u.json" timeout 60 "$apps/cl_linked" calls >"$tmp/out"
is "$(events "$tmp/u.json" clEnqueueNDRangeKernel) $(cat "$tmp"/opened.* | grep -c "$soname")" "2 0" "a program without closures never opens it"

# libffi's frames lie between the program's and the library's.
TRACELAYER_STACK='*' traced "$tmp/stacks.tlt" timeout 60 "$apps/cl_extension" >"$tmp/out"
"$top_builddir/tracelayer" summary --by=stack "$tmp/stacks.tlt" >"$tmp/out" 2>&1
like "$(grep -c '^allocate_and_free' "$tmp/out") $(grep -c 'closure\|ffi' "$tmp/out")" "^[1-9][0-9]* 0$" "stacks have the program's frames alone" ||
	diag "$(head -n 40 "$tmp/out")"

# Where it is not there.
mkdir "$tmp/broken" && echo none >"$tmp/broken/$soname"
LD_LIBRARY_PATH=$tmp/broken traced "$tmp/v.json" timeout 60 "$apps/cl_extension" >"$tmp/out" 2>"$tmp/log"
same "$tmp/out" "$tmp/bare" "without libffi, too, the program sees no difference"
like "$(cat "$tmp/log")" "^tracelayer: $soname can't be loaded, so calls into a second driver's function of the same name are not recorded; install it$" "one line says what is missing"
is "$(events "$tmp/v.json" clHostMemAllocINTEL)" 100 "and the first platform's calls are recorded"

# Its line waits a second for a stderr that takes none. A child that is forked meanwhile goes on.
full_stderr='
import os, sys
read, write = os.pipe()
os.set_blocking(write, False)
try:
    while os.write(write, b"." * 4096): pass
except BlockingIOError: pass
os.set_blocking(write, True)
os.set_inheritable(read, True)
os.dup2(write, 2)
os.execv(sys.argv[1], sys.argv[1:])'
is "$(LD_LIBRARY_PATH=$tmp/broken traced "$tmp/f.json" "$python" -c "$full_stderr" "$apps/cl_extension" fork)" "the child's status: 0" \
	"a child that is forked while a thread finds no libffi does not wait for that thread"

traced "$tmp/w.json.gz" timeout 60 "$apps/cl_extension" >"$tmp/out"
ok "gzip's checksums are right" sh -c "gzip -dc '$tmp/w.json.gz' | '$python' -c 'import json, sys; json.load(sys.stdin)'"

# --without-libffi: there are no closures.
grep -v 'HAVE_LIB\(DEFLATE\|FFI\)' "$top_builddir/config.h" >"$tmp/config/config.h"
ok "the library links without any libffi" library_link
TRACELAYER_STACK='*' traced "$tmp/x.tlt" timeout 60 "$apps/cl_extension" >"$tmp/out" 2>"$tmp/log"
same "$tmp/out" "$tmp/bare" "and the program sees no difference"
like "$("$top_builddir/tracelayer" summary --by=stack "$tmp/x.tlt" 2>&1 | grep -c '^allocate_and_free')" "^[1-9][0-9]*$" "and stacks have the program's frames"
