#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_silx.sh: silx's own tests of its OpenCL code, on PoCL: reductions, sums that keep their rounding errors, and sparse arrays. They end traced as they do
# bare, and each call is in the trace, by the count of a layer of the loader's own.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
. "$top_srcdir/tests/lib/whole.sh"
. "$top_srcdir/tests/whole/cl_counter.sh"
tests=$(/usr/bin/python3 -c 'import os, silx.opencl.test as tests; print(os.path.dirname(tests.__file__))' 2>/dev/null) ||
	{ echo "Bail out! silx is missing; ./scripts/install-packages stacks installs it (python3-silx)"; exit 99; }
plan 5

normalise() { sed -nE 's/ in [0-9.]+s.*//; s/ - .*//; /^((PASSED|FAILED|SKIPPED|ERROR|XFAIL|XPASS) |[0-9]+ |exit code)/p'; }
export PYTHONDONTWRITEBYTECODE=1 POCL_MAX_PTHREAD_COUNT=2
own="/usr/bin/python3 -m pytest -p no:cacheprovider -q -rA --tb=no $tests/test_addition.py $tests/test_kahan.py $tests/test_array_utils.py"
# shellcheck disable=SC2086
foreign "silx's tests" "500 cl.*" $own
ok "of which all pass" sh -c 'grep -q "^PASSED" "$0" && ! grep -q "^FAILED\|^ERROR" "$0"' "$tmp/bare.seen"
# shellcheck disable=SC2086
TRACELAYER_DEVICE=0 layer_counted "silx's tests" "$tmp/counted.json" $own
