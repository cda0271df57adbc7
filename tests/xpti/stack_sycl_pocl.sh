#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_sycl_pocl.sh: PoCL under SYCL's real runtime, as where Intel's OpenCL refuses the processor: stack_sycl.sh, with a driver of Intel's that is none.
export SYCL_INTEL=/nonexistent/libintelocl.so
exec "${top_srcdir:-.}/tests/xpti/stack_sycl.sh"
