# examples: programs to read, build and change. tests/examples.sh does.
examplesdir = $(docdir)/examples
dist_examples_DATA = %D%/trace-context.c %D%/tracing-compare.c
