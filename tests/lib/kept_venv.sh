# SPDX-License-Identifier: MIT
# kept_venv.sh: sourced by tests that use software from PyPI. It stays in the user's cache, under a name that has its versions.

# kept_venv KEPT NAME PACKAGE==VERSION…: makes the venv KEPT/NAME with these packages, if it is not there, and prints its path. Where it can't, it prints the
# reason, and the exit code is 1.
kept_venv()
{
	local kept=$1 venv=$1/$2; shift 2
	if test -x "$venv/bin/python"; then
		echo "$venv"
		return
	fi
	test "${TRACELAYER_OFFLINE-}" != 1 || { echo "this machine is offline, and $venv is not there"; return 1; }
	mkdir -p "$kept"
	# Two tests may need it at once.
	(
		flock 9
		test ! -x "$venv/bin/python" || exit 0
		rm -rf "$venv.new"
		"$python" -m venv "$venv.new" && timeout 400 "$venv.new/bin/pip" install -q --no-cache-dir "$@" && mv "$venv.new" "$venv"
	) 9>"$venv.lock" >"$tmp/venv.log" 2>&1
	test -x "$venv/bin/python" || { echo "this machine gets no $*: $(tail -n 1 "$tmp/venv.log")"; return 1; }
	echo "$venv"
}

# kept_tinygrad KEPT: the same for tinygrad alone, which needs no other package; it prints the folder for PYTHONPATH.
kept_tinygrad()
{
	local version=0.14.0 folder=$1/tinygrad-0.14.0
	if ! test -d "$folder"; then
		test "${TRACELAYER_OFFLINE-}" != 1 || { echo "this machine is offline, and $folder is not there"; return 1; }
		mkdir -p "$1"
		timeout 120 "$python" -m pip install -q --no-deps --target "$tmp/tinygrad" "tinygrad==$version" >"$tmp/tinygrad.log" 2>&1 && mv "$tmp/tinygrad" "$folder"
	fi
	test -d "$folder" || { echo "this machine gets no tinygrad $version: $(tail -n 1 "$tmp/tinygrad.log")"; return 1; }
	echo "$folder"
}

# Intel's runtime of SYCL, its OpenCL for processors, and Python programs on them.
sycl_venv() { kept_venv "$1" sycl-2026.2 dpctl==0.22.1 dpnp==0.20.0 intel-sycl-rt==2026.2.0 intel-opencl-rt==2026.2.0; }

# Intel's Profiling Tools Interfaces alone: the packages that it asks for are a second runtime of SYCL.
pti_venv() { kept_venv "$1" pti-1.2.0 intel-pti==1.2.0 --no-deps; }
