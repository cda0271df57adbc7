#!/bin/bash
# SPDX-License-Identifier: MIT
# make portable of a build with --enable-portable: what is in the tarball asks glibc for no version newer than 2.28, and runs from any folder in a root of
# Debian 11 (glibc 2.31, where libpthread and libdl are libraries of their own). Debian 10 is in no archive that Debian still keeps up; nothing newer
# than its versions is asked for. Where this machine makes no such root, the files are read all the same, and run on this machine.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
(. "$top_srcdir/tests/lib/root.sh"; root_suite=bullseye root_make old) >"$tmp/no_root"
plan 30

# The objects of a build for this machine are the same; only what is linked of them is not. So these are copied, with what tracegen made.
build=$tmp/build
mkdir "$build"
(cd "$top_builddir" && find . \( -path ./portable -o -path ./sanitize -o -path './tests/*.log' -o -path ./pocl_cache \) -prune -o \
	\( -name .dirstamp -o -name '*.o' -o -name '*.lo' -o -path './apis/*' ! -type d ! -name '*.Plo' \) -print0 |
	tar -cf - --null -T -) | tar -xf - -C "$build"
make_here() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -j2 -C "$build" "$@" </dev/null >"$tmp/make.log" 2>&1; }
configure_here()
{
	local options
	eval "options=($("$top_builddir/config.status" --config))"
	(cd "$build" && CONFIG_SHELL=/bin/sh "$top_srcdir/configure" -q "${options[@]}" --enable-portable --prefix=/nowhere </dev/null) >"$tmp/configured" 2>&1
}
configure_here
status=$?
# What eu_tsearch would be in, libeu.a, is no part of Debian's libelf-dev.
grep -q 'configure: error: --enable-portable: the archives of libelf can.t be linked' "$tmp/configured" && ! ${CC:-cc} -o "$tmp/none" -x c - -Wl,--whole-archive -l:libelf.a -Wl,--no-whole-archive -lz -lzstd \
	<<<'int main(void) { return 0; }' 2>"$tmp/unlinked" && grep -q eu_tsearch "$tmp/unlinked" &&
	{ skip 30 "this machine's libelf.a can't be linked: no archive has eu_tsearch"; exit 0; }
ok "configure --enable-portable" test $status = 0
for part in jansson libelf libdw sqlite; do
	like "$(cat "$tmp/configured")" "^  $part +yes " "it finds the archives for $part"
done
tracegen_made()
{
	make_here libtl_portable.a && make_here tracegen &&
		touch -r "$build/$(cd "$build" && ls -tr apis/*_model.json | head -n 1)" "$build/libtl_model.a" "$build/tracegen"
}
ok "make tracegen" tracegen_made || diag "$(tail -n 5 "$tmp/make.log")"
ok "make portable" make_here portable || diag "$(tail -n 5 "$tmp/make.log")"
name=$(cd "$build" && ls tracelayer-*.tar.xz)
like "$name" "^tracelayer-[0-9.]+-$(uname -m)\.tar\.xz$" "the tarball has the version and the machine in its name"
mkdir "$tmp/here"
ok "it unpacks" tar -xf "$build/$name" -C "$tmp/here"
tree=$tmp/here/${name%.tar.xz}

# What the dynamic linker is asked for.
binaries() { find "$tree" -type f | while read -r file; do test "$(head -c 4 "$file" | tail -c 3)" = ELF && echo "$file"; done; }
binaries >"$tmp/binaries"
is "$(wc -l <"$tmp/binaries")" 16 "its commands and libraries" || diag "$(cat "$tmp/binaries")"
while read -r file; do readelf -VW "$file" | sed -n '/\.gnu\.version_r/,$s/.*Name: \([A-Z]*_[0-9.]*\) .*/\1/p'; done <"$tmp/binaries" | sort -Vu >"$tmp/versions"
is "$({ cat "$tmp/versions"; echo GLIBC_2.28; } | grep '^GLIBC_' | sort -Vu | tail -n 1) $(grep -vcE "^(GLIBC|TRACELAYER)_" "$tmp/versions")" "GLIBC_2.28 0" "none asks for a version newer than GLIBC_2.28, or of another library" ||
	diag "$(cat "$tmp/versions")"
