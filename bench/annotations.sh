# SPDX-License-Identifier: MIT
# annotations.sh: what a range of NVTX costs, with no tool and in the trace. A part of bench/bench.
#
# The header is NVIDIA's, which ./scripts/check stacks keeps. Another tool for NVTX is not to be had here.

section "NVTX: a push with its pop ÷ two reads of the counter and a record"
annotations_nvtx=$(ls -d "${XDG_CACHE_HOME:-$HOME/.cache}"/tracelayer-stacks/nvtx-*/lib/python3*/site-packages/nvidia/nvtx/include 2>/dev/null | tail -n 1)
if test -n "$annotations_nvtx" && $CC -O2 -I"$annotations_nvtx" -o "$work/nvtx_program" "$top_srcdir/tests/annotations/nvtx_program.c" -ldl -lpthread 2>>"$work/errors"; then
	annotations_run()
	{
		case $1 in
		bare) "$work/nvtx_program" cost ;;
		traced) traced TRACELAYER_FULL=ring NVTX_INJECTION64_PATH="$top_builddir/.libs/libtracelayer-annotations.so" "$work/nvtx_program" cost ;;
		paused) traced TRACELAYER_START=paused NVTX_INJECTION64_PATH="$top_builddir/.libs/libtracelayer-annotations.so" "$work/nvtx_program" cost ;;
		esac
	}
	annotations_round=0
	while test $((annotations_round += 1)) -le "$rounds"; do
		for annotations_name in $(shuffled bare paused traced); do
			annotations_run "$annotations_name" >>"$work/annotations.$annotations_name" 2>>"$work/errors"
		done
	done
	ratio_row "no tool" "$work/annotations.bare"
	ratio_row "recording is paused" "$work/annotations.paused"
	ratio_row "recorded" "$work/annotations.traced"
else
	note "NVTX is not here: ./scripts/check stacks keeps its header"
fi
