#!/bin/bash
# SPDX-License-Identifier: MIT
# Subscribers of XPTI: which are loaded, what they get and in what order, the messages about those that can't be loaded, and what they can't break. For programs
# that are linked with the dispatcher, have it preloaded, or load it by the static proxy.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
library=$top_builddir/.libs/libtracelayer-xpti.so
by_soname=$top_builddir/.libs/tracelayer/xpti
proxy=$top_builddir/libtracelayer-xptiproxy.a
test -f "$proxy" || { echo "Bail out! $proxy is missing; run make first"; exit 99; }
unset XPTI_SUBSCRIBERS XPTI_TRACE_ENABLE XPTI_FRAMEWORK_DISPATCHER
cc="${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -g -I$top_srcdir/include"
plan 160

# subscriber NAME LINK FLAGS…: linked with the dispatcher, as subscribers are (LINK is linked), or with undefined symbols (LINK is plain).
subscriber()
{
	_name=$1; _link=$2; shift 2
	test "$_link" = linked && _link="-L$by_soname -lxptifw" || _link=
	$cc -shared -fPIC -DNAME="\"$_name\"" "$@" "$top_srcdir/tests/xpti/dispatcher/xpti_subscriber.c" -o "$tmp/$_name.so" $_link
}

# program NAME: in each of the ways. Preloaded, the dispatcher takes the place of a library that does nothing.
sed -e '/^#/d' -e 's/.*/int &(void); int &(void) { return 0; }/' "$top_srcdir/xpti/dispatcher/exports" >"$tmp/idle.c"
program()
{
	$cc "$top_srcdir/tests/xpti/dispatcher/xpti_$1.c" -o "$tmp/$1_linked" -L"$by_soname" -lxptifw -Wl,-rpath,"$by_soname" &&
	$cc -w -shared -fPIC "$tmp/idle.c" -Wl,-soname,libidle.so -o "$tmp/libidle.so" &&
	$cc "$top_srcdir/tests/xpti/dispatcher/xpti_$1.c" -o "$tmp/$1_preloaded" -L"$tmp" -lidle -Wl,-rpath,"$tmp" &&
	$cc "$top_srcdir/tests/xpti/dispatcher/xpti_$1.c" -o "$tmp/$1_proxied" "$proxy"
}

# The subscriber lazy is bound lazily whatever the compiler's default is: Ubuntu's links with -z now, where a function that nobody has keeps a library from being
# loaded.
ok "programs and subscribers are built" eval "
	subscriber a linked -DLEVEL=1 && subscriber b linked -DLEVEL=3 && subscriber plain plain -DCALLS && subscriber calls linked -DCALLS &&
	subscriber none linked -DNO_INIT && subscriber half linked -DNO_FINISH && subscriber closes linked -DCLOSES &&
	subscriber ends linked -DENDS=1 && subscriber cuts linked -DENDS=2 -DCALLS && subscriber repeats linked -DREPEATS && subscriber asked linked -DREPEATS -DLEVEL=3 && subscriber early linked -DEARLY -DCALLS &&
	subscriber leaves linked -DLOADED -DCALLS &&
	subscriber lazy linked -DLAZY -Wl,-z,lazy && subscriber s linked -DLOADED && subscriber its linked -DREGISTERS &&
	subscriber unsaid linked -DLEVEL=3 -DUNSAID &&
	program app && program steps"
echo text >"$tmp/text.so"
$cc -shared -fPIC -x c /dev/null -o "$tmp/libgone.so"
# As it is linked with SYCL 2026: it needs libxptifw.so.1.
$cc -w -shared -fPIC "$tmp/idle.c" -Wl,-soname,libxptifw.so.1 -o "$tmp/libxptifw.so.1"
subscriber newer plain -DCALLS -L"$tmp" -Wl,--no-as-needed -l:libxptifw.so.1
rm "$tmp/libxptifw.so.1"
subscriber needs linked -L"$tmp" -Wl,--no-as-needed -lgone
rm "$tmp/libgone.so"
long=$(printf 'x%.0s' $(seq 1 5000)).so

