#!/bin/bash
# SPDX-License-Identifier: MIT
# UCX, in Debian's MPICH, patches mmap and its like in libc itself: a program of two processes says the same and ends the same
# with all its calls traced by the writer's thread.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
need_library
need mpirun.mpich mpich
. "$top_srcdir/tests/base/libc/same_and_whole.sh"
plan 3

ok "the program builds" build_as mpicc.mpich mpich "$source/mpi.c"
same_and_whole "two processes" 40000 mpirun.mpich -n 2 "$tmp/with" "$tmp/mpich" 20000
