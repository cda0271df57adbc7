# SPDX-License-Identifier: MIT
# viewer.sh: one viewer for all traces of a test, since a browser takes long to start. Source it after lib.sh.

# viewer COMMAND...: start it. The command reads traces' names (view.py); `timeout` bounds what it takes for all of them.
viewer()
{
	coproc VIEWER { TMPDIR=$tmp exec timeout 500 "$@" - 2>&1; }
	viewer_process=$VIEWER_PID
	# In subshells there are no descriptors of a coprocess, but there are copies of them.
	exec 7>&"${VIEWER[1]}" 8<&"${VIEWER[0]}"
	eval "exec ${VIEWER[1]}>&- ${VIEWER[0]}<&-"
}

# show TRACE: what the viewer prints of it, and its exit code.
show()
{
	local line
	printf '%s\n' "$1" >&7
	while read -r -t 60 -u 8 line; do
		case $line in "exit "*) return "${line#exit }" ;; esac
		printf '%s\n' "$line"
	done
	echo "the viewer does not answer"
	return 124
}

# viewer_end: the last trace was shown.
viewer_end()
{
	exec 7>&- 8<&-
	wait "$viewer_process"
}
