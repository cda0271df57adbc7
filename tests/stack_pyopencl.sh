#!/bin/bash
# PyOpenCL's own tests, as the source archive of the version that Debian has brings them, on PoCL: each ends traced as it does bare.
. "${top_srcdir:-.}/tests/lib.sh"
. "$top_srcdir/tests/stack.sh"
version=$("$python" -c 'import pyopencl; print(pyopencl.VERSION_TEXT)' 2>/dev/null) ||
	{ echo "Bail out! PyOpenCL is missing; ./scripts/install-packages installs it (python3-pyopencl)"; exit 99; }
plan 4

# Debian's packages have no tests: they come from PyPI, once.
archive=$kept/pyopencl-$version.tar.gz
mkdir -p "$kept"
if ! test -s "$archive"; then
	test "${TRACELAYER_OFFLINE-}" != 1 || { skip 4 "this machine is offline, and $archive is not there"; exit 0; }
	timeout 120 "$python" -m pip download -q --no-deps --no-binary :all: --no-build-isolation -d "$kept" "pyopencl==$version" >"$tmp/log" 2>&1
fi
test -s "$archive" || { skip 4 "this machine gets no source of PyOpenCL $version: $(tail -n 1 "$tmp/log")"; exit 0; }
tar -xzf "$archive" -C "$tmp" --strip-components=1 "pyopencl-$version/test" || exit 99

# Lines "PASSED test_array.py::test_…", in order, and what pytest says in the end, without its time; not why a test failed, which holds addresses.
normalise() { sed -nE 's/ in [0-9.]+s.*//; s/ - .*//; /^((PASSED|FAILED|SKIPPED|ERROR|XFAIL|XPASS) |[0-9]+ |exit code)/p'; }
# Those that take longest, and those of random numbers without a seed, are not for each check.
left_out="${STRESS:-test_scan or test_sort or test_index_preservation or test_copy_if or test_partition or test_unique or test_random_int_in_range}"
limit=290 POCL_MAX_PTHREAD_COUNT=2 PYTHONDONTWRITEBYTECODE=1 foreign "PyOpenCL's tests" "20000 cl.*" \
	"$python" -m pytest -p no:cacheprovider -q -rA --tb=no -k "not ($left_out)" "$tmp/test"
passed=$(grep -c '^PASSED' "$tmp/bare.seen")
ok "of which $passed pass" test "$passed" -ge 100
