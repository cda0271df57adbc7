# tests: see doc/internals.md. Each owner keeps one block.

# --- whole programs, test applications, viewers
EXTRA_DIST += tests/lib.sh

# --- settings, output files, the writer, Chrome JSON
TESTS += config_test
check_PROGRAMS += config_test
config_test_SOURCES = %D%/config_test.c layer/config.c layer/config.h layer/say.c layer/say.h
config_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
config_test_LDADD = libtl_format.la $(CHECK_LIBS)

# --- the command
TESTS += tests/cli_summary.sh
EXTRA_DIST += tests/cli_summary.sh tests/cli_run.sh tests/cli_signals.sh

# --- arguments, emitted code
TESTS += args_test tests/args_fuzz.sh
check_PROGRAMS += args_test
args_test_SOURCES = %D%/args_test.c %D%/args_table.h
args_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(JANSSON_CFLAGS)
args_test_LDADD = libtl_format.la $(CHECK_LIBS) $(JANSSON_LIBS)
EXTRA_DIST += tests/args_fuzz.sh tests/fuzz_args.c
