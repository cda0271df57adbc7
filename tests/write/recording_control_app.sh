# SPDX-License-Identifier: MIT
# recording_control_app.sh: talking with apps/control_calls, which makes calls, pauses and so on as a test asks. Sourced after lib.sh.
app=$top_builddir/tests/apps/control_calls
trace=$tmp/t.json

# start COMMAND…: run a program that takes words, its number is in $pid; tell WORD…: give it words, its last answer is in $answer.
start()
{
	rm -f "$tmp"/t.*json
	coproc APP { exec "$@" 2>"$tmp/err"; }
	to=${APP[1]} from=${APP[0]} child=$APP_PID
	tell name
	pid=$answer
}
tell()
{
	for _word; do
		answer=
		echo "$_word" >&"$to"
		read -r -t 60 -u "$from" _ answer
	done
}
finish() { eval "exec $to>&-"; wait "$child"; }

# run OPTION…: start it by the command.
run() { start "$tracelayer" run -o "$trace" "$@" -- "$app"; }

# until_it COMMAND…: for ten seconds at most.
until_it() { for _i in {1..200}; do "$@" && return; sleep 0.05; done; false; }