# run PROGRAM ARGUMENT...: as $way says.
run()
{
	case $way in
	linked) timeout 20 "$tmp/$1_linked" "${@:2}" ;;
	preloaded) timeout 20 env LD_PRELOAD="$library" "$tmp/$1_preloaded" "${@:2}" ;;
	proxied) XPTI_FRAMEWORK_DISPATCHER=$library timeout 20 "$tmp/$1_proxied" "${@:2}" ;;
	esac
}

# app SUBSCRIBERS [TIMES]: what it says is in $tmp/out and $tmp/err.
app() { XPTI_SUBSCRIBERS=$1 run app $2 >"$tmp/out" 2>"$tmp/err"; }

# steps SUBSCRIBER "STEP..." "LINE
# ..." WHAT
steps()
{
	XPTI_SUBSCRIBERS=$tmp/$1.so run steps $2 >"$tmp/out" 2>&1
	is "$(grep -v '^s unloaded' "$tmp/out")" "$3" "$4"
}

# Each line of results says which way it is about.
eval "plain_$(declare -f pass)"
eval "plain_$(declare -f fail)"
pass() { plain_pass "$way: $*"; }
fail() { plain_fail "$way: $*"; }

# ---- which are loaded, and what they are told
are_loaded()
{
	app "$tmp/b.so,$tmp/a.so"
	is $? 0 "a program runs with two subscribers"
	cat >"$tmp/wanted" <<END
enabled 1
b init xpti.framework 1.0 1.0.0
a init xpti.framework 1.0 1.0.0
b init app 3.4 3.4
a init app 3.4 3.4
level 3
notified 0
b finish xpti.framework
a finish xpti.framework
b finish app
a finish app
done
END
	same "$tmp/out" "$tmp/wanted" "they are told of the framework's stream first, then of the program's, in the order of their names in the setting"
	is "$(cat "$tmp/err")" "" "nothing is said"
	app "$tmp/a.so,$tmp/a.so"
	is "$(grep -c 'a init app' "$tmp/out")" 1 "a library that is named twice is loaded once"
	like "$(cat "$tmp/out")" '^level 1$' "the stream's level is what the subscriber wants"
	app "$tmp/calls.so"
	like "$(cat "$tmp/out")" '^level 2$' "one that doesn't say wants the normal level"
	like "$(cat "$tmp/out")" '^calls registered 0 good$' "a subscriber may call every function in its init"
	like "$(cat "$tmp/out")" '^calls init own 1.0 1$' "also initialize a stream of its own"
	like "$(cat "$tmp/out")" '^calls task the task 1$' "its callback is called"
	app "$tmp/plain.so"
	like "$(cat "$tmp/out")" '^plain task the task 1$' "a subscriber that isn't linked with the dispatcher works where the program is"
	is "$(cat "$tmp/err")" "" "and nothing is said"
	app "$tmp/newer.so"
	is "$(grep -c '^newer task the task 1$' "$tmp/out") $(cat "$tmp/err")" "1 " "one that is linked with libxptifw.so.1 takes the dispatcher for it"
}

