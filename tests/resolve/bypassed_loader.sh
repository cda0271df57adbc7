#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs that open a driver themselves, without its loader. By a function that gives out others, and that only drivers have, all calls are
# traced, as Vulkan's by vk_icdGetInstanceProcAddr; a loader's own use of it stays as it is. Where nothing can be traced, run says why.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
: "${CC:=cc}"

plan 31

mkdir "$tmp/lib"
cat >"$tmp/toy.h" <<'END_OF_FILE'
typedef int (*toy_function)(int);
int toy_create(int n);
int toy_use(int n);
int toy_extra(int n);
toy_function toy_get(const char *which);
toy_function toy_icd_get(const char *which);
END_OF_FILE
cat >"$tmp/driver.c" <<'END_OF_FILE'
#include <string.h>
#include "toy.h"
static int create(int n) { return n + 10; }
static int use(int n) { return n + 20; }
static int extra(int n) { return n + 30; }
toy_function toy_icd_get(const char *name)
{
	return !strcmp(name, "toy_create") ? create : !strcmp(name, "toy_use") ? use : !strcmp(name, "toy_extra") ? extra
	     : !strcmp(name, "toy_get") ? (toy_function)toy_icd_get : 0;
}
END_OF_FILE
cat >"$tmp/loader.c" <<'END_OF_FILE'
#include <dlfcn.h>
#include "toy.h"
static toy_function (*get)(const char *);
__attribute__((constructor)) static void start(void)
{
	get = (toy_function (*)(const char *))dlsym(dlopen(DRIVER, RTLD_NOW | RTLD_LOCAL), "toy_icd_get");
}
int toy_create(int n) { return 1000 + get("toy_create")(n); }
int toy_use(int n) { return 1000 + get("toy_use")(n); }
toy_function toy_get(const char *name) { return get(name); }
END_OF_FILE
cat >"$tmp/plugin.c" <<'END_OF_FILE'
#include "toy.h"
int plugin_run(int n) { return toy_use(toy_create(n)); }
END_OF_FILE
cat >"$tmp/app.c" <<'END_OF_FILE'
#include <dlfcn.h>
#include <stdio.h>
#include "toy.h"
int main(int argc, char **argv)
{
	/* Each argument is a library: the driver, or one with plugin_run. */
	for (int i = 1; i < argc; i++) {
		void *handle = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
		toy_function (*get)(const char *) = handle ? (toy_function (*)(const char *))dlsym(handle, "toy_icd_get") : 0;
		int (*run)(int) = handle ? (int (*)(int))dlsym(handle, "plugin_run") : 0;
		if (!get && !run)
			return 2;
		if (run) {
			printf("%d\n", run(1));
			continue;
		}
		printf("%d %d %d\n", get("toy_create")(1), get("toy_use")(2), get("toy_extra")(3));
		get = (toy_function (*)(const char *))get("toy_get");
		printf("%d %d %d\n", get("toy_use")(4), get("toy_unknown") != 0, get("toy_use") == get("toy_use"));
	}
	return 0;
}
END_OF_FILE
cat >"$tmp/toy.json" <<'END_OF_FILE'
{
 "name": "toy",
 "prefix": "toy",
 "version": "1",
 "headers": ["toy.h"],
 "sonames": ["libtoy.so.1"],
 "exported": ["toy_@(create|use|get)"],
 "results": [{"type": "*", "failure": "never", "unsupported": "0"}],
 "levels": [{"level": "runtime", "functions": ["*"]}],
 "getprocs": [{"kind": "returned", "functions": "toy_?(icd_)get", "name": "which"}]
}
END_OF_FILE
build()
{
	$CC -O2 -shared -fPIC -I"$tmp" -o "$tmp/lib/driver.so" "$tmp/driver.c" &&
		$CC -O2 -shared -fPIC -I"$tmp" -DDRIVER="\"$tmp/lib/driver.so\"" -Wl,-soname,libtoy.so.1 -o "$tmp/lib/libtoy.so.1" "$tmp/loader.c" -ldl &&
		$CC -O2 -shared -fPIC -I"$tmp" -o "$tmp/lib/plugin.so" "$tmp/plugin.c" "$tmp/lib/libtoy.so.1" -Wl,-rpath,"$tmp/lib" &&
		$CC -O2 -I"$tmp" -o "$tmp/app" "$tmp/app.c" -ldl &&
		"$top_builddir/tracegen" emit --api "$tmp/toy.json" -o "$tmp" -- -I"$tmp" &&
		$CC -std=c11 -O2 -fPIC -fexceptions -fvisibility=hidden -I"$top_srcdir/include" -I"$tmp" -shared -DTL_SHIM_LIBRARY \
			-o "$tmp/toy-shims.so" "$tmp/toy_shims.c" "$tmp/toy_tables.c" -L"$top_builddir/.libs" -ltracelayer
}
ok 'an API with a loader and a driver is built' build

