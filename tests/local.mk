# SPDX-License-Identifier: MIT
# tests: one local.mk for each room, which says once what there is:
#	unit_tests		C programs that are tests; named like the file that they test
#	check_scripts		scripts that are tests
#	stress_scripts		the same, where the test also knows a longer form (STRESS=1, make stress)
#	stack_scripts		tests of large programs, for make check-stacks; they need packages of the group stacks
#	test_files		what scripts read, compile or source
# A new script is one line in its room's local.mk, a new program one line and its _SOURCES.
unit_tests =
check_scripts =
stress_scripts =
stack_scripts =
test_files =
check_DATA =
check_LIBRARIES =

# What the layer's unit tests have in place of generated code.
core_doubles = %D%/lib/core_doubles.c %D%/lib/core_doubles.h
core_libs = libtl_core.la libtl_format.la $(CHECK_LIBS)

include %D%/lib/local.mk
include %D%/apps/local.mk
include %D%/drivers/local.mk
include %D%/base/local.mk
include %D%/buffers/local.mk
include %D%/resolve/local.mk
include %D%/write/local.mk
include %D%/calls/local.mk
include %D%/device/local.mk
include %D%/program/local.mk
include %D%/process/local.mk
include %D%/doors/local.mk
include %D%/common/local.mk
include %D%/format/local.mk
include %D%/gen/local.mk
include %D%/cli/local.mk
include %D%/callbacks/local.mk
include %D%/xpti/local.mk
include %D%/whole/local.mk
include %D%/house/local.mk

check_PROGRAMS += $(unit_tests)
TESTS += $(stress_scripts) $(check_scripts) $(unit_tests)
EXTRA_DIST += $(check_scripts) $(stress_scripts) $(stack_scripts) $(test_files)

# make stress: the tests that know a longer form, in it.
.PHONY: stress
stress:
	$(AM_V_at)STRESS=1 FUZZ_SECONDS=60 TEST_LIMIT=7200; export STRESS FUZZ_SECONDS TEST_LIMIT; \
		$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(stress_scripts) clock_slew_test'

.PHONY: check-stacks
check-stacks:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(stack_scripts)'
