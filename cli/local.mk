# SPDX-License-Identifier: MIT
# The tracelayer command: shares the formats, the settings and the API tables with the layer, but nothing of its code.

# `tracelayer phases`, apart from what the command defines for all: a fuzzer links it, too.
noinst_LTLIBRARIES += libtl_phases.la
libtl_phases_la_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) $(ZLIB_CFLAGS)
libtl_phases_la_SOURCES = \
	%D%/basics/basics.h %D%/basics/exit_codes.h %D%/basics/messages.h \
	%D%/basics/escaped.h %D%/basics/escaped.c %D%/basics/lane_spans.h %D%/basics/lane_spans.c %D%/basics/interned.h %D%/basics/interned.c %D%/basics/progress.h %D%/basics/progress.c \
	%D%/read/inflater.h %D%/read/inflater.c %D%/read/temporary_file.h %D%/read/temporary_file.c \
	%D%/systrace/systrace.h %D%/systrace/nn_mark.h %D%/systrace/nn_mark.c %D%/systrace/nn_names.h %D%/systrace/nn_names.c \
	%D%/systrace/systrace_packed.h %D%/systrace/systrace_packed.c %D%/systrace/systrace_reader.h %D%/systrace/systrace_reader.c \
	%D%/systrace/systrace_row.h %D%/systrace/systrace_row.c %D%/systrace/systrace_scan.h %D%/systrace/systrace_text.h %D%/systrace/systrace_text.c \
	%D%/phases/phase_detail.h %D%/phases/phase_detail.c %D%/phases/phase_print.h %D%/phases/phase_print.c %D%/phases/phase_run.h %D%/phases/phase_run.c %D%/phases/phase_times.h %D%/phases/phase_times.c \
	%D%/phases/phase_threads.h %D%/phases/phase_threads.c %D%/phases/phase_tree.h %D%/phases/phase_tree.c