# try WANTED DESCRIPTION LIBRARY…: the calls that WANTED names are in the trace, so many of each.
try()
{
	local wanted=$1 what=$2 library paths=(); shift 2
	for library; do
		paths+=("$tmp/lib/$library")
	done
	"$tmp/app" "${paths[@]}" >"$tmp/bare"
	rm -f "$tmp/t.json"
	LD_PRELOAD="$libtracelayer:$tmp/toy-shims.so" TRACELAYER_OUTPUT=$tmp/t.json timeout 60 "$tmp/app" "${paths[@]}" >"$tmp/traced" 2>"$tmp/err"
	same "$tmp/bare" "$tmp/traced" "$what: the program gives the same"
	is "$(grep -o '"name":"\(toy_\|cl\)[A-Za-z_]*"' "$tmp/t.json" | cut -d'"' -f4 | sort | uniq -c | awk '{ printf "%s %d ", $2, $1 }')" "$wanted" "$what: its calls are in the trace"
	is "$(cat "$tmp/err")" "" "$what: and nothing is said"
}
of_driver='toy_create 1 toy_extra 1 toy_get 4 toy_icd_get 4 toy_use 2 '
try "$of_driver" 'a driver without its loader' driver.so
try 'toy_create 1 toy_use 1 ' 'the loader' plugin.so
try 'toy_create 2 toy_extra 1 toy_get 4 toy_icd_get 4 toy_use 3 ' 'a driver, and later a library that is linked with the loader' driver.so plugin.so
try 'toy_create 2 toy_extra 1 toy_get 4 toy_icd_get 4 toy_use 3 ' 'the loader, and later its driver' plugin.so driver.so

# --- a library that has a loader linked into it, as LightGBM's has OpenCL's: the calls that it makes are the program's
cat >"$tmp/linked.c" <<'END_OF_FILE'
#include <dlfcn.h>
#include <CL/cl_icd.h>
#define TABLE(platform) (*(struct _cl_icd_dispatch **)(platform))
cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *to, cl_uint *count)
{
	void *driver = dlopen(DRIVER, RTLD_NOW | RTLD_LOCAL);
	void *(*get)(const char *) = (void *(*)(const char *))dlsym(driver, "clGetExtensionFunctionAddress");
	return ((cl_int(*)(cl_uint, cl_platform_id *, cl_uint *))get("clIcdGetPlatformIDsKHR"))(room, to, count);
}
cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t room, void *to, size_t *size)
{
	return TABLE(platform)->clGetPlatformInfo(platform, what, room, to, size);
}
cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *to, cl_uint *count)
{
	return TABLE(platform)->clGetDeviceIDs(platform, type, room, to, count);
}
int plugin_run(int n)
{
	cl_platform_id platform;
	cl_device_id device;
	char name[100] = "";
	for (int i = 0; i < n + 2; i++)
		if (clGetPlatformIDs(1, &platform, 0) || clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof(name), name, 0) ||
		    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, 0))
			return -1;
	return name[7];
}
END_OF_FILE
# A loader has most of the API's functions.
nm -D --defined-only "$libtracelayer" | awk '$3 ~ /^cl[A-Z]/ && $3 !~ /^clGet(PlatformIDs|PlatformInfo|DeviceIDs)$/ { print "void " $3 "(void) {}" }' \
	>"$tmp/linked_others.c"
ok "a library with OpenCL's loader linked into it is built" $CC -w -shared -fPIC -DCL_TARGET_OPENCL_VERSION=300 \
	-DDRIVER="\"$(cd "$top_builddir" && pwd)/tests/drivers/.libs/icd_a.so\"" -o "$tmp/lib/linked.so" "$tmp/linked.c" "$tmp/linked_others.c" -ldl
try 'clGetDeviceIDs 3 clGetPlatformIDs 3 clGetPlatformInfo 3 ' 'a loader that is linked into its user' linked.so

# --- a loader under another name that calls its own function before the program does: it is a loader all the same, and its own calls are not recorded
cat >"$tmp/renamed.c" <<'END_OF_FILE'
#include <CL/cl.h>
cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *to, cl_uint *count) { return count ? (int)(*count = 7) - 7 : -1; }
cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t room, void *to, size_t *size)
{
	cl_uint count;
	return clGetPlatformIDs(0, 0, &count);
}
cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *to, cl_uint *count)
{
	return clGetPlatformInfo(platform, 0, 0, 0, 0);
}
__attribute__((constructor)) static void start(void)
{
	cl_uint count;
	clGetPlatformIDs(0, 0, &count);
}
END_OF_FILE
cat >"$tmp/uses_renamed.c" <<'END_OF_FILE'
#include <CL/cl.h>
#include <stdio.h>
int plugin_run(int n)
{
	cl_uint count = 0;
	int failed = clGetDeviceIDs(0, 0, 0, 0, &count) | clGetPlatformInfo(0, 0, 0, 0, 0) | clGetDeviceIDs(0, 0, 0, 0, &count);
	return failed + n;
}
#ifdef IS_PROGRAM
int main(void) { return printf("%d\n", plugin_run(1)) < 0; }
#endif
END_OF_FILE
renamed_build()
{
	$CC -w -shared -fPIC -DCL_TARGET_OPENCL_VERSION=300 -Wl,-soname,librenamed.so -o "$tmp/lib/librenamed.so" "$tmp/renamed.c" "$tmp/linked_others.c" &&
		$CC -w -DCL_TARGET_OPENCL_VERSION=300 -DIS_PROGRAM -o "$tmp/uses_renamed" "$tmp/uses_renamed.c" "$tmp/lib/librenamed.so" -Wl,-rpath,"$tmp/lib" &&
		$CC -w -DCL_TARGET_OPENCL_VERSION=300 -shared -fPIC -o "$tmp/lib/uses_renamed.so" "$tmp/uses_renamed.c" "$tmp/lib/librenamed.so" \
			-Wl,-rpath,"$tmp/lib"
}
ok "a loader under another name is built" renamed_build
try 'clGetDeviceIDs 2 clGetPlatformInfo 1 ' 'a loader under another name, whose constructor calls it' uses_renamed.so
LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT=$tmp/t.json "$tmp/uses_renamed" >/dev/null
is "$(grep -o '"name":"cl[A-Za-z_]*"' "$tmp/t.json" | cut -d'"' -f4 | sort | uniq -c | awk '{ printf "%s %d ", $2, $1 }')" \
	'clGetDeviceIDs 2 clGetPlatformInfo 1 ' "likewise where the program is linked with it"