# What it asks for: a line "LIBRARY VERSION NAME" for each function. Before glibc 2.30 a program does not start if libc.so.6 is to have a function that is in
# another library. Newer releases find it there, as that of Debian 11 does, so only reading tells.
needs()
{
	{ readelf -VW "$1"; readelf -W --dyn-syms "$1"; } | awk '$4 == "File:" { library = $5 } $2 == "Name:" && $4 == "Flags:" { of[$NF] = library }
		$7 == "UND" && split($8, part, "@") == 2 { gsub(/[()]/, "", $9); print of[$9], part[2], part[1] }'
}
while read -r file; do needs "$file"; done <"$tmp/binaries" | sort -u >"$tmp/needed"
case $(uname -m) in x86_64) first= ;; *) first=GLIBC_2.17 ;; esac
awk -v first="$first" '!/^#/ { print $1, first ? first : $2, $3 }' "$top_srcdir/common/old_libraries.list" | sort >"$tmp/old"
is "$(nm "$build/libtl_portable.a" | awk '/:$/ { is_one = /old_(threads|dl)/ } is_one && $1 == "U" && split($2, part, "@") == 2 { print part[2], part[1] }' | sort)" \
	"$(cut -d' ' -f2- "$tmp/old" | sort)" "common/old_libraries.list has the functions that libtl_portable.a takes from libpthread and libdl"
is "$(awk 'NR == FNR { of[$3] = $0; next } $3 in of && of[$3] != $0' "$tmp/old" "$tmp/needed") $(grep -c ' pthread_setspecific$' "$tmp/needed")" " 1" \
	"each of them is expected in that library, not in libc.so.6"

is "$(while read -r file; do readelf -dW "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; done <"$tmp/binaries" | sort -u | grep -vE '^(libc\.so\.6|libm\.so\.6|libpthread\.so\.0|libdl\.so\.2|ld-linux.*|libtracelayer\.so\.0|libxptifw\.so)$')" \
	"" "they need the C library and each other"
is "$(while read -r file; do readelf -dW "$file" | sed -n 's/.*\(RPATH\|RUNPATH\).*\[\(.*\)\]/\2/p'; done <"$tmp/binaries" | tr ':' '\n' | grep -v '^\$ORIGIN')" "" "all their search paths begin at \$ORIGIN"
is "$(grep -rlE "$build|$top_builddir" "$tree")" "" "no file has a path of the build"

# On this machine. Threads are started by the old version of pthread_create: a call of itself would not end.
(cd "$tmp" && timeout 60 "$tree/bin/tracelayer" run --stack -o here.tlt --lib libm.so.6 -- perl -e 'print exp(1)' && timeout 60 "$tree/bin/tracelayer" export -o here.json here.tlt) >"$tmp/log" 2>&1
is $? 0 "run --stack and export, on this machine" || diag "$(cat "$tmp/log")"
like "$("$python" "$check_trace" --names "$tmp/here.json")" '^exp 1$' "the exported trace has the program's call"

test -d "$tmp/root/try" || { skip 12 "$(sed -n 's/.*# SKIP //p' "$tmp/no_root")"; exit; }
. "$top_srcdir/tests/lib/root.sh"
root=$tmp/root
chmod 777 "$root/try"
mkdir "$root/opt/first"
mv "$tree" "$root/opt/first/"
tree=$root/opt/first/${name%.tar.xz}
cut -d' ' -f1 "$tmp/needed" | sort -u | grep -vE '^lib(tracelayer|xptifw)' | while read -r library; do
	readelf -W --dyn-syms "$(find "$root/lib/" "$root/lib64/" -name "$library" | head -n 1)" |
		awk -v library="$library" '$7 != "UND" && split($8, part, /@+/) == 2 { print library, part[2], part[1] }'
