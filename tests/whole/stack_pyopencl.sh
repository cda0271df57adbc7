#!/bin/bash
# SPDX-License-Identifier: MIT
# PyOpenCL's own tests, as the source archive of the version that Debian has brings them, on PoCL: each ends traced as it does bare, and each
# call is in the trace, by the count of a layer of the loader's own.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
. "$top_srcdir/tests/lib/whole.sh"
. "$top_srcdir/tests/whole/cl_counter.sh"
version=$("$python" -c 'import pyopencl; print(pyopencl.VERSION_TEXT)' 2>/dev/null) ||
	{ echo "Bail out! PyOpenCL is missing; ./scripts/install-packages installs it (python3-pyopencl)"; exit 99; }
plan 5

# Debian's packages have no tests: they come from PyPI, once.
archive=$kept/pyopencl-$version.tar.gz
mkdir -p "$kept"
if ! test -s "$archive"; then
	test "${TRACELAYER_OFFLINE-}" != 1 || { skip 5 "this machine is offline, and $archive is not there"; exit 0; }
	timeout 120 "$python" -m pip download -q --no-deps --no-binary :all: --no-build-isolation -d "$kept" "pyopencl==$version" >"$tmp/log" 2>&1
fi
test -s "$archive" || { skip 5 "this machine gets no source of PyOpenCL $version: $(tail -n 1 "$tmp/log")"; exit 0; }
tar -xzf "$archive" -C "$tmp" --strip-components=1 "pyopencl-$version/test" || exit 99

# Lines "PASSED test_array.py::test_…", in order, and what pytest says in the end, without its time; not why a test failed, which holds addresses.
normalise() { sed -nE 's/ in [0-9.]+s.*//; s/ - .*//; /^((PASSED|FAILED|SKIPPED|ERROR|XFAIL|XPASS) |[0-9]+ |exit code)/p'; }
# Most of the others take their time to compile hundreds of kernels: make stress has them, too.
tests="$tmp/test/test_wrapper.py $tmp/test/test_enqueue_copy.py $tmp/test/test_arrays_in_structs.py"
test -z "${STRESS-}" || tests=$tmp/test
# shellcheck disable=SC2086
limit=${STRESS:+3}290 POCL_MAX_PTHREAD_COUNT=2 PYTHONDONTWRITEBYTECODE=1 foreign "PyOpenCL's tests" "2000 cl.*" \
	"$python" -m pytest -p no:cacheprovider -q -rA --tb=no $tests
passed=$(grep -c '^PASSED' "$tmp/bare.seen")
ok "of which $passed pass" test "$passed" -ge 40
# shellcheck disable=SC2086
POCL_MAX_PTHREAD_COUNT=2 PYTHONDONTWRITEBYTECODE=1 TRACELAYER_DEVICE=0 layer_counted "PyOpenCL's tests" "$tmp/counted.json" \
	"$python" -m pytest -p no:cacheprovider -q -rA --tb=no $tests
