#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_gen_sanitized.sh: tracegen built with sanitizers, on large headers that nobody here wrote.
headers='GLES2/gl2 GLES3/gl3 EGL/egl openssl/ssl png curl/curl mpi vulkan/vulkan'
. "${top_srcdir:-.}/tests/gen/gen_sanitized.sh"