done | sort -u >"$tmp/theirs"
is "$(grep -vE '^lib(tracelayer|xptifw)' "$tmp/needed" | comm -23 - "$tmp/theirs")" "" "each function is in the root's library that it is expected in"

# inside COMMAND: runs it with sh in the root, as a user who is not root, with nothing in the environment but HOME.
inside() { with_root chroot --userspec=65534:65534 "$root" env -i HOME=/try /bin/sh -c "cd /try && $1"; }
is "$(inside 'ldd --version' | sed -n '1s/.* //p')" 2.31 "the root's glibc"
here=/opt/first/${name%.tar.xz}
inside "$here/bin/tracelayer run -o t.json --lib libm.so.6 -- perl -e 'print exp(1)'" >"$tmp/out" 2>"$tmp/log"
is "$? $(cat "$tmp/out")" "0 2.71828182845905" "the first trace in it" || diag "$(cat "$tmp/log")"
like "$("$python" "$check_trace" --names "$root/try/t.json")" '^exp 1$' "has the program's call"
is "$(inside "$here/bin/tracelayer run -o s.json -- sh -c 'echo it runs' && $here/bin/tracelayer run -o s.json -- cat /etc/debian_version" 2>&1 | grep -v '^tracelayer: no trace: ')" "it runs
$(cat "$root/etc/debian_version")" "programs without threads run as ever"

# Moved. A program of the build, linked with the same old versions, has a software device.
mv "$tree" "$root/srv/moved"
here=/srv/moved
shared=$(sed -n 's/^TL_PORTABLE_LIBS = //p' "$build/Makefile")
device_made()
{
	# shellcheck disable=SC2086
	(cd "$build" && ${CC:-cc} -shared -fPIC -Iapis/include -I"$top_srcdir/gen/made/include" "$top_srcdir/tests/drivers/ze_few_loader.c" -Wl,-soname,libze_loader.so.1 $shared -o "$root/try/libze_loader.so.1") &&
		ln -sf libze_loader.so.1 "$root/try/libze_loader.so" && make_here LDFLAGS="-L$root/try" tests/drivers/ze_driver_a.la tests/apps/ze_vector_add &&
		cp "$build/tests/drivers/.libs/ze_driver_a.so" "$build/tests/apps/ze_vector_add" "$root/try/"
}
ok "the software device and its program" device_made || diag "$(tail -n 5 "$tmp/make.log")"
traced="LD_LIBRARY_PATH=/try ZE_ENABLE_ALT_DRIVERS=/try/ze_driver_a.so TEST_ZE_APP_COUNTS=/try/counts $here/bin/tracelayer run"
inside "$traced --stack --tool=summary -o d.tlt -- ./ze_vector_add" >"$tmp/log" 2>&1
is $? 0 "after the folder was moved: a program with a device, stacks and a tool" || diag "$(cat "$tmp/log")"
like "$(cat "$tmp/log")" '^zeInit +1 ' "the tool's table"
inside "$here/bin/tracelayer export -o d.json d.tlt && $here/bin/tracelayer export -o d.sqlite d.tlt && $here/bin/tracelayer report -o d.html d.tlt" >"$tmp/log" 2>&1
is $? 0 "export to JSON and SQLite, and report" || diag "$(cat "$tmp/log")"
ok "the trace has the calls that the program made" "$python" "$check_trace" --counts "$root/try/counts" "$root/try/d.json"
like "$(inside "$here/bin/tracelayer summary --by=stack d.tlt" 2>&1)" 'main' "stacks have the functions' names"
like "$(inside "$here/bin/tracelayer apis" 2>&1)" '^level-zero +built in' "the command finds its descriptors"