# The commands, of which each of both programs takes what it needs. A line for each room; a new command adds its own.
noinst_LIBRARIES += libtl_cli.a
libtl_cli_a_SOURCES = \
	common/command_options.h common/command_options.c common/message_line.h common/message_line.c common/installed.h common/installed.c common/library_file.h common/library_file.c common/library_path.h common/library_path.c common/run_protocol.h \
	%D%/basics/messages.c %D%/basics/fact_values.h %D%/basics/fact_values.c %D%/basics/list_room.h %D%/basics/options.h %D%/basics/options.c %D%/basics/paths.h %D%/basics/paths.c %D%/basics/time_ns.h %D%/basics/user_folders.h %D%/basics/user_folders.c %D%/basics/words.h %D%/basics/words.c \
	%D%/leftovers/leftovers.h %D%/leftovers/leftovers.c \
	%D%/outputs/outputs.h %D%/outputs/output_file.h %D%/outputs/output_file.c %D%/outputs/encoded_pieces.c %D%/outputs/record_pieces.c %D%/outputs/trace_encoder.h %D%/outputs/trace_encoder.c %D%/outputs/trace_sink.h %D%/outputs/trace_sink.c \
	%D%/tally/tally.h %D%/tally/tally_rows.h %D%/tally/tally.c %D%/tally/rank_sum.h %D%/tally/rank_sum.c \
	%D%/read/read.h %D%/read/chrome_reader.h %D%/read/loose_json.h %D%/read/block_reader.h %D%/read/block_reader.c %D%/read/pftrace_reader.h %D%/read/pftrace_frames.h %D%/read/pftrace_values.h %D%/read/protobuf_fields.h %D%/read/sqlite_reader.h %D%/read/trace_kind.h %D%/read/plain_event.h %D%/read/record_file.h %D%/read/record_file.c %D%/read/json.h %D%/read/trace_events.h %D%/read/shown_names.h %D%/read/shown_names.c %D%/read/selection.h %D%/read/selection.c %D%/read/selection_time.h %D%/read/selection_time.c %D%/read/event_filter.h %D%/read/lane_filter.h %D%/read/lane_filter.c %D%/read/arrow_filter.h %D%/read/lane_keys.h %D%/read/lane_keys.c %D%/read/event_members.h %D%/read/event_kernel.h %D%/read/event_stacks.h %D%/read/event_stacks.c %D%/read/event_category.h %D%/read/event_category.c \
	%D%/systrace/slices.h %D%/systrace/systrace_writer.h %D%/systrace/systrace_writer.c \
	%D%/control/control.h %D%/control/control.c \
	%D%/job/job.h %D%/job/job_ranks.h %D%/job/job_ranks.c %D%/job/job_folder.h %D%/job/job_folder.c \
	%D%/phases/phases.h %D%/phases/phases.c %D%/phases/phase_select.h %D%/phases/phase_select.c \
	%D%/export/export.h %D%/export/export.c %D%/export/export_job.h %D%/export/export_output.c %D%/export/export_stacks.h %D%/export/export_stacks.c %D%/export/export_events.h %D%/export/export_events.c %D%/export/json_print.h %D%/export/export_folded.h %D%/export/export_folded.c %D%/export/export_encode.c \
	%D%/export/export_timeline.h %D%/export/export_timeline.c %D%/export/timeline_clock.h %D%/export/timeline_clock.c %D%/export/timeline_align.h %D%/export/timeline_align.c %D%/export/align_fit.h %D%/export/align_fit.c %D%/export/mpi_calls.h %D%/export/mpi_calls.c %D%/export/mpi_channels.h %D%/export/mpi_channels.c %D%/export/mpi_comms.h %D%/export/mpi_comms.c %D%/export/mpi_comm_world.h %D%/export/mpi_comm_world.c %D%/export/mpi_grids.h %D%/export/mpi_grids.c %D%/export/mpi_groups.h %D%/export/mpi_groups.c %D%/export/mpi_hosts.h %D%/export/mpi_hosts.c %D%/export/mpi_intercomms.h %D%/export/mpi_intercomms.c %D%/export/mpi_messages.h %D%/export/mpi_messages.c \
	%D%/export/mpi_process.h %D%/export/mpi_process.c %D%/export/otf2_messages.h %D%/export/otf2_messages.c %D%/export/timeline_inputs.h %D%/export/timeline_inputs.c \
	%D%/export/timeline_numbers.h %D%/export/timeline_numbers.c %D%/export/timeline_records.h %D%/export/timeline_records.c %D%/export/timeline_renumber.h %D%/export/timeline_renumber.c %D%/export/timeline_selected.h %D%/export/timeline_selected.c %D%/export/selected_arrows.h %D%/export/selected_arrows.c %D%/export/timeline_stream.h %D%/export/timeline_stream.c \
	%D%/export/timeline_tar.c %D%/export/timeline_otf2.c %D%/export/otf2_archive.h %D%/export/otf2_archive.c %D%/export/otf2_slices.h %D%/export/otf2_slices.c %D%/export/otf2_writer.h %D%/export/otf2_definitions.h %D%/export/otf2_definitions.c %D%/export/otf2_records.h %D%/export/otf2_records.c %D%/export/tar_file.h %D%/export/tar_file.c \
	%D%/recover/recover.h %D%/recover/recover.c %D%/recover/recovery.h %D%/recover/recovery.c %D%/recover/output_note.h %D%/recover/output_note.c \
	%D%/summary/summary.h %D%/summary/summary_command.c %D%/summary/history.h %D%/summary/history.c %D%/summary/history_reader.h %D%/summary/history_reader.c %D%/summary/plain_history.h %D%/summary/event_runs.h %D%/summary/event_runs.c %D%/summary/queue_map.h %D%/summary/queue_map.c %D%/summary/kept_times.h %D%/summary/kept_times.c %D%/summary/self_times.h %D%/summary/self_times.c %D%/summary/flat.h %D%/summary/flat_work.h %D%/summary/flat.c %D%/summary/flat_calls.c %D%/summary/flat_search.c %D%/summary/flat_commands.c %D%/summary/flat_waits.c %D%/summary/flat_events.c %D%/summary/record_scan.h %D%/summary/record_scan.c %D%/summary/scan_run.c %D%/summary/scan_worker.h %D%/summary/scan_known.c %D%/summary/scan_marks.c %D%/summary/scan_commands.c %D%/summary/scan_files.c %D%/summary/stack_groups.h %D%/summary/stack_groups.c %D%/summary/waits.h %D%/summary/waits.c %D%/summary/filter.h %D%/summary/filter.c %D%/summary/trace_sum.h %D%/summary/trace_sum.c %D%/summary/any_sum.h %D%/summary/any_sum.c %D%/summary/job_sums.h %D%/summary/job_sums.c %D%/summary/job_tables.h %D%/summary/job_tables.c %D%/summary/job_summary.h %D%/summary/job_summary.c %D%/summary/tabulate.h %D%/summary/tabulate.c %D%/summary/tabulate_work.h %D%/summary/tabulate_groups.c %D%/summary/tabulate_queues.c %D%/summary/tabulate_sums.c %D%/summary/table_options.h %D%/summary/table_options.c \
	%D%/summary/sum_save.h %D%/summary/sum_save.c \
	%D%/diff/diff.h %D%/diff/diff_command.c %D%/diff/pairs.h %D%/diff/pairs.c %D%/diff/rank_test.h %D%/diff/rank_test.c %D%/diff/conditions.h %D%/diff/conditions.c %D%/diff/diff_tables.h %D%/diff/diff_tables.c \
	%D%/report/report.h %D%/report/report_command.c %D%/report/view_command.c %D%/report/report_make.h %D%/report/report_model.h %D%/report/report_page.h \
	%D%/symbols/symbols.h %D%/symbols/symbols.c %D%/symbols/demangle.h %D%/symbols/demangle.c %D%/symbols/trace_stacks.h %D%/symbols/trace_stacks.c \
	%D%/sqlite/sqlite.h %D%/sqlite/sqlite_schema.h %D%/sqlite/sqlite_write.c \
	%D%/apis/apis.h %D%/apis/apis_command.c %D%/apis/api_descriptors.h %D%/apis/interposers.c %D%/apis/interposer_cache.h %D%/apis/program_libraries.h \
	%D%/run/run.h %D%/run/run.c %D%/run/config_file.h %D%/run/config_file.c %D%/run/given_settings.h %D%/run/given_settings.c %D%/run/program_path.h %D%/run/program_path.c %D%/run/preloading.h %D%/run/preloading.c %D%/run/launch.h %D%/run/launch.c %D%/run/closing.h %D%/run/closing.c %D%/run/run_job.h %D%/run/run_job.c %D%/run/job_claim.h %D%/run/job_claim.c %D%/run/layer_reports.h %D%/run/layer_reports.c %D%/run/started_images.h %D%/run/started_images.c %D%/run/left_running.h %D%/run/left_running.c \
	%D%/live/live.h %D%/live/live_file.h %D%/live/live_file.c %D%/live/live_records.h %D%/live/live_records.c %D%/live/live_chunks.h %D%/live/live_chunks.c %D%/live/live_clock.h %D%/live/live_texts.h %D%/live/live_texts.c %D%/live/process_names.h %D%/live/process_names.c %D%/live/watched.h %D%/live/watched.c \
	%D%/top/top.h %D%/top/top.c %D%/top/top_screen.h %D%/top/top_screen.c %D%/top/top_sums.h %D%/top/top_sums.c \
	%D%/profile/profile.h %D%/profile/profile.c %D%/profile/profile_select.h %D%/profile/profile_select.c %D%/profile/profile_sampler.h %D%/profile/profile_sampler.c %D%/profile/profile_output.c