# ---- what is said of those that cannot be
are_not_loaded()
{
	app "$tmp/missing.so"
	is $? 0 "a program runs with a subscriber that is missing"
	is "$(cat "$tmp/err")" "tracelayer: subscriber $tmp/missing.so: cannot open shared object file: No such file or directory; check XPTI_SUBSCRIBERS" \
		"one line names it and the reason"
	like "$(cat "$tmp/out")" '^enabled 0$' "with no other subscriber, tracing is off"
	app "$tmp/none.so,$tmp/half.so,$tmp/a.so"
	is "$(cat "$tmp/err")" "tracelayer: subscriber $tmp/none.so: it has no xptiTraceInit; check XPTI_SUBSCRIBERS
tracelayer: subscriber $tmp/half.so: it has no xptiTraceFinish; check XPTI_SUBSCRIBERS" "one line for each that lacks an entry point"
	like "$(cat "$tmp/out")" '^a init app' "the others are loaded"
	app " $tmp/a.so"
	like "$(cat "$tmp/err")" '^tracelayer: subscriber  /.*No such file' "names are not trimmed"
	app "$tmp/a.so,,$tmp/b.so,"
	is "$(cat "$tmp/err")" "tracelayer: subscriber (no name): no library has an empty name; check XPTI_SUBSCRIBERS" "an empty name is said"
	is "$(grep -c 'init app' "$tmp/out")" 2 "and the others are loaded"
	app "$tmp/text.so"
	is "$(wc -l <"$tmp/err")" 1 "a file that is no library is said in one line"
	app "$long"
	is "$(cat "$tmp/err")" "tracelayer: subscriber ...${long: -600}: cannot open shared object file: File name too long; check XPTI_SUBSCRIBERS" \
		"a name of 5000 characters is told by its end"
	app $'new\nline.so'
	is "$(cat "$tmp/err")" "tracelayer: subscriber new?line.so: cannot open shared object file: No such file or directory; check XPTI_SUBSCRIBERS" \
		"a name with a line's end is one line"
	app "$tmp"
	like "$(cat "$tmp/err")" "^tracelayer: subscriber $tmp: cannot read file data: Is a directory; check XPTI_SUBSCRIBERS$" "a folder is no subscriber"
	app "$tmp/needs.so"
	is "$(cat "$tmp/err")" "tracelayer: subscriber $tmp/needs.so: libgone.so: cannot open shared object file: No such file or directory; check XPTI_SUBSCRIBERS" \
		"one that needs a library which isn't there is said with that"
}

# ---- what they cannot break
do_no_harm()
{
	app "$tmp/closes.so" 3
	is "$? $(grep -c -e 'closes init app' -e 'closes finish app' "$tmp/out") $(cat "$tmp/err")" "0 6 " "a subscriber that closes itself, again and again, does no harm and goes on"
	app "$tmp/leaves.so" 3
	cat >"$tmp/wanted" <<END
leaves loaded
leaves task the task 1
leaves unloaded, enabled 0
done
END
	cat "$tmp/wanted" "$tmp/wanted" "$tmp/wanted" >"$tmp/wanted3"
	grep -e task -e loaded -e done "$tmp/out" >"$tmp/got"
	same "$tmp/got" "$tmp/wanted3" "it is unloaded with the last user of the framework, and loaded again by the next"
	app "$tmp/ends.so" 3
	is "$? $(grep -c '^done$' "$tmp/out") $(cat "$tmp/err")" "0 3 " "one that ends the framework, in init and finish, is not unloaded under its own feet"
	app "$tmp/cuts.so" 3
	is "$? $(grep -c '^cuts task' "$tmp/out") $(cat "$tmp/err")" "0 3 " "nor one that does so in a callback"
	app "$tmp/repeats.so"
	is "$? $(grep -c -e 'repeats init own' -e 'repeats finish own' "$tmp/out") $(cat "$tmp/err")" "0 4 " \
		"one that begins a stream whenever one begins is not told for ever"
	app "$tmp/asked.so"
	is "$? $(grep -c -e '^asked asked xpti.framework$' -e '^done$' "$tmp/out") $(cat "$tmp/err")" "0 2 " \
		"nor is one asked for ever that does so when it is asked for the detail"
	like "$(cat "$tmp/out")" '^level 3$' "and what it stores counts"
	app "$tmp/early.so"
	is "$? $(grep -c -e 'early good' -e 'early task the task 1' "$tmp/out") $(cat "$tmp/err")" "0 2 " "one may call every function as it is loaded"
	app "$tmp/lazy.so"
	is "$(grep -c 'lazy init app' "$tmp/out") $(cat "$tmp/err")" "1 " "one that could call what nobody has is loaded"
}

