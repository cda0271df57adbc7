#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_clfft.sh: the tests of gpyfft, Python's clFFT, on PoCL: clFFT writes a kernel for each transform. They end traced as they do bare, and each call is
# in the trace, by the count of a layer of the loader's own.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
. "$top_srcdir/tests/lib/whole.sh"
. "$top_srcdir/tests/whole/cl_counter.sh"
tests=$("$python" -c 'import os, gpyfft; print(os.path.dirname(gpyfft.__file__) + "/test")' 2>/dev/null) ||
	{ echo "Bail out! gpyfft is missing; ./scripts/install-packages stacks installs it (python3-gpyfft)"; exit 99; }
plan 5

normalise() { sed -nE 's/ in [0-9.]+s.*//; s/ - .*//; /^((PASSED|FAILED|SKIPPED|ERROR|XFAIL|XPASS) |[0-9]+ |exit code)/p'; }
export PYTHONDONTWRITEBYTECODE=1
foreign "gpyfft's tests" "200 cl.*" "$python" -m pytest -p no:cacheprovider -q -rA --tb=no "$tests/test_callback.py" "$tests/test_gpyfftlib.py"
ok "of which all pass" sh -c 'grep -q "^PASSED" "$0" && ! grep -q "^FAILED\|^ERROR" "$0"' "$tmp/bare.seen"
TRACELAYER_DEVICE=0 layer_counted "gpyfft's tests" "$tmp/counted.json" \
	"$python" -m pytest -p no:cacheprovider -q -rA --tb=no "$tests/test_callback.py" "$tests/test_gpyfftlib.py"
