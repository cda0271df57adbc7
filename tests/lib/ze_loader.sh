# SPDX-License-Identifier: MIT
# ze_loader.sh: sourced by tests that hold a Level Zero driver's calls against its program's. The installed loader makes calls of its own: it calls zeInit, to
# see whether the driver is alive; and 1.20 asks for drivers and devices, to sort them.

# ze_loader_calls FILE: into it, "function count" for each of these, as one program has them without tracelayer.
ze_loader_calls()
{
	TEST_ZE_COUNTS=$tmp/loader.driver TEST_ZE_APP_COUNTS=$tmp/loader.program timeout 60 "$top_builddir/tests/apps/ze_dlopen" >"$tmp/loader.out" 2>&1 || return
	counts_without "$tmp/loader.driver" "$tmp/loader.program" >"$1"
}

# ze_loader_switches: whether it can put its tracing layer into the path of calls, and out again. Then tracers hear of calls only while it is there, which
# ZE_ENABLE_TRACING_LAYER=1 asks for.
ze_loader_switches()
{
	readelf -W --dyn-syms "$(ldd "$top_builddir/tests/apps/ze_vector_add" | sed -n 's/.*libze_loader\.so\.1 => \([^ ]*\) .*/\1/p')" | grep -qw zelEnableTracingLayer
}

# counts_without COUNTS OTHER, counts_with COUNTS OTHER: the counts less the others, or with them; without those that are 0.
counts_without() { awk 'FILENAME == ARGV[1] { other[$1] = $2; next } $2 -= other[$1] { print $1, $2 }' "$2" "$1" | sort; }
counts_with() { awk '{ count[$1] += $2 } END { for (name in count) print name, count[name] }' "$1" "$2" | sort; }