# ---- when they are told
are_told()
{
	steps s "begin" "begin = 0" "the framework's first user alone doesn't load them"
	steps s "end register:app" "end = 0
s loaded
register:app = 2" "the first call of another function does"
	steps s "initialize:app initialize:app" "s loaded
s init xpti.framework 1.0 1.0.0
s init app 1.2 1.2
initialize:app = 0
s init app 1.2 1.2
initialize:app = 0" "they are told of a stream each time that it is initialized, of the framework's once"
	steps its "initialize:app register:app" "its init xpti.framework 1.0 1.0.0
its registers 2
its init app 1.2 1.2
its registers 2
initialize:app = 0
register:app = 3" "a stream has its number after they were told of it"
	steps unsaid "begin level:xpti.framework initialize:app level:xpti.framework level:app level:next end level:app level:xpti.framework" "begin = 0
level:xpti.framework = 2
unsaid init xpti.framework 1.0 1.0.0
unsaid init app 1.2 1.2
initialize:app = 0
level:xpti.framework = 3
level:app = 3
level:next = 2
end = 0
level:app = 2
level:xpti.framework = 2" "they say how much they want of each stream that begins, of the framework's, too, whatever they return; it is forgotten when the framework ends"
	steps s "finalize:app finalize:app" "s loaded
s finish xpti.framework
s finish app
finalize:app = 0
s finish app
finalize:app = 0" "the framework's stream ends with the first that does"
	steps s "begin initialize:app finalize:app end finalize:app" "begin = 0
s loaded
s init xpti.framework 1.0 1.0.0
s init app 1.2 1.2
initialize:app = 0
s finish xpti.framework
s finish app
finalize:app = 0
end = 0
s loaded
s finish app
finalize:app = 0" "a stream that is finalized after the framework ended does not end the framework's once more"
	steps s "begin initialize:app unregister:app end begin initialize:app unregister:app end" "begin = 0
s loaded
s init xpti.framework 1.0 1.0.0
s init app 1.2 1.2
initialize:app = 0
s finish app
unregister:app = ..04
end = 0
begin = 0
s loaded
s init app 1.2 1.2
initialize:app = 0
s finish app
unregister:app = ..04
end = 0" "they hear of the framework's stream once in a process, also where the framework begins anew"
	steps s "listen:app task:app unregister:app task:app unregister:unknown register:next" "s loaded
listen:app = 0
task
task:app = 0
s finish app
unregister:app = 0
task:app = 0
s finish unknown
unregister:unknown = ..04
register:next = 4" "they are told of the end of a stream that is unregistered"
	steps s "listen:xpti.framework task:xpti.framework unregister:app task:xpti.framework finalize:app task:xpti.framework" "s loaded
listen:xpti.framework = 0
task
task:xpti.framework = 0
s finish app
unregister:app = ..04
task
task:xpti.framework = 0
s finish xpti.framework
s finish app
finalize:app = 0
task:xpti.framework = 0" "the first stream that is finalized ends the framework's, and its callbacks; one that is unregistered does not"
	steps s "begin begin initialize:app end register:app end register:next" "begin = 0
begin = 0
s loaded
s init xpti.framework 1.0 1.0.0
s init app 1.2 1.2
initialize:app = 0
end = 0
register:app = 2
end = 0
s loaded
register:next = 3" "the framework ends with its last user"
	steps s "register:app end begin end register:app" "s loaded
register:app = 2
end = 0
begin = 0
end = 0
register:app = 2" "and never while there were more ends than beginnings"
}

# ---- settings
are_switched()
{
	XPTI_USE_STRICT_HASH=1 app "$tmp/calls.so"
	is "$(grep -c 'calls task the task 1' "$tmp/out") $(cat "$tmp/err")" "1 " "XPTI_USE_STRICT_HASH makes no difference"
	for value in '' 1 true; do
		XPTI_TRACE_ENABLE=$value app "$tmp/a.so"
		like "$(cat "$tmp/out")" '^enabled 1$' "XPTI_TRACE_ENABLE='$value' leaves tracing on"
	done
	for value in 0 false garbage; do
		XPTI_TRACE_ENABLE=$value app "$tmp/a.so"
		is "$(grep -e enabled -e '^a ' "$tmp/out")" "enabled 0" "XPTI_TRACE_ENABLE=$value turns it off, and subscribers are not loaded"
	done
}

for way in linked preloaded proxied; do
	are_loaded
	are_not_loaded
	do_no_harm
	are_told
	are_switched
done
