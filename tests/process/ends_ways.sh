#!/bin/bash
# SPDX-License-Identifier: MIT
# A process that leaves without running exit handlers, or becomes another program, leaves its whole trace: by preloading alone.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
app=$(cd "$top_builddir" && pwd)/tests/apps/ends_ways
libtracelayer=$(cd "$top_builddir" && pwd)/.libs/libtracelayer.so
export OCL_ICD_VENDORS=$tmp/none
cd "$tmp" || exit 99
plan 93

# A chunk's worth of calls starts the writer thread: less than one, and more.
few=7
many=40000

# way NAME CALLS: traced, in an empty folder, one file for each process or program.
way()
{
	rm -f t*.json
	LD_PRELOAD=$libtracelayer TRACELAYER_OUTPUT=t.json timeout 60 "$app" "$@" 2>err
}

# counts: of each file in turn, each strict JSON, in the order of their numbers.
counts()
{
	local files=() file
	for file in t.json t.1.json t.2.json t.3.json; do
		test ! -e $file || files+=($file)
	done
	echo $(events_each clGetPlatformIDs -- "${files[@]}")
}

# sorted: the same, by size.
sorted() { counts | tr ' ' '\n' | sort -n | tr '\n' ' '; }

# leaves NAME CALLS FILES: by that way the process ends with 5 and nothing said, and its files have so many calls each.
leaves()
{
	way "$1" "$2"
	is "$? $(cat err)" "5 " "$1 after $2 calls: the program's own end, and nothing said"
	is "$(counts)" "$3" "$1 after $2 calls: all calls, each once, in a file for each program"
}

for calls in $few $many; do
	for name in _exit _Exit exit-in-handler; do
		leaves $name $calls $calls
	done
	leaves quick_exit $calls $((2 * calls))
	for name in execve execv execvp execvpe execl execlp execle fexecve execveat; do
		leaves $name $calls "$calls $calls"
	done
	leaves vfork-exit $calls $((2 * calls))
	leaves vfork-calls $calls $((2 * calls))
	# The child's file comes first: its parent has written none yet, or has the name.
	way vfork-exec $calls
	is "$? $(cat err) $(counts)" "5  $calls $calls" "vfork-exec after $calls calls: a file for the parent and one for the program"
	way fork-exit $calls
	is "$? $(sorted)" "5 $calls $((2 * calls)) " "fork-exit after $calls calls: a file for the parent and one for the child"
	way fork-first $calls
	is "$? $(sorted)" "5 $calls $((2 * calls)) " "fork before $calls calls: a file for the parent and one for the child"
	way spawn $calls
	is "$? $(sorted)" "5 $calls $((2 * calls)) " "posix_spawn: a file for the parent and one for the program"
	way system $calls
	is "$? $(sorted)" "5 $calls $calls $((2 * calls)) " "system and popen: a file for the parent and one for each program"
done

for name in execve execv execvp execvpe execl execlp execle fexecve execveat; do
	leaves fail-$name $few $((2 * few))
done

way fail-execve $many
is "$? $(cat err) $(counts)" "5  $((2 * many))" "an exec that fails leaves recording on, with a writer that runs"

# The writer's thread alone does not keep the process.
leaves thread-exit $many $many

way _exit 0
is "$?$(ls t*.json 2>/dev/null)" 5 "a process that made no call leaves no file"

# In a /dev/shm of its own: what lay there is gone with the process, or with the program that it was.
if unshare -rm mount -t tmpfs none /dev/shm 2>err; then
	cat >all.sh <<-'END'
		mount -t tmpfs none /dev/shm || exit 1
		for name in _exit _Exit quick_exit exit-in-handler execve execv execvp execvpe execl execlp execle fexecve execveat \
			fork-exit fork-first spawn vfork-exit vfork-calls vfork-exec fail-execve fail-execlp fail-fexecve; do
			rm -f t*.json
			LD_PRELOAD=$library TRACELAYER_OUTPUT=t.json "$1" $name 7
			test $? = 5 || echo "$name: $?"
			for file in /dev/shm/*; do
				test ! -e $file || { echo "$name: $file"; rm $file; }
			done
		done
	END
	is "$(library=$libtracelayer unshare -rm sh all.sh "$app" 2>&1)" "" "no buffers are left behind"
else
	skip 1 "/dev/shm can't be mounted over on this machine: $(cat err)"
fi
