#!/bin/bash
# SPDX-License-Identifier: MIT
# interposer_cache.sh: `run --header` and `run --api` with an interposer in the cache read no header and start no other program; the interposer is made again
# when anything has changed that it depends on.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
top_builddir=$(cd "$top_builddir" && pwd)
export XDG_CACHE_HOME=$tmp/cache XDG_CONFIG_HOME=$tmp/config HOME=$tmp
cache=$XDG_CACHE_HOME/tracelayer/interposers
plan 42

cd "$tmp" || exit 99
mkdir -p first second pkg lib/deep config/tracelayer/apis
printf '#include "box_part.h"\nint box_open(int box);\n' >second/box.h
echo 'int box_part(int box);' >second/box_part.h
printf 'int box_open(int box) { return box; }\nint box_part(int box) { return box; }\n' >box.c
printf 'Name: box\nDescription: box\nVersion: 1\nRequires: box-parts >= 1\n' >pkg/box.pc
printf 'Name: box-parts\nDescription: parts\nVersion: 2\nCflags: -I%s/first -I%s/second\n' "$tmp" "$tmp" >pkg/box-parts.pc
export PKG_CONFIG_PATH=$tmp/pkg
ok "a library is built" ${CC:-cc} -shared -fPIC -Wl,-soname,libbox.so.4 -o lib/libbox.so.4 box.c

