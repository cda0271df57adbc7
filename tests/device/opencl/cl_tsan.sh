#!/bin/bash
# SPDX-License-Identifier: MIT
# OpenCL's device lanes under ThreadSanitizer, by the loader's own layer (what is preloaded would be called before the sanitizer is there): programs whose threads
# submit and wait, the library's thread that reports ended commands, and forks. The shims and the driver are the build's, without the sanitizer.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/sanitizers.sh"
need_library

options="-std=gnu11 -D_GNU_SOURCE -O1 -g -w -fexceptions -fsanitize=thread -fPIC -I$top_srcdir/include -I$top_srcdir -I$top_builddir -I$top_builddir/apis/include"
archives=$top_builddir/.libs

library()
{
	need_sanitized libtl_core_tsan.a libtl_writer_tsan.a libtl_roof_tsan.a &&
		${CC:-cc} $options -shared -Wl,--whole-archive "$top_builddir/libtl_core_tsan.a" "$top_builddir/libtl_writer_tsan.a" \
		"$top_builddir/libtl_roof_tsan.a" "$archives/libtl_late.a" \
		-Wl,--no-whole-archive -Wl,-Bsymbolic -Wl,-z,nodelete -Wl,--version-script="$top_builddir/layer/libtracelayer-plain.map" -Wl,-soname,libtracelayer.so.0 \
		-Wl,--exclude-libs,libffi.a:libdeflate.a -l:libffi.a -l:libdeflate.a -o "$tmp/libtracelayer.so.0" && ln -s libtracelayer.so.0 "$tmp/libtracelayer.so" &&
		${CC:-cc} -shared -Wl,--whole-archive "$archives/libtl_cl_layer.a" -Wl,--no-whole-archive -L"$tmp" -ltracelayer -Wl,-rpath,"$tmp" \
			-o "$tmp/layer.so"
}

program() { ${CC:-cc} $options "$top_srcdir/tests/apps/$1.c" -o "$tmp/$1" -lOpenCL -ldl -lm -pthread; }

# A report is an exit code of its own.
run_under()
{
	TSAN_OPTIONS="exitcode=66 die_after_fork=0" OCL_ICD_VENDORS="$(cd "$top_builddir" && pwd)/tests/drivers/.libs/icd_a.so" OPENCL_LAYERS=$tmp/layer.so \
		TRACELAYER_OUTPUT=$tmp/trace.json "$@" >"$tmp/out" 2>&1 || { cat "$tmp/out"; return 1; }
}

commands_are_there() { grep -q '"cat":"device,operator"' "$tmp/trace.json"; }

works thread || skip_all "ThreadSanitizer does not work on this machine"
plan 8
ok "the library builds with -fsanitize=thread" library
ok "so do the programs" eval 'program cl_device && program cl_device_ends'
ok "every command, from two threads: no report" run_under "$tmp/cl_device" -n 2
ok "and it was traced" commands_are_there
rm -f "$tmp"/trace*.json
ok "a program that forks all the time: no report" run_under "$tmp/cl_device_ends" forking
ok "one that rests, so that our thread goes and comes: no report" run_under "$tmp/cl_device_ends" resting
ok "three queues and calls that wait for them: no report" run_under "$tmp/cl_device_ends" paced 30
ok "one that can have no threads: no report" run_under "$tmp/cl_device_ends" unthreaded
