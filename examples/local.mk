# SPDX-License-Identifier: MIT
# examples: programs to read, build and change. tests/whole/examples.sh does, and tests/xpti/example.sh.
examplesdir = $(docdir)/examples
dist_examples_DATA = %D%/trace-context.c %D%/tracing-compare.c %D%/labels.c \
	%D%/task-graph.h %D%/task-graph.c %D%/task-graph-lcs.c %D%/task-graph-text.c %D%/task-graph-statistics.c