tracelayer_here=$tracelayer
run() { "$tracelayer_here" run -o "$tmp/t.json" --quiet "$@" >"$tmp/out" 2>"$tmp/err"; }
box=(--header=box.h --pkg=box --lib="$tmp/lib/libbox.so.4")
# The interposers in the cache, and when they were made.
made() { (cd "$cache" && stat -c '%n %i %z' ./*.so) 2>/dev/null; }
# again DESCRIPTION: one has been added or made again since `was` was taken.
again()
{
	run "${box[@]}" -- true; code=$?
	nok "$1: another interposer is made" test "$code:$(made)" = "0:$was"
	was=$(made)
	run "${box[@]}" -- true
	is "$(made)" "$was" "$1: once"
}

run "${box[@]}" -- true; is "$?$(cat err)" 0 "an interposer is made"
was=$(made)
run "${box[@]}" -- true; is "$?$(made)" "0$was" "the next run has the same one"

# --- a warm run
# strace says which files are opened, and which programs are started.
if strace -o strace.out true 2>/dev/null; then
	work() { strace -f -e trace=open,openat,openat2,execve,execveat -o strace.out "$tracelayer_here" run -o "$tmp/t.json" --quiet "$@" >"$tmp/out" 2>"$tmp/err"; }
	# A line may end before the call does.
	programs() { grep -E '^[0-9]+ +execve(at)?\(' strace.out | grep -v ' = -1 ' | sed 's/^[^"]*"\([^"]*\)".*/\1/' | sed 's,.*/,,' | tr '\n' ' '; }
	work "${box[@]}" -- true; is "$?:$(programs)" "0:tracelayer true " "it starts no other program"
	opened() { grep -E '^[0-9]+ +open' strace.out | grep -cE "\"[^\"]*$1\", "; }
	is "$(opened '\.(h|pc)')" 0 "it opens no header and no package's file"
	is "$(opened '/libbox.so.4-[0-9a-f]*\.list')" 1 "it reads the list"
	touch second/box_part.h
	work "${box[@]}" -- true; like "$?:$(opened 'box_part\.h'):$(programs)" "^0:[1-9]:tracelayer true $" "a header that was touched is read: it is the same"
	work "${box[@]}" -- true; is "$?:$(opened '\.h')" "0:0" "once"
	is "$(made)" "$was" "the interposer is still the same"
else
	skip 6 "there is no strace on this machine, or it may not trace"
fi

# --- what it depends on
echo '/* more */' >>second/box_part.h; again "a header that the header includes has changed"
touch -r second/box_part.h stamp; sed -i 's/more/MORE/' second/box_part.h; touch -r stamp second/box_part.h; again "of the same size and the same time"
cp second/box.h first/box.h; again "a header that comes first was added"
echo >>lib/libbox.so.4; again "the library has changed"
sed -i 's/^Cflags:/Cflags: -DBOX=1/' pkg/box-parts.pc; again "the flags of a package that the package requires have changed"
sed -i 's/^Version.*/Version: 3/' pkg/box.pc; again "the package has changed"
box+=(--cflags=-DBOX_MORE=1); again "a flag was added"
mkdir bin && ln -s "$top_builddir/.libs" "$top_builddir/apis" bin/ && cp "$top_builddir/tracelayer" "$top_builddir/tracegen" bin/ && tracelayer_here=$tmp/bin/tracelayer
again "another installation of tracelayer"
touch -d '2001-02-03' bin/tracegen; again "an update of tracelayer"

# --- an API of two kinds: which one the program loads is seen in the files
${CC:-cc} -shared -fPIC -Wl,-soname,libother.so.1 -o lib/libother.so.1 box.c
echo 'int box_open(int box); int middle(void) { return box_open(3); }' >middle.c
echo 'int middle(void); int main(void) { return middle(); }' >main.c
ok "a program is built, which gets the library through another one" sh -c '$0 -shared -fPIC -Wl,-soname,libmiddle.so -o lib/deep/libmiddle.so middle.c lib/libbox.so.4 -Wl,-rpath,"\$ORIGIN/.." &&
	$0 -o main main.c -Llib/deep -lmiddle -Wl,-rpath,"\$ORIGIN/lib/deep",-rpath-link,lib' "${CC:-cc}"
for kind in box other; do
	soname=libbox.so.4; test $kind = box || soname=libother.so.1
	printf '{"name": "kinds-%s", "prefix": "kinds", "version": "1", "headers": ["box.h"], "flags": [], "sonames": ["%s"]}\n' $kind $soname \
		>config/tracelayer/apis/kinds-$kind.json
done
export LD_LIBRARY_PATH=$tmp/lib C_INCLUDE_PATH=$tmp/second
run --api=kinds -- ./main; is "$?$(cat err)" 3 "an API that has two kinds"
is "$(grep -o '"name":"box_open"' t.json | sort | uniq -c | tr -s ' ')" ' 1 "name":"box_open"' "the call is in the trace"
like "$(ls "$cache")" '^kinds-.*\.so' "an interposer is made"
is "$(ls "$cache"/kinds*.so | wc -l)" 1 "and no other: it is that of the library that the program loads"

# --- `run --api`: the descriptor is read when the interposer is made, and not again
sed 's/kinds/one/' config/tracelayer/apis/kinds-box.json >config/tracelayer/apis/one.json
run --api=one -- ./main; is "$?$(cat err) $(grep -c '"name":"box_open"' t.json)" "3 1" "an API's interposer is made"
if test -s strace.out; then
	work --api=one -- ./main; is "$? $(opened '/one-[0-9a-f]*\.list') $(opened '/one\.json')" "3 1 0" "the next run reads its list, and not the descriptor"
else
	skip 1 "there is no strace on this machine, or it may not trace"
fi
echo broken >>config/tracelayer/apis/one.json
run --api=one -- ./main; like "$?$(cat err)" '^1tracelayer: .*/one\.json: line [0-9]+: .*; correct it$' "a descriptor that is broken since is said to be so"
sed 's/kinds/one/' config/tracelayer/apis/kinds-box.json >config/tracelayer/apis/one.json
run --api=one -- ./main; is "$?$(cat err)" 3 "and is good again when it is as it was"

# --- an API that several libraries have, each with versions of its own (libcurl-gnutls.so.4): the one that the program loads
echo 'int box_open(int box); int main(void) { return box_open(3); }' >calls.c
for one in first second; do
	echo "${one}_1 { global: box_open; box_part; };" >$one.map
	${CC:-cc} -shared -fPIC -Wl,-soname,libtwo_$one.so.1,--version-script=$one.map -o lib/libtwo_$one.so.1 box.c &&
		${CC:-cc} -o calls_$one calls.c lib/libtwo_$one.so.1
done
sed 's/kinds-box/two/; s/kinds/two/; s/"libbox.so.4"/"libtwo_first.so.1", "libtwo_second.so.1"/' config/tracelayer/apis/kinds-box.json >config/tracelayer/apis/two.json
for one in first second first second; do
	rm -f t.json
	run --api=two -- ./calls_$one; is "$?$(cat err) $(grep -c '"name":"box_open"' t.json)" "3 1" "an API's $one library"
done
is "$(ls "$cache"/libtwo_*.so | wc -l)" 2 "has an interposer of its own, once"
mv bin/tracegen bin/away; run --api=opencl -- ./main; is "$?$(cat err)" 3 "a built-in API needs no tracegen"
