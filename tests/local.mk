# SPDX-License-Identifier: MIT
# tests: one local.mk for each room, which says once what there is:
#	unit_tests		C programs that are tests; named like the file that they test
#	stress_units		those of them that have a longer form (STRESS=1, make stress)
#	check_scripts		scripts that are tests
#	long_scripts		those that take longest; they begin first, so that none is left alone at the end
#	stress_scripts		the same, where the test also knows a longer form
#	stack_scripts		tests of large programs, for make check-stacks; they need packages of the group stacks
#	long_stack_scripts	those of them that take longest; they begin first, too
#	deep_scripts		tests that search: models, sanitizers, fuzz targets. They take long, and run with make check-stacks
#	deep_stress_scripts	the same, with a longer form
#	package_scripts		tests of packages for distributions, for make check-packages; they need packages of the group packages
#	test_files		what scripts read, compile or source
# A new script is one line in its room's local.mk, a new program one line and its _SOURCES.
unit_tests =
stress_units =
check_scripts =
long_scripts =
stress_scripts =
stack_scripts =
long_stack_scripts =
deep_scripts =
deep_stress_scripts =
package_scripts =
test_files =
check_DATA =
check_LIBRARIES =
EXTRA_LIBRARIES =

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
include %D%/annotations/local.mk
include %D%/whole/local.mk
include %D%/house/local.mk
include %D%/arm64/local.mk
include %D%/packages/local.mk

check_PROGRAMS += $(unit_tests)
TESTS += $(long_scripts) $(stress_scripts) $(unit_tests) $(check_scripts)
EXTRA_DIST += $(check_scripts) $(long_scripts) $(stress_scripts) $(stack_scripts) $(long_stack_scripts)
EXTRA_DIST += $(deep_scripts) $(deep_stress_scripts) $(package_scripts) $(test_files)

# make stress: the tests that know a longer form, in it, and packages; then those on arm64.
.PHONY: stress
stress: $(sanitized_libraries) $(stressed_libraries)
	$(AM_V_at)STRESS=1 FUZZ_SECONDS=60 TEST_LIMIT=7200 SANITIZED=built; export STRESS FUZZ_SECONDS TEST_LIMIT SANITIZED; \
		$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(stress_scripts) $(stress_units) $(deep_stress_scripts) $(package_scripts)'
	$(AM_V_at)$(MAKE) $(AM_MAKEFLAGS) check-arm64

.PHONY: check-stacks
check-stacks: $(sanitized_libraries)
	$(AM_V_at)TEST_LIMIT=$${TEST_LIMIT:-1500} SANITIZED=built; export TEST_LIMIT SANITIZED; \
		$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(long_stack_scripts) $(deep_scripts) $(deep_stress_scripts) $(stack_scripts)'

# Packages, and a release's tarball where there is little else.
.PHONY: check-packages
check-packages:
	$(AM_V_at)TEST_LIMIT=$${TEST_LIMIT:-3600}; export TEST_LIMIT; $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(package_scripts)'
