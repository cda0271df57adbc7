# SPDX-License-Identifier: MIT
# tests/drivers: software devices. A Level Zero driver behind Debian's stock loader (ze_driver.h), an OpenCL driver (icd.h),
# and their own tests.
check_scripts += %D%/ze_driver.sh
test_files += %D%/ze_newer.c
# tests/packages/tarball.sh compiles this one.
test_files += %D%/ze_few_loader.c
# stack_cuda.sh, stack_cuda_lanes.sh and stack_cuda_cupti.sh build these, with the headers that they get.
test_files += %D%/cuda_driver.c %D%/cuda_engine.h %D%/cuda_listener.h %D%/cuda_memory_kinds.h %D%/cuda_thread_streams.h %D%/cuda_program.c %D%/cuda_lanes.c %D%/cupti.c

# What knows which of two drivers it is in, and what doesn't, which is compiled once.
ZE_DRIVER_SOURCES = %D%/ze_device.h %D%/ze_driver.h %D%/ze_functions.def %D%/ze_entry.c %D%/ze_properties.c
ZE_DRIVER_COMMON = %D%/ze_clock.c %D%/ze_memory.c \
	%D%/ze_event.c %D%/ze_image.c %D%/ze_kernels.c %D%/ze_module.c %D%/ze_list.c \
	%D%/ze_run.c %D%/ze_queue.c %D%/ze_sysman.c %D%/ze_recent.c %D%/ze_recent.h
ZE_DRIVER_CFLAGS = $(AM_CFLAGS) -fexceptions -pthread
# Two of the same, so that two drivers can be loaded at once. Never unloaded: their threads may still be running.
ZE_DRIVER_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath $(abs_builddir) -pthread -Wl,-Bsymbolic -Wl,-z,nodelete \
	-export-symbols-regex '^(ze[st]?Get[A-Za-z]*ProcAddrTable|test_ze_[a-z_]*)$$'

check_LTLIBRARIES += %D%/libze_driver_common.la %D%/ze_driver_a.la %D%/ze_driver_b.la
%C%_libze_driver_common_la_SOURCES = $(ZE_DRIVER_COMMON)
%C%_libze_driver_common_la_CFLAGS = $(ZE_DRIVER_CFLAGS)
%C%_ze_driver_a_la_SOURCES = $(ZE_DRIVER_SOURCES)
%C%_ze_driver_a_la_CFLAGS = $(ZE_DRIVER_CFLAGS)
%C%_ze_driver_a_la_LDFLAGS = $(ZE_DRIVER_LDFLAGS)
%C%_ze_driver_a_la_LIBADD = %D%/libze_driver_common.la
%C%_ze_driver_b_la_SOURCES = $(ZE_DRIVER_SOURCES)
%C%_ze_driver_b_la_CPPFLAGS = $(AM_CPPFLAGS) -DZE_DRIVER_INSTANCE='"b"'
%C%_ze_driver_b_la_CFLAGS = $(ZE_DRIVER_CFLAGS)
%C%_ze_driver_b_la_LDFLAGS = $(ZE_DRIVER_LDFLAGS)
%C%_ze_driver_b_la_LIBADD = %D%/libze_driver_common.la

check_LTLIBRARIES += libze_recent.la
libze_recent_la_SOURCES = %D%/ze_recent_calls.c %D%/ze_recent.h
libze_recent_la_LDFLAGS = $(AM_LDFLAGS) -avoid-version -rpath $(abs_builddir)
libze_recent_la_LIBADD = -ldl

ICD_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath $(abs_builddir) -pthread
ICD_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden -pthread
# What differs between the three, and what doesn't.
ICD_SOURCES = %D%/icd.h %D%/icd_driver.h %D%/icd_functions.def %D%/icd_report.c %D%/icd_device.c %D%/icd_memory.c
ICD_COMMON = %D%/icd_object.c %D%/icd_event.c %D%/icd_queue.c %D%/icd_enqueue.c %D%/icd_extensions.c %D%/icd_program.c

check_LTLIBRARIES += %D%/libicd_common.la
%C%_libicd_common_la_SOURCES = $(ICD_COMMON)
%C%_libicd_common_la_CFLAGS = $(ICD_CFLAGS)

check_LTLIBRARIES += %D%/icd_a.la %D%/icd_b.la %D%/icd_table.la
%C%_icd_a_la_SOURCES = $(ICD_SOURCES)
%C%_icd_a_la_CFLAGS = $(ICD_CFLAGS)
%C%_icd_a_la_LDFLAGS = $(ICD_LDFLAGS)
%C%_icd_a_la_LIBADD = %D%/libicd_common.la
%C%_icd_b_la_SOURCES = $(ICD_SOURCES)
%C%_icd_b_la_CPPFLAGS = $(AM_CPPFLAGS) -DICD_SECOND
%C%_icd_b_la_CFLAGS = $(ICD_CFLAGS)
%C%_icd_b_la_LDFLAGS = $(ICD_LDFLAGS)
%C%_icd_b_la_LIBADD = %D%/libicd_common.la
%C%_icd_table_la_SOURCES = $(ICD_SOURCES)
%C%_icd_table_la_CPPFLAGS = $(AM_CPPFLAGS) -DICD_TABLE_BY_NAME
%C%_icd_table_la_CFLAGS = $(ICD_CFLAGS)
%C%_icd_table_la_LDFLAGS = $(ICD_LDFLAGS)
%C%_icd_table_la_LIBADD = %D%/libicd_common.la

# Not libtool's, which would name it for its file.
check_DATA += %D%/newer/libze_loader.so.1
%D%/newer/libze_loader.so.1: %D%/ze_newer.c
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && $(CC) $(AM_CPPFLAGS) $(CPPFLAGS) $(AM_CFLAGS) $(CFLAGS) -fPIC -fvisibility=hidden -shared $(AM_LDFLAGS) \
		$(LDFLAGS) -Wl,-soname,$(@F) -o $@ $(srcdir)/%D%/ze_newer.c -ldl
CLEANFILES += %D%/newer/libze_loader.so.1

unit_tests += icd_test
icd_test_SOURCES = %D%/icd_test.c
icd_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
icd_test_LDADD = -lOpenCL $(CHECK_LIBS)

unit_tests += ze_driver_test
ze_driver_test_SOURCES = %D%/ze_driver_test.c $(ZE_APP_SOURCES) %D%/ze_driver.h
ze_driver_test_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) -pthread
ze_driver_test_LDADD = $(ZE_APP_LIBS) -ldl $(CHECK_LIBS)
