# SPDX-License-Identifier: MIT
# Manual pages. What they say of the settings is printed from the settings' own table.
dist_man_MANS += %D%/tracelayer.1 %D%/tracelayer-summary.1 %D%/tracelayer-export.1 %D%/tracelayer-record.5 %D%/tracelayer-recover.1 %D%/tracelayer-pause.1 %D%/tracelayer-trace.5 %D%/tracegen.1 %D%/tracelayer-descriptor.5 %D%/tracelayer-tools.7 %D%/tracelayer-layers.7 %D%/tracelayer-contexts.7 %D%/tracelayer-xpti.7 %D%/tracelayer-xpti-bench.1
dist_man_MANS += %D%/tracelayer-profiler.7
dist_man_MANS += %D%/tracelayer-phases.1
dist_man_MANS += %D%/tracelayer-nntrace.7
dist_man_MANS += %D%/tracelayer-profile.1
dist_man_MANS += %D%/tracelayer-apis.1 %D%/tracelayer-diff.1 %D%/tracelayer-report.1 %D%/tracelayer-top.1 %D%/tracelayer-view.1
nodist_man_MANS += %D%/tracelayer-run.1
EXTRA_DIST += %D%/tracelayer-run.1.in %D%/internals.md %D%/annotations.md %D%/arm64.md %D%/contexts.md %D%/cost.md %D%/counts.md %D%/cuda.md %D%/device.md %D%/diff.md %D%/installing.md %D%/job-mpirun.md %D%/job-slurm.md %D%/jobs.md %D%/libraries.md %D%/phases.md %D%/profile.md \
	%D%/recording.md %D%/settings.md %D%/sqlite.md %D%/stability.md %D%/stacks.md %D%/tools.md %D%/ways-in.md %D%/xpti.md
CLEANFILES += %D%/tracelayer-run.1

%D%/tracelayer-run.1: %D%/tracelayer-run.1.in settings_doc$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) %D% && ./settings_doc$(EXEEXT) mdoc >$@.part && \
	$(SED) -e '/^@SETTINGS@$$/{' -e 'r $@.part' -e 'd' -e '}' $(srcdir)/%D%/tracelayer-run.1.in >$@.new && \
	rm -f $@.part && mv $@.new $@

# One page for four commands.
pause_links = tracelayer-resume.1 tracelayer-snapshot.1 tracelayer-stop.1
install-data-hook:
	cd "$(DESTDIR)$(man1dir)" && for page in $(pause_links); do rm -f $$page && $(LN_S) tracelayer-pause.1 $$page || exit; done
uninstall-local: uninstall-page-links
.PHONY: uninstall-page-links
uninstall-page-links:
	cd "$(DESTDIR)$(man1dir)" 2>/dev/null || exit 0; rm -f $(pause_links)
