# SPDX-License-Identifier: MIT
# tests of cli: each command's are in a folder named like its own
long_scripts += %D%/profile/profile.sh %D%/run/run.sh
check_scripts += %D%/apis/apis.sh %D%/apis/interposer_cache.sh
check_scripts += %D%/run/config.sh %D%/run/job.sh %D%/run/job_sigterm.sh %D%/run/signals.sh %D%/run/preloaded_shims.sh %D%/run/mpi_abi.sh %D%/run/needed.sh
check_scripts += %D%/summary/function_names.sh %D%/summary/job.sh %D%/summary/self_times.sh %D%/summary/selection.sh %D%/summary/summary.sh %D%/summary/summary_device.sh %D%/summary/summary_formats.sh %D%/summary/summary_size.sh %D%/summary/summary_stacks.sh %D%/summary/terminal.sh
check_scripts += %D%/completions/completions.sh
test_files += %D%/completions/tab.zsh
check_scripts += %D%/diff/diff.sh
check_scripts += %D%/export/export.sh %D%/export/export_events.sh %D%/export/mpi_hostile.sh %D%/export/mpi_statuses.sh %D%/export/overlap.sh %D%/export/sqlite.sh %D%/export/systrace.sh %D%/export/timeline.sh
check_scripts += %D%/report/report.sh %D%/report/view.sh
test_files += %D%/report/report_traces.py
check_scripts += %D%/recover/recover.sh %D%/recover/recover_job.sh
check_scripts += %D%/phases/phases_selection.sh %D%/top/top.sh
stress_scripts += %D%/phases/phases.sh %D%/summary/summary_flat.sh
deep_stress_scripts += %D%/phases/phases_fuzz.sh %D%/summary/sums_fuzz.sh %D%/summary/scan_fuzz.sh %D%/summary/events_fuzz.sh %D%/summary/pftrace_reader_fuzz.sh
test_files += %D%/summary/fuzz_sums.c %D%/summary/fuzz_scan.c %D%/summary/fuzz_events.c %D%/summary/fuzz_pftrace_reader.c
deep_stress_scripts += %D%/run/config_fuzz.sh
test_files += %D%/run/fuzz_config.c
test_files += %D%/diff/diff.py %D%/diff/diff_traces.py
test_files += %D%/summary/self_times.py %D%/summary/summary_device.py %D%/summary/summary_flat.py %D%/summary/summary_progress.py %D%/export/systrace.py %D%/export/timeline.py %D%/profile/profile.py %D%/top/top.py %D%/top/top_fast.py %D%/top/top_target.py
test_files += %D%/phases/fuzz_phases.c %D%/phases/phases_calls.py %D%/phases/phases_inputs.py %D%/phases/phases_memory.py \
	%D%/phases/phases_model.py %D%/phases/phases_progress.py %D%/phases/nnapi

unit_tests += tally_test
tally_test_SOURCES = %D%/tally/tally_test.c tests/lib/random.h cli/tally/tally_rows.h cli/tally/tally.c cli/basics/interned.h cli/basics/interned.c
tally_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tally_test_LDADD = libtl_table.la $(CHECK_LIBS)

check_PROGRAMS += %D%/summary/make_job
%C%_summary_make_job_SOURCES = %D%/summary/make_job.c cli/tally/rank_sum.h cli/tally/rank_sum.c cli/tally/tally_rows.h cli/tally/tally.c \
	cli/basics/interned.h cli/basics/interned.c
%C%_summary_make_job_LDADD = libtl_table.la $(ZLIB_LIBS)

check_PROGRAMS += %D%/export/make_mpi
%C%_export_make_mpi_SOURCES = %D%/export/make_mpi.c tests/lib/trace_builder.h
%C%_export_make_mpi_LDADD = libtl_reader.la libtl_format.la

unit_tests += align_test
align_test_SOURCES = %D%/export/align_test.c tests/lib/assert_often.h tests/lib/random.h cli/export/align_fit.h cli/export/align_fit.c
align_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
align_test_LDADD = $(CHECK_LIBS) -lm

# The command that sums up, and looks up device work in parts, at a 32nd of what the installed one does: summary_flat.sh shows that with few events.
check_PROGRAMS += %D%/summary/small_tracelayer
%C%_summary_small_tracelayer_SOURCES = cli/summary/flat.c cli/summary/flat_calls.c cli/summary/flat_search.c cli/summary/flat_commands.c cli/summary/flat_waits.c cli/summary/flat_events.c
%C%_summary_small_tracelayer_CPPFLAGS = $(AM_CPPFLAGS) -DEVENTS_KEPT=32768 -DEVENTS_AT_ONCE=2048 -DCOMMANDS_AT_ONCE=2048 -DCALLS_AT_ONCE=6144
%C%_summary_small_tracelayer_CFLAGS = $(libtl_cli_a_CFLAGS)
%C%_summary_small_tracelayer_LDADD = $(tracelayer_traces_OBJECTS) $(tracelayer_traces_LDADD)
%C%_summary_small_tracelayer_DEPENDENCIES = $(tracelayer_traces_OBJECTS) $(tracelayer_traces_DEPENDENCIES)
