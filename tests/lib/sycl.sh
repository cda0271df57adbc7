# SPDX-License-Identifier: MIT
# sycl.sh: sourced after stack.sh by tests of SYCL's real runtime. It needs a driver of OpenCL whose memory is shared by pointers: Intel's for processors, from
# PyPI, or, where that one refuses this processor, PoCL of Debian's next release. PoCL 3.1, as Debian 12 has it, and 3.0, as PyPI has it, have no such memory:
# with them dpctl ends with "USM allocation failed".
. "$top_srcdir/tests/lib/kept_venv.sh"
. "$top_srcdir/tests/lib/next_release.sh"

# sycl_plan N: the test's plan. $venv is the runtime's, and its driver is there; or the N results are skipped. On PoCL the test runs again, as a whole, with that
# release's files over the installed ones: its C library comes with PoCL. SYCL_INTEL is the path of Intel's driver, for tests of the fallback.
sycl_plan()
{
	venv=$(sycl_venv "$kept") || { plan "$1"; skip "$1" "$venv"; exit 0; }
	export PYTHONDONTWRITEBYTECODE=1
	if test -n "${SYCL_POCL-}"; then
		plan "$1"
		export OCL_ICD_VENDORS=$SYCL_POCL/etc/OpenCL/vendors
		# PoCL takes the size of the level 2 cache for that of a work-group's memory. Where it is 2 MiB, dpctl's sort asks for larger work-groups than PoCL has.
		export POCL_CPU_LOCAL_MEM_SIZE=524288
		sycl_usable || { echo "Bail out! SYCL takes no PoCL: $(tail -n 1 "$tmp/device")"; exit 99; }
		diag "SYCL's runtime is on $(sycl_device)"
		return
	fi
	export OCL_ICD_FILENAMES=${SYCL_INTEL-$venv/lib/libintelocl.so}
	if sycl_usable; then
		plan "$1"
		return
	fi
	local why pocl=$kept/pocl-6.0-$next
	why="this machine's processor is none that Intel's OpenCL takes ($(tail -n 1 "$tmp/device")), and"
	pocl_kept "$pocl" >"$tmp/pocl.log" 2>&1 || { plan "$1"; skip "$1" "$why it gets no PoCL 6.0 of Debian $next: $(tail -n 1 "$tmp/pocl.log")"; exit 0; }
	over "$pocl/usr" /usr true 2>"$tmp/pocl.log" || { plan "$1"; skip "$1" "$why it lets nobody lay folders over others: $(tail -n 1 "$tmp/pocl.log")"; exit 0; }
	unset OCL_ICD_FILENAMES
	SYCL_POCL=$pocl over "$pocl/usr" /usr "$0"
	exit
}

# sycl_usable: the device that SYCL selects has memory that is shared by pointers.
sycl_usable()
{
	"$venv/bin/python" -c 'import dpctl
device = dpctl.select_default_device()
device.print_device_info()
if not device.has_aspect_usm_device_allocations:
    raise SystemExit(f"{device.name} of {device.driver_version} has no memory that is shared by pointers")' >"$tmp/device" 2>&1
}
sycl_device() { awk '/^ *Name / { $1 = ""; name = $0 } /^ *Driver version/ { print substr(name, 2) ", driver " $3 }' "$tmp/device"; }

# pocl_kept FOLDER: PoCL and all that it needs are unpacked there, if they are not yet.
pocl_kept()
{
	local package
	test ! -d "$1" || return 0
	test "${TRACELAYER_OFFLINE-}" != 1 || { echo "it is offline, and $1 is not there"; return 1; }
	mkdir -p "$kept"
	# Two tests may need it at once.
	(
		flock 9
		test ! -d "$1" || exit 0
		next_apt "$tmp/apt" && apt-get "${next_options[@]}" --no-install-recommends --download-only install 'pocl-opencl-icd=6.0-*' || exit
		rm -rf "$1.new"
		for package in "$tmp"/apt/cache/archives/*.deb; do
			dpkg -x "$package" "$1.new" || exit
		done
		rm -rf "$tmp/apt" && mv "$1.new" "$1"
	) 9>"$1.lock"
}
