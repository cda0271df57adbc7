#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer.conf: beside the program and in the user's folder. What goes before what, what --show-settings says of it, and wrong lines.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_command
need_library
plan 40
cd "$tmp" || exit 99
export XDG_CONFIG_HOME=$tmp/config
own=$XDG_CONFIG_HOME/tracelayer/tracelayer.conf
mkdir -p "$XDG_CONFIG_HOME/tracelayer" app
beside=$(realpath app)/tracelayer.conf
cat >app/calls.py <<'END'
#!/usr/bin/env python3
import ctypes
ze = ctypes.CDLL("libze_loader.so.1")
ze.zeInit(0)
ze.zeDriverGet(ctypes.byref(ctypes.c_uint32(0)), None)
END
chmod +x app/calls.py
umask 022

run() { "$tracelayer" run "$@"; }
# from NAME [OPTION…]: a setting's value, and where it is from, with app/calls.py as the program.
from() { local name=$1; shift; run --show-settings "$@" -- app/calls.py | awk -v name="$name" '$1 == name { print $2, $3, $4 }'; }
# says WHAT LINE…: the lines as the user's file give this message, exit code 2, and no program starts.
wrong()
{
	local what=$1 message=$2; shift 2
	printf '%s\n' "$@" >"$own"
	rm -f started
	is "$(run -- touch started 2>&1; echo "$?"; ls started 2>/dev/null)" "tracelayer: $own:$message
2" "$what"
	rm -f "$own"
}

is "$(from args)" "full default " "no file: the default"
printf '%s\n' '# mine' '' '  args = scalars' 'exclude=*Get*, zeFoo' 'summary' >"$own"
is "$(from args)" "scalars $own:3 " "the user's file"
is "$(from summary)" "yes $own:5 " "a name alone has the value that the option alone has"
printf 'args = none\r\n' >"$beside"
is "$(from args)" "none $beside:1 " "the file beside the program goes before it"
is "$(TRACELAYER_ARGS=full from args)" "full TRACELAYER_ARGS " "the environment before both"
is "$(TRACELAYER_ARGS=none from args --args=scalars)" "scalars command line" "and the command line before all"
is "$(TRACELAYER_ARGS='' from args)" "full TRACELAYER_ARGS " "an empty variable is the default"
is "$(from exclude)" "*Get*, zeFoo $own:4" "what the first does not have is the second's"
is "$(from args --config=no)" "full default " "--config=no: no file"
echo 'level = runtime' >other.conf
is "$(from level --config=other.conf) $(from args --config=other.conf)" "runtime other.conf:1  full default " "--config: this file alone"
is "$(run --show-settings | grep -c .)" "$(($(run --show-settings --config=no | grep -c .)))" "without a program, the user's file counts"
is "$(run --show-settings | awk '$1 == "args" { print $2, $3 }')" "scalars $own:3" "and no other"
is "$(run --show-settings -- touch started; ls started 2>&1 | grep -c 'No such')" "$(run --show-settings -- touch started)
1" "no program is started"

# --- what is recorded
run -o t.json -- app/calls.py >/dev/null 2>out
is "$(grep -c '"name":"zeDriverGet"' t.json) $(grep -c '"name":"zeInit"' t.json)" "0 1" "a run obeys: an excluded function"
is "$(grep -c '"name":"zeInit".*"args":{"flags"' t.json)" 0 "no arguments"
is "$(grep -c '^function ' out)" 1 "and tables"
rm "$own" "$beside"
run -o u.json -- app/calls.py >/dev/null 2>&1
is "$(grep -c '"name":"zeDriverGet"' u.json)" 1 "without the files all is there"
ln -s "$PWD/app/calls.py" linked
printf 'quiet\n' >"$beside"
is "$(run -o t.json -- ./linked 2>&1)" "" "by a link: the file beside the program itself; options that are no settings work, too"
printf 'lib = libz.so.1\nheader = zlib.h\n' >"$own"
is "$(run --quiet -o z.json -- "$python" -c 'import zlib; zlib.crc32(bytes(99)); zlib.compress(b"a")' 2>&1; grep -c '"name":"deflateEnd"' z.json)" 1 \
	"a library and its header"
printf 'ring = 1M\n' >"$own"
is "$(from full)" "ring:1M $own:1 " "ring is full = ring:SIZE, as the option is"
printf 'tool = summary\n' >"$own"
is "$(from tool)" "summary $own:1 " "a tool"
is "$(from tool --tool=log)" "log command line" "those of the command line take its place"
mkdir -p "$tmp/kept"
printf 'buffers = kept\n' >"$own"
is "$(from buffers)" "$tmp/kept $own:1 " "a folder is made absolute"

# --- what is wrong
rm "$beside"
wrong "an unknown name" "2: colour: no such option; \`tracelayer run --help\` lists them" "" "colour = red"
wrong "a wrong value" "1: level = loud: no such word as 'loud'; use all, none, request, runtime, operator, debug, standard" "level = loud"
wrong "no value" "1: level: no value; write level = MASK" "level"
wrong "a wrong size of a ring" "1: ring = abc: not a size; use a number with K, M or G, like 64M" "ring = abc"
wrong "a ring without one" "1: ring: no value; write ring = SIZE" "ring"
wrong "a value too many" "1: mpi: it takes no value; write mpi" "mpi = yes"
wrong "no name" "1: no name before the =; a line is NAME = VALUE, with the name of an option" " = 3"
wrong "options that name files" "1: config: no such option; \`tracelayer run --help\` lists them" "config = x"
printf 'args = none\0\n' >"$own"
is "$(run -- true 2>&1; echo $?)" "tracelayer: $own:1: no text; is it another file?
2" "bytes that are no text"
head -c 100000 /dev/zero | tr '\0' a >"$own"
is "$(run -- true 2>&1; echo $?)" "tracelayer: $own:1: a very long line; is it another file?
2" "a long line"
rm "$own"; mkdir "$own"
is "$(run -- true 2>&1; echo $?)" "tracelayer: $own: cannot be read: it is no file
2" "a folder"
rmdir "$own"
mkfifo "$own"
is "$(timeout 20 "$tracelayer" run -- true 2>&1; echo $?)" "tracelayer: $own: cannot be read: it is no file
2" "a pipe, which is not waited for"
rm "$own"
is "$(run --config=missing.conf -- true 2>&1; echo $?)" "tracelayer: --config=missing.conf: there is no such file, or it may not be read; check the path
2" "--config: a file that is not there"

# --- whose file it is
echo 'quiet' >"$beside"
chmod 666 "$beside"
like "$(run -o t.json -- app/calls.py 2>&1)" "^tracelayer: $beside: it is not read, since another user may have written it; make it yours, and \`chmod go-w\` it
tracelayer: trace: t.json" "a file that others may write is not read, and a line says so"
chmod 664 "$beside"
like "$(run -o t.json -- app/calls.py 2>&1)" "it is not read" "nor one that a group may write"
chmod 644 "$beside"
if test "$(id -u)" = 0; then
	chown 12345 "$beside"
	like "$(run -o t.json -- app/calls.py 2>&1)" "it is not read" "nor one of another user"
else
	skip 1 "this machine's user can't give files away"
fi
rm "$beside"
is "$(unset XDG_CONFIG_HOME; mkdir -p home/.config/tracelayer; echo 'args = none' >home/.config/tracelayer/tracelayer.conf; HOME=$tmp/home from args)" \
	"none $tmp/home/.config/tracelayer/tracelayer.conf:1 " "without XDG_CONFIG_HOME: ~/.config"
