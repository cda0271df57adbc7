#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_darktable.sh: darktable-cli on PoCL. It opens OpenCL with dlopen, tries to compile its kernels, which PoCL 3.1 refuses, and works on without; PoCL 6
# compiles them. It notices nothing of tracelayer, and each of its calls is in the trace, the one that fails among them.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
top_srcdir=$(cd "$top_srcdir" && pwd)
. "$top_srcdir/tests/lib/whole.sh"
need_library
. "$top_srcdir/tests/whole/cl_counter.sh"
command -v darktable-cli >/dev/null || { echo "Bail out! darktable-cli is missing; ./scripts/install-packages stacks installs it (darktable)"; exit 99; }
export TRACELAYER_DEVICE=0	# device lanes ask the driver, too, and are no calls
export HOME=$tmp/home XDG_CACHE_HOME=$tmp/home/cache XDG_CONFIG_HOME=$tmp/home/config POCL_CACHE_DIR=$tmp/home/pocl
mkdir -p "$POCL_CACHE_DIR" "$XDG_CACHE_HOME" "$XDG_CONFIG_HOME"
plan 8

"$python" - "$tmp/in.png" <<'END'
import struct, sys, zlib
width, height = 320, 240
rows = b"".join(b"\0" + bytes((x * (y + c)) % 256 for x in range(width) for c in range(3)) for y in range(height))
def chunk(kind, data): return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
with open(sys.argv[1], "wb") as picture:
    picture.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
                  + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
END
develop() { darktable-cli "$tmp/in.png" out.png --core --configdir "$tmp/config" --cachedir "$tmp/cache" --library :memory: "$@"; }

# darktable refuses devices that are processors, until its settings take one; from release 5 on also platforms that it does not know. Then it keeps the
# kernels that it has compiled: that takes a minute, once.
develop -d opencl >"$tmp/first" 2>&1
platform=$(sed -n "s/.*with key '\(clplatform_portable[a-z]*\)' is NOT active.*/\1/p" "$tmp/first")
test -z "$platform" || { echo "$platform=TRUE" >>"$tmp/config/darktablerc"; develop -d opencl >"$tmp/first" 2>&1; }
sed -i -E 's/^(cldevice_v[0-9]+_[a-z0-9]*=0 1000 0 16 16 128 0) 1/\1 0/' "$tmp/config/darktablerc"
test -z "$platform" || develop -d opencl >"$tmp/first" 2>&1
# The picture holds the time at which it was made: only how it begins is compared.
cat >"$tmp/develop" <<END
#!/bin/sh
darktable-cli "$tmp/in.png" out.ppm --core --configdir "$tmp/config" --cachedir "$tmp/cache" --library :memory: -d opencl
END
chmod +x "$tmp/develop"
# Times go, and the lines that darktable prints only where one of its threads waited for another's lock.
normalise() { sed -E 's/^ *[0-9]+\.[0-9]+ //; s/[0-9.]+ secs? \([0-9.]+ CPU\)//; /mem(ory)?:|wait time|KERNEL LOADING TIME/d'; }
real_program "darktable-cli" "$tmp/develop"
like "$(cat "$tmp/bare.out")" '^exit code 0$' "which runs here"
like "$(cat "$tmp/bare.out" "$tmp/bare.err")" 'CL_BUILD_PROGRAM_FAILURE|OpenCL successfully initialized' "and tries to compile its kernels, or has them"
