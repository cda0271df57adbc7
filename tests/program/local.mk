# SPDX-License-Identifier: MIT
# tests of layer/program: contexts, marks and phases, labels
check_scripts += %D%/contexts.sh %D%/context_forms.sh %D%/requests.sh
check_scripts += %D%/nntrace.sh %D%/nntrace_rows.sh %D%/profiler.sh %D%/agree.sh
deep_stress_scripts += %D%/stress_contexts.sh
test_files += %D%/nntrace_rows.py %D%/agree.py

check_PROGRAMS += stress_contexts
stress_contexts_SOURCES = %D%/stress_contexts.c $(core_doubles)
stress_contexts_CFLAGS = $(AM_CFLAGS) -fexceptions
stress_contexts_LDADD = libtl_core.la libtl_format.la