# Of no use without jansson, and without tracegen.
if HAVE_JANSSON
libtl_cli_a_SOURCES += \
	%D%/export/json_print.c %D%/read/chrome_reader.c %D%/read/loose_json.c %D%/read/pftrace_reader.c %D%/read/pftrace_frames.c %D%/read/pftrace_values.c %D%/read/sqlite_reader.c %D%/read/plain_event.c %D%/read/trace_events.c %D%/read/event_members.c %D%/read/event_filter.c %D%/read/arrow_filter.c \
	%D%/systrace/slices.c %D%/summary/plain_history.c %D%/report/report_make.c %D%/report/report_model.c %D%/report/report_text.c %D%/report/report_page.c %D%/apis/api_descriptors.c %D%/sqlite/sqlite_schema.c %D%/summary/history_events.c
endif
if HAVE_TRACEGEN
libtl_cli_a_SOURCES += %D%/apis/interposer_cache.c %D%/apis/program_libraries.c
endif
libtl_cli_a_CPPFLAGS = $(AM_CPPFLAGS) -DBINDIR='"$(bindir)"' -DLIBDIR='"$(libdir)"' -DPKGLIBDIR='"$(pkglibdir)"' -DPKGDATADIR='"$(pkgdatadir)"'
libtl_cli_a_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) $(LIBELF_CFLAGS) $(LIBDW_CFLAGS) $(ZLIB_CFLAGS) $(OTF2_CFLAGS) $(SQLITE_CFLAGS)

