#!/bin/bash
# SPDX-License-Identifier: MIT
# Reads the library's code: its threads, exit handlers, producers that help or wait, and their messages reach no function that another
# library may replace. Exceptions are named here, with the reason.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
test "$(uname -m)" = x86_64 || skip_all "the reader of code knows x86-64, and this machine is another"
readelf -SW "$libtracelayer" | grep -q '\.symtab' || skip_all "this machine's libtracelayer.so is stripped"
! nm -D "$libtracelayer" | grep -qE ' U __[at]san_' || skip_all "a sanitizer's functions are in this machine's libtracelayer.so"
plan 2

# Where to begin:
#	our threads	writer_thread_main, tools_watch
#	ends		end_file, tl_process_flush, tl_process_end, report_unshimmed
#	requests	snapshot_signal (a signal handler), tl_writer_suspend, tl_writer_resume
#	producers	tl_record_reserve_slow
#	pointers	functions that a higher room gives to a lower one at the start. The reader of code can't see who calls them:
#			struct tl_buffer_upcalls: tl_writer_wake, tl_writer_help, tl_control_is_asked, tl_about_facts
#			tl_recording_at_begin: tl_device_look
#			Not tl_first_call_give's, tl_call_after_initialising's and tl_tracer_at_create's: these run in the program's calls only.
# Not gone into:
#	tl_process_start	has run before anything can be recorded
#	tl_device_apis		drivers are asked for their last results: their code is anybody's
#	tl_places		asks the environment once, when a process's first memory for events is made
#	tl_process_stages	the start, which has run; and for a child's first call, in the program's thread
# Allowed:
#	__errno_location	asked once, when the library is loaded
#	__stack_chk_fail	ends the process
#	pthread_setcancelstate	by producers, in the program's thread: it sets a word there
#	dl_iterate_phdr		at the end of a program that made no traced call: is there a driver that it could have called?
reach()
{
	"$python" "$top_srcdir/tests/base/libc/libc_static.py" "$libtracelayer" "$@" --allow=__errno_location,__stack_chk_fail,dl_iterate_phdr,pthread_setcancelstate
}
ok "threads, exit handlers and producers reach no function of another library" reach writer_thread_main tools_watch end_file tl_process_flush tl_process_end snapshot_signal \
	tl_writer_help tl_writer_wake tl_control_is_asked tl_about_facts tl_device_look tl_writer_suspend tl_writer_resume tl_record_reserve_slow report_unshimmed \
	-tl_process_start -tl_device_apis -tl_places -tl_process_stages
# The reader of code sees what there is to see.
like "$(reach tl_process_start)" '^getenv < ' "where one is within reach, that is found"