# --- what run says where there is no trace
cat >"$tmp/asks.c" <<'END_OF_FILE'
/* asks LIBRARY NAME…: opens the library, asks it for the names, and closes it. */
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	void *handle = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return puts(dlerror()), 2;
	for (int i = 2; i < argc; i++)
		printf("%d\n", dlsym(handle, argv[i]) != 0);
	dlclose(handle);
	return 0;
}
END_OF_FILE
cat >"$tmp/vulkan_loader.c" <<'END_OF_FILE'
#include <dlfcn.h>
__attribute__((constructor)) static void start(void) { dlsym(dlopen(DRIVER, RTLD_NOW), "vk_icdGetInstanceProcAddr"); }
END_OF_FILE
$CC -o "$tmp/asks" "$tmp/asks.c" -ldl
echo 'void *vk_icdGetInstanceProcAddr(void *i, const char *n) { return 0; }' >"$tmp/vulkan_driver.c"
$CC -shared -fPIC -o "$tmp/lib/vulkan_driver.so" "$tmp/vulkan_driver.c"
$CC -shared -fPIC -DDRIVER="\"$tmp/lib/vulkan_driver.so\"" -Wl,-soname,libvulkan.so.1 -o "$tmp/lib/libvulkan.so.1" "$tmp/vulkan_loader.c" -ldl
said() { "$top_builddir/tracelayer" run -o "$tmp/none.json" -- "$tmp/asks" "$@" 2>&1 >"$tmp/out" | tail -n 1; }
none='tracelayer: no trace: the program'
no_call="$none made no call into an API that tracelayer has shims for"
cl=$(cd "$top_builddir" && pwd)/tests/drivers/.libs/icd_a.so
without="$none, or a library of it, takes functions from icd_a.so itself, and tracelayer traces those of libOpenCL.so.1; let it open libOpenCL.so.1"
is "$(said "$cl" clGetExtensionFunctionAddress)" "$without" "OpenCL's driver without its loader: what it gives out is not traced"
is "$(said "$cl" clGetPlatformIDs)" "$without" "likewise by a name that the loader has, too"
if loader=$(ldconfig -p 2>/dev/null | sed -n 's/.*libOpenCL\.so\.1 .*=> //p' | head -n 1) && test -f "$loader"; then
	LC_ALL=C sed 's/libOpenCL\.so\.1/libMyOCLx.so.1/g' "$loader" >"$tmp/lib/libMyOCLx.so.1" # the same length, also in its soname
	is "$(said "$tmp/lib/libMyOCLx.so.1" clGetExtensionFunctionAddress)" "${without/icd_a.so/libMyOCLx.so.1}" "OpenCL's loader under another name is not said to have none"
else
	skip 1 "this machine has no loader of OpenCL"
fi
is "$(said "$cl" test_icd_count)" "$no_call" "a program that asks it for another function is not said to use it"
is "$(said "$tmp/lib/vulkan_driver.so" vk_icdGetInstanceProcAddr)" "$none uses vulkan_driver.so, which is not traced; add --api=vulkan, or see tracelayer apis" \
	"Vulkan's driver without its loader"
is "$(said "$tmp/lib/vulkan_driver.so" nothing)" "$no_call" "a program that only loads it, as OpenGL's do, is not said to use it"
is "$(said "$tmp/lib/driver.so" vk_icdGetInstanceProcAddr; cat "$tmp/out")" "$no_call
0" "nor one that finds no such function"
like "$(said "$tmp/lib/libvulkan.so.1" nothing)" "^$none (uses libvulkan.so.1, which is not traced|made no call)" "nor one whose loader asks"
LD_PRELOAD=$tmp/lib/libvulkan.so.1 said "$tmp/lib/vulkan_driver.so" vk_icdGetInstanceProcAddr >"$tmp/both"
is "$(cat "$tmp/both")" "$none uses libvulkan.so.1, which is not traced; add --api=vulkan, or see tracelayer apis" "of both, the loader is named"
