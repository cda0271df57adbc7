#!/bin/bash
# SPDX-License-Identifier: MIT
# apis.sh: `tracelayer apis`, and `run` with --lib, --header and --api: the interposer is made once, kept, and made again when what it was made from has
# changed. The programs are Debian's: sqlite3, gzip's library through Python.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
top_srcdir=$(cd "$top_srcdir" && pwd)
need_library
export XDG_CACHE_HOME=$tmp/cache XDG_CONFIG_HOME=$tmp/config HOME=$tmp
cache=$XDG_CACHE_HOME/tracelayer/interposers
check_trace=$top_srcdir/tests/lib/check_trace.py
plan 66

# The list.
said=$("$tracelayer" apis 2>"$tmp/err"); is "$?$(cat "$tmp/err")" 0 "the list"
like "$said" '^opencl +built in +[0-9.]+ +[0-9]+ +libOpenCL.so.1$' "has what is built in"
like "$said" '^zlib +installed +- +- +libz.so.1$' "and what is installed"
mkdir -p "$XDG_CONFIG_HOME/tracelayer/apis"
echo '{"name": "zlib", "prefix": "zlib", "version": "mine", "headers": ["zlib.h"], "sonames": ["libz.so.1"]}' >"$XDG_CONFIG_HOME/tracelayer/apis/zlib.json"
like "$("$tracelayer" apis)" '^zlib +yours +mine +- +libz.so.1$' "a descriptor of the user's hides the installed one"
is "$("$tracelayer" apis --format=json | "$python" -c 'import json, sys
print([row["version"] for row in json.load(sys.stdin)["tables"][0]["rows"] if row["api"] == "zlib"])')" "['mine']" "as JSON, too"
echo '{"name": ' >"$XDG_CONFIG_HOME/tracelayer/apis/broken.json"
said=$("$tracelayer" apis 2>"$tmp/err"); is "$?" 1 "a broken descriptor is an error"
like "$(cat "$tmp/err")" '^tracelayer: .*/broken.json: line [0-9]+: .*; correct it$' "which one line tells"
is "$(wc -l <"$tmp/err")" 1 "and no other"
like "$said" '^opencl ' "the others are listed all the same"
rm "$XDG_CONFIG_HOME/tracelayer/apis"/*
"$tracelayer" apis more >"$tmp/out" 2>"$tmp/err"; is $? 2 "words behind it are refused"
"$tracelayer" apis --build=opencl >"$tmp/out" 2>"$tmp/err"; is "$?$(cat "$tmp/out" "$tmp/err")" \
	'0opencl is built in: `tracelayer run` traces it without more' "what is built in needs no interposer"
"$tracelayer" apis --build=nothing >"$tmp/out" 2>"$tmp/err"; is "$?$(cat "$tmp/err")" \
	'2tracelayer: nothing: no such API; `tracelayer apis` lists the APIs' "an unknown API"
nok "nothing was kept so far" test -e "$cache"

# The dynamic linker that a program names is asked for its libraries, if one is missing. The name is no command.
(
	mkdir "$tmp/named" && cd "$tmp/named" || exit 1
	echo 'int gone(void) { return 0; }' | ${CC:-cc} -shared -o libgone.so -x c - || exit 1
	echo 'int gone(void); int main(void) { return gone(); }' |
		${CC:-cc} -o named -x c - -x none -L. -lgone -Wl,-dynamic-linker,'/nothing$(touch done)' || exit 1
	rm libgone.so
	"$tracelayer" run --api=mpi -- ./named >said 2>&1
)
is "$(ls "$tmp/named")" $'named\nsaid' "the name of a program's dynamic linker is no command"

# A library by its header. The program counts its own calls.
cat >"$tmp/sums.py" <<'END'
import zlib
total = 0
for i in range(100):
    packed = zlib.compress(b"tracelayer" * i)
    total += zlib.crc32(packed) + zlib.adler32(zlib.decompress(packed))
print(total)
END
bare=$("$python" "$tmp/sums.py")
zlib=(--header=zlib.h --lib=libz.so.1)
run() { "$tracelayer" run -o "$tmp/t.json" "$@" >"$tmp/out" 2>"$tmp/err"; }
counted() { "$python" "$check_trace" --names "$1" | awk -v name="$2" '$1 == name { print $2 }'; }
run "${zlib[@]}" -- "$python" "$tmp/sums.py"; is "$?$(cat "$tmp/out")" "0$bare" "a program with zlib traced: prints the same"
like "$(cat "$tmp/err")" '^tracelayer: trace: .*/t.json \([0-9]+ events\)$' "the trace"
is "$(grep -vc '^tracelayer: trace: ' "$tmp/err")" 0 "nothing else is said"
ok "a sound trace" "$python" "$check_trace" "$tmp/t.json"
is "$(counted "$tmp/t.json" crc32)" 100 "each call of crc32 is there"
is "$(counted "$tmp/t.json" deflateEnd)" 100 "and of deflateEnd"
like "$(grep -m1 '"name":"deflateInit' "$tmp/t.json")" '"version":"1\.[0-9.]+"' "arguments are decoded: texts"
like "$(grep -m1 '"name":"deflateEnd' "$tmp/t.json")" '"result":0' "and results"
is "$(find "$cache" -name 'libz.so.1-*.so' | wc -l)" 1 "the interposer is kept"
made=$(stat -c '%i %Y' "$cache"/*.so)

# The second run takes it as it is.
rm "$tmp/t.json"; run "${zlib[@]}" -- "$python" "$tmp/sums.py"; is "$?$(cat "$tmp/out")" "0$bare" "again"
is "$(stat -c '%i %Y' "$cache"/*.so)" "$made" "with the same interposer"
is "$(counted "$tmp/t.json" crc32)" 100 "which traces as well"

# It is made again when what it was made from has changed, and only then.
mkdir "$tmp/include"; cp /usr/include/zlib.h /usr/include/zconf.h "$tmp/include" 2>/dev/null || cp /usr/include/zlib.h "$(echo /usr/include/*/zconf.h)" "$tmp/include"
own=(--cflags="-I$tmp/include" "--header=$tmp/include/zlib.h" --lib=libz.so.1)
rm -rf "$cache"; run "${own[@]}" -- true; is $? 0 "a header of one's own"
made=$(stat -c %i "$cache"/*.so)
touch "$tmp/include/zlib.h"; run "${own[@]}" -- true; is "$?$(stat -c %i "$cache"/*.so)" "0$made" "touched: the content counts"
echo '/* changed */' >>"$tmp/include/zconf.h"; run "${own[@]}" -- true; is $? 0 "a header that it includes has changed"
nok "the interposer is another" test "$(stat -c %i "$cache"/*.so)" = "$made"
made=$(stat -c %i "$cache"/*.so)
: >"$(echo "$cache"/*.list)"; run "${own[@]}" -- true; is $? 0 "a broken list"
nok "is no reason to trust the file" test "$(stat -c %i "$cache"/*.so)" = "$made"
truncate -s 4096 "$(echo "$cache"/*.so)"; run "${own[@]}" -- "$python" "$tmp/sums.py"; is "$?$(cat "$tmp/out")" "0$bare" "an interposer that was cut short is made again"
like "$(cat "$tmp/err")" '^tracelayer: trace: ' "and traces"
if others_read "$libtracelayer"; then
	# One that root has made for all, in a folder that only root can write to.
	chmod -R a+rX "$tmp"; chmod a+x "$(dirname "$tmp")" 2>/dev/null; mkdir -m 777 "$tmp/out.d"
	as_nobody() { (cd / && setpriv --reuid=65534 --clear-groups "$tracelayer" run -o "$tmp/out.d/t.json" "$@" >"$tmp/out.d/out" 2>"$tmp/out.d/err"); }
	made=$(stat -c %i "$cache"/*.so)
	as_nobody "${own[@]}" -- true; is "$?$(grep -vc '^tracelayer: no trace' "$tmp/out.d/err")" 00 "a cache that can't be written serves an interposer that it has"
	is "$(stat -c %i "$cache"/*.so)" "$made" "as it is"
	as_nobody --lib=libz.so.1 -- true; like "$?$(cat "$tmp/out.d/err")" '^1tracelayer: .*: cannot keep interposers there: Permission denied; set XDG_CACHE_HOME' "and no other"
	chmod a+w "$cache"; as_nobody "${own[@]}" -- true; like "$?$(cat "$tmp/out.d/err")" '^1tracelayer: .*: the folder belongs to another user' "where others can write, it is not trusted"
	chmod go-w "$cache"
else
	skip 4 "on this machine no other user can be had who may read the build folder"
fi
# Root's programs may become other users, so root's interposers lie where these can read them, unless XDG_CACHE_HOME says otherwise.
if others_read "$libtracelayer" && unshare -m mount -t tmpfs none /var/cache 2>/dev/null; then
	cat >"$tmp/root.sh" <<-'END'
	mount -t tmpfs none /var/cache && chmod 755 /var/cache && cd / && umask 077 || exit 99
	run() { timeout 60 "$tracelayer" run -o "$tmp/out.d/root.json" --lib=libz.so.1 -- "$@" 2>"$tmp/out.d/err"; }
	run setpriv --reuid=65534 --clear-groups "$python" -c 'import zlib; print(zlib.crc32(b"some text"))'
	grep -v '^tracelayer: ' "$tmp/out.d/err"; grep -c ' events\?' "$tmp/out.d/err"
	stat -c '%n %a %u' /var/cache/tracelayer /var/cache/tracelayer/interposers /var/cache/tracelayer/interposers/*.so | sed 's/libz.*so /so /'
	ls -A "$HOME/.cache" 2>/dev/null
	chown 65534 /var/cache/tracelayer/interposers/*.so; run true; stat -c 'again: %u' /var/cache/tracelayer/interposers/*.so
	chown 65534 /var/cache/tracelayer/interposers/*.list; run true; stat -c 'again: %u' /var/cache/tracelayer/interposers/*.list
	echo trusted; chmod g+w /var/cache/tracelayer; run true; ls "$HOME/.cache/tracelayer/interposers" | grep -c 'so$'
	grep ^tracelayer:./var/cache "$tmp/out.d/err" >"$tmp/out.d/said"
	chmod 700 /var/cache/tracelayer; run true; grep ^tracelayer:./var/cache "$tmp/out.d/err" >>"$tmp/out.d/said"
	chmod 755 /var/cache/tracelayer; chown 65534 /var/cache/tracelayer/interposers; run true; grep ^tracelayer:./var/cache "$tmp/out.d/err" >>"$tmp/out.d/said"
	rm -r "$HOME/.cache"; rm -r /var/cache/tracelayer; mount -o remount,ro /var/cache; run true; ls "$HOME/.cache/tracelayer/interposers" | grep -c 'so$'
	END
	(export tracelayer tmp python HOME=$tmp/roots; unset XDG_CACHE_HOME; unshare -m sh "$tmp/root.sh") >"$tmp/out" 2>&1
	is "$(sed 2,\$d "$tmp/out")" "$("$python" -c 'import zlib; print(zlib.crc32(b"some text"))')" "root's program that becomes another user runs with root's interposer"
	is "$(sed -n 2p "$tmp/out")" 1 "and is traced, and its dynamic linker prints nothing"
	is "$(sed '1,2d; /^again/,$d' "$tmp/out")" "/var/cache/tracelayer 755 0
/var/cache/tracelayer/interposers 755 0
/var/cache/tracelayer/interposers/so 644 0" "the interposer lies where all can read it and only root can write, whatever the umask"
	is "$(grep ^again "$tmp/out" | tr '\n' ' ')" "again: 0 again: 0 " "one of another user, or its list, is made again"
	is "$(sed '1,/^trusted/d' "$tmp/out" | tr '\n' ' ')" "1 1 " "in root's home where others could write, or nobody can"
	home="interposers are kept in root's home, where the users that programs become can't read them: the folder"
	is "$(cat "$tmp/out.d/said")" "tracelayer: /var/cache/tracelayer: ${home% the folder} others can write to the folder; remove it
tracelayer: /var/cache/tracelayer: $home has mode 0700; change it with chmod 755
tracelayer: /var/cache/tracelayer/interposers: $home belongs to another user; remove it" "and a folder of root's that can't be used is named"
else
	skip 6 "on this machine no other user can be had who may read the build folder, or no mount can be made"
fi
for i in 1 2 3 4; do run "${zlib[@]}" -- true & done; wait; is "$(find "$cache" -type f ! -name '*.so' ! -name '*.list' ! -name '*.log')" "" \
	"several at once leave nothing behind"

# By symbols alone, and by a descriptor.
rm -f "$tmp/t.json"; run --lib=libz.so.1 -- "$python" "$tmp/sums.py"; is "$?$(cat "$tmp/out")" "0$bare" "with no header at all"
is "$(counted "$tmp/t.json" crc32)" 100 "each call is there"
rm -f "$tmp/t.json"; run --api=zlib -- "$python" "$tmp/sums.py"; is "$?$(cat "$tmp/out")" "0$bare" "with the installed descriptor"
is "$(counted "$tmp/t.json" crc32)" 100 "each call is there"
path=$("$tracelayer" apis --build=zlib | tail -n 1)
ok "apis --build makes the same file" test -s "$path"
rm -f "$tmp/t.json"; traced "$tmp/t.json" env LD_PRELOAD="$libtracelayer:$path" "$python" "$tmp/sums.py" >"$tmp/out"; is "$?$(cat "$tmp/out")" "0$bare" "which can be preloaded by hand"
is "$(counted "$tmp/t.json" crc32)" 100 "each call is there"

# Two libraries, and a program of many calls.
printf 'create table t(a, b);\n%s\nselect count(*), sum(a) from t;\n' "$(seq 300 | sed 's/.*/insert into t values(&, "text &");/')" >"$tmp/in.sql"
want=$(sqlite3 :memory: <"$tmp/in.sql")
rm -f "$tmp/t.json"; "$tracelayer" run -o "$tmp/t.json" --api sqlite3 "${zlib[@]}" -- sqlite3 :memory: <"$tmp/in.sql" >"$tmp/out" 2>"$tmp/err"
is "$?$(cat "$tmp/out")" "0$want" "sqlite3's shell, two libraries traced: prints the same"
mkdir -p "$XDG_CONFIG_HOME/tracelayer/apis"
echo '{"name": "lean", "prefix": "lean", "version": "1", "headers": ["zlib.h"], "sonames": ["libz.so.1"], "left_out": {"crc32_z": "nobody asks for it"}}' \
	>"$XDG_CONFIG_HOME/tracelayer/apis/lean.json"
"$tracelayer" run -o "$tmp/lean.json" --api=lean -- "$python" "$tmp/sums.py" >"$tmp/out" 2>"$tmp/err"
rm "$XDG_CONFIG_HOME/tracelayer/apis/lean.json"
like "$(cat "$tmp/err")" '^tracelayer: .* left out, .*; the reasons are in .*/lean-.*\.log$' "what is left out is told in one line"
is "$(counted "$tmp/t.json" sqlite3_prepare_v2)" "$(counted "$tmp/t.json" sqlite3_finalize)" "statements are prepared as often as finalized"
like "$(cat "$tmp/t.json")" '"zSql":"insert into t values\(7, .*text 7' "the statements' texts are there"

# What can't be.
if command -v aarch64-linux-gnu-gcc >/dev/null && test "$(uname -m)" = x86_64; then
	echo 'int f(int a) { return a; }' | aarch64-linux-gnu-gcc -shared -fPIC -nostdlib -x c -o "$tmp/libarm.so" -
	run --lib="$tmp/libarm.so" -- true; is $? 1 "a library for another processor"
	like "$(cat "$tmp/err")" 'libarm.so: the library is for another processor, and this tracelayer for x86-64' "which a line tells"
else
	skip 2 "this machine has no compiler for another one"
fi
run --header=zlib.h -- true; is "$?$(cat "$tmp/err")" "2tracelayer: --header: no library given; name the one that has the functions with --lib" "a header, and no library"
run --lib=libnothing.so.7 -- true; is $? 1 "no such library"
like "$(cat "$tmp/err")" '^tracegen: libnothing.so.7: .*; give its path' "which one line tells"
run --header=zlip.h --lib=libz.so.1 -- true; like "$?$(cat "$tmp/err")" '^1tracegen: .zlip.h. file not found; ' "no such header"
run --header=zlib.h --lib=libsqlite3.so.0 -- true; like "$?$(cat "$tmp/err")" '^1tracegen: .*libsqlite3.so.0: it exports none of the functions' "a header of another library"
run --lib=libc.so.6 -- true; is "$?$(cat "$tmp/err")" \
	"1tracegen: libc.so.6: tracelayer itself calls it, so nothing can stand in front of it; use ltrace or strace for this library" "the C library"
if test "$(id -u)" = 0; then
	mkdir -p "$tmp/theirs/tracelayer/interposers"; chown nobody "$tmp/theirs/tracelayer/interposers"
	XDG_CACHE_HOME=$tmp/theirs run "${zlib[@]}" -- true; is "$?$(cat "$tmp/err")" \
		"1tracelayer: $tmp/theirs/tracelayer/interposers: the folder belongs to another user; set XDG_CACHE_HOME to one of yours" "a cache of another user's"
else
	skip 1 "on this machine, nobody but root can give a folder away"
fi
: >"$tmp/file"; XDG_CACHE_HOME=$tmp/file run "${zlib[@]}" -- true; like "$?$(cat "$tmp/err")" '^1tracelayer: .*: cannot keep interposers there: Not a directory; set XDG_CACHE_HOME' "no folder for a cache"