# What a user starts. `run` is started for each traced program, so it is linked with no more than it needs.
bin_PROGRAMS += tracelayer
tracelayer_SOURCES = %D%/tracelayer.c %D%/cli.h
if HAVE_JANSSON
# Stands before the library, which has the same function for the other program.
tracelayer_SOURCES += %D%/read/sqlite_refused.c
endif
tracelayer_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
tracelayer_LDFLAGS = $(AM_LDFLAGS) $(call way_to_libdir,$(bindir)) $(old_math)
tracelayer_LDADD = libtl_cli.a libtl_table.la libtl_phases.la libtl_reader.la libtl_gzip.la libtl_format.la $(LIBIBERTY_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS) $(GZIP_LIBS) -lm

# The commands that read traces, with SQLite, OTF2 and libdw. To load these takes as long as all that `run` does.
tracesdir = $(pkglibdir)
traces_PROGRAMS = tracelayer-traces
tracelayer_traces_SOURCES = %D%/tracelayer.c %D%/cli.h
tracelayer_traces_CPPFLAGS = $(AM_CPPFLAGS) -DREADS_TRACES=1
tracelayer_traces_CFLAGS = $(libtl_cli_a_CFLAGS)
tracelayer_traces_LDFLAGS = $(AM_LDFLAGS) $(call way_to_libdir,$(pkglibdir)) $(old_math)
tracelayer_traces_LDADD = $(tracelayer_LDADD) $(LIBELF_LIBS) $(LIBDW_LIBS) $(OTF2_LIBS) $(SQLITE_LIBS) -lm

# Shims that a user preloads need libtracelayer.so, and the dynamic linker starts the command with them, too. What a DT_RPATH names (unlike
# a DT_RUNPATH) is also searched for what preloaded libraries need. All that was installed may be moved, so the way to libdir begins at the command.
way_to_libdir = -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/$(shell realpath -m --relative-to='$(1)' '$(libdir)')'

# The page of `tracelayer report`: page.html, page.css, page.js and flame.js as arrays page_html, page_css, page_js and page_flame.
report_page_files = %D%/report/page.html %D%/report/page.css %D%/report/page.js %D%/report/flame.js
EXTRA_DIST += $(report_page_files)
CLEANFILES += %D%/report/page_files.h
%D%/report/page_files.h: $(report_page_files) %D%/local.mk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && for file in html:page.html css:page.css js:page.js flame:flame.js; do \
		echo "static const char page_$${file%:*}[] = {" && od -An -v -tx1 "$(srcdir)/%D%/report/$${file#*:}" | sed -e 's/ \(..\)/0x\1,/g' && echo '0};' || exit 1; \
	done >$@.new && mv $@.new $@
%D%/report/libtl_cli_a-report_page.$(OBJEXT): %D%/report/page_files.h

# What shells complete, where they look for it.
bashcompletiondir = $(datadir)/bash-completion/completions
zshcompletiondir = $(datadir)/zsh/site-functions
fishcompletiondir = $(datadir)/fish/vendor_completions.d
dist_zshcompletion_DATA = %D%/completions/_tracelayer
dist_fishcompletion_DATA = %D%/completions/tracelayer.fish
EXTRA_DIST += %D%/completions/tracelayer.bash
install-data-local:
	$(MKDIR_P) "$(DESTDIR)$(bashcompletiondir)"
	$(INSTALL_DATA) "$(srcdir)/%D%/completions/tracelayer.bash" "$(DESTDIR)$(bashcompletiondir)/tracelayer"
uninstall-local: uninstall-completions
uninstall-completions:
	rm -f "$(DESTDIR)$(bashcompletiondir)/tracelayer"

# Prints the settings for the manual pages.
noinst_PROGRAMS += settings_doc
settings_doc_SOURCES = %D%/settings_doc.c
settings_doc_LDADD = libtl_format.la
