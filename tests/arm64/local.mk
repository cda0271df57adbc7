# SPDX-License-Identifier: MIT
# tests on arm64, by qemu: make check-arm64. tests/arm64/tests lists what runs there.
test_files += %D%/check %D%/emulated %D%/inside %D%/tests %D%/qemu_lacks %D%/page_sizes.py
EXTRA_DIST += %D%/other_machine.sh %D%/page_sizes.sh %D%/pocl.sh %D%/processors.sh

.PHONY: check-arm64
check-arm64: all tests/apps/ze_vector_add$(EXEEXT) tests/drivers/ze_driver_a.la
	$(AM_V_at)top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' bash $(srcdir)/%D%/check
