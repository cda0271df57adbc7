#!/bin/bash
# SPDX-License-Identifier: MIT
# A program killed at random instants: what tests/buffers/kill.py finds in its traces. STRESS=1: 200 times, after up to four times as many calls.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
export TMPDIR=$tmp	# `tracelayer run` is killed, too, and leaves its folder there
need_command
export top_srcdir top_builddir tmp
# For pftrace.py.
mkdir "$tmp/python"
(cd "$top_srcdir/tests/format/encode" && protoc --python_out="$tmp/python" pftrace.proto) ||
	{ echo "Bail out! protoc is missing; ./scripts/install-packages installs it"; exit 99; }
rounds=21
test -z "$STRESS" || rounds=200
plan $rounds
"$python" "$top_srcdir/tests/buffers/kill.py" $rounds $KILL_SEED
