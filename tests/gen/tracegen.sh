#!/bin/bash
# SPDX-License-Identifier: MIT
# tracegen as a command: its messages about broken input, its checks, and headers of libraries that nobody prepared for it.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99

tracegen=$top_builddir/tracegen
apis=$top_srcdir/gen/apis
test -x "$tracegen" || { echo "Bail out! $tracegen is missing; run make first"; exit 99; }
case $tracegen in /*) ;; *) tracegen=$PWD/$tracegen ;; esac
case $apis in /*) ;; *) apis=$PWD/$apis ;; esac
ze_include=$(cd "$top_builddir/apis/include" 2>/dev/null && pwd)
: "${CC:=cc}"

plan 100

# says STATUS REGEX DESCRIPTION COMMAND…: it ends so, and its stderr has such a line.
says()
{
	_want=$1; _regex=$2; _name=$3; shift 3
	timeout 60 "$@" >"$tmp/out" 2>"$tmp/err"
	is $? "$_want" "$_name: ends with $_want"
	like "$(cat "$tmp/err")" "$_regex" "$_name: is told"
}

# --- called wrongly
says 2 'emti: no such command; did you mean emit' 'an unknown command' "$tracegen" emti
says 2 'model needs a header' 'model without a header' "$tracegen" model
says 2 'check needs one library' 'check without a library' "$tracegen" check --api "$apis/zlib.json"
says 2 'check needs --api' 'check without a model' "$tracegen" check libz.so.1
says 2 '^tracegen: --outptu: no such option; did you mean --output' 'a slip in an option' "$tracegen" model --outptu=x zlib.h
is "$(wc -l <"$tmp/err")" 1 'in one line'
says 2 '^tracegen: --lib: its value is empty; give LIBRARY' 'an empty value' "$tracegen" model --lib=
says 2 '^tracegen emit: --shims: only `tracegen check` has a use for it' 'an option of another command' "$tracegen" emit --shims=x zlib.h
says 2 '^tracegen model: --sources: only `tracegen interposer` has a use for it' 'another' "$tracegen" model --sources=x zlib.h
says 2 '^tracegen check: --output: it prints to standard output' 'a file for a check' "$tracegen" check --api "$apis/zlib.json" -o x libz.so.1
says 2 '^tracegen: a model stands for its headers' 'a model and headers' "$tracegen" emit --model=x zlib.h
like "$("$tracegen" --help)" 'tracegen check' 'help names the commands'
like "$("$tracegen" --version)" '^tracegen ' 'the version is told'

# --- headers that are broken
printf 'int fine(int a);\n\nint broken(unknown_t a);\n' >"$tmp/broken.h"
says 1 "broken.h:3:12: unknown type name 'unknown_t'; a definition or an include may be missing: give it with --cflags" 'a header that does not parse' \
	"$tracegen" model "$tmp/broken.h"
printf '#include "missing.h"\n' >"$tmp/includes.h"
says 1 "includes.h:1:10: 'missing.h' file not found; name its folder, as in --cflags=-IDIR or by C_INCLUDE_PATH, or its package" 'an include that is missing' \
	"$tracegen" model "$tmp/includes.h"
says 1 "^tracegen: unknown argument: '-fnosuch'; check the compiler flags" 'a flag that is none' "$tracegen" model zlib.h -- -fnosuch
printf 'int f(int' >"$tmp/short.h"
says 1 "short.h: at its end: expected ')'" 'a header that ends too early' "$tracegen" model "$tmp/short.h"
says 1 "'nowhere.h' file not found" 'a header that is missing' "$tracegen" model nowhere.h
printf 'int log_it(const char *format, ...);\nint fine(int a);\n' >"$tmp/variadic.h"
says 0 "variadic.h:1: log_it is left out: variadic: .*; name it under left_out" 'a variadic function' \
	"$tracegen" model "$tmp/variadic.h"
like "$(cat "$tmp/out")" '"name": "fine"' 'the functions beside it are taken'

# --- descriptors that are broken; each is a good one with one thing changed
printf 'typedef struct box *box_t;\nstruct lid { int open; };\nenum { BOX_VERSION = 7 };\nint box_open(box_t box, int *sizes, int count, struct lid *lid);\n' \
	>"$tmp/box.h"
descriptor()
{
	printf '{\n "name": "box",\n "prefix": "box",\n "version": "1",\n "headers": ["%s/box.h"],\n%s\n "sonames": ["libbox.so.1"]\n}\n' \
		"$tmp" "$1" >"$tmp/box.json"
}
refused() # LINES REGEX DESCRIPTION
{
	descriptor "$1"
	says 1 "box.json:$2" "$3" "$tracegen" model --api "$tmp/box.json"
}
descriptor ''
ok 'a good descriptor is taken' "$tracegen" model --api "$tmp/box.json"
refused ' "left_out": {"box_shut": "no"},' '6: the headers have no function box_shut; correct the name, or write "\?box_shut"' \
	'a function that does not exist'
descriptor ' "left_out": {"?box_shut": "no", "box_w*": "patterns may match nothing"},'
ok 'a function that other versions have' "$tracegen" model --api "$tmp/box.json"
refused ' "handles": ["crate_t"],' '6: the headers have no type crate_t; correct the name' 'a type that does not exist'
refused ' "handels": ["box_t"],' '6: unknown key "handels"; tracelayer-descriptor\(5\) lists them' 'an unknown key'
refused ' "variables": {"box_open:sizes": "[in][inwards]"},' '6: unknown tag \[inwards\]' 'an unknown tag'
refused ' "variables": {"box_open:sizes": "[in][range(0, number)]"},' '6: box_open has no number to count sizes by' 'a count that does not exist'
refused ' "variables": {"box_open:size": "[in]"},' '6: nothing is called box_open:size' 'a parameter that does not exist'
refused ' "successes": ["BOX_FINE"],' '6: the headers have no constant BOX_FINE' 'a constant that does not exist'
refused ' "levels": [{"level": "loud", "functions": ["*"]}],' '6: no level is called "loud"; there are request, runtime' 'a level that does not exist'
refused ' "phases": [{"layer": "driver", "phase": "lunch", "functions": ["*"]}],' '6: no phase is called "lunch"; there are initialization, preparation' 'a phase that does not exist'
refused ' "phases": [{"layer": "cake", "phase": "execution", "functions": ["*"]}],' '6: no layer is called "cake"; there are application, runtime' 'a layer that does not exist'
refused ' "results": [{"type": "int", "failure": "often"}],' '6: no failure is called "often"' 'a failure that does not exist'
refused ' "more_words": {"box_open": 13},' '6: a function can have 1 to 12 words more; correct the number' 'too many words'
printf 'void box_paint(box_t box, double red);\n' >>"$tmp/box.h"
refused ' "more_words": {"box_paint": 1},' '6: box_paint must take words alone, at most 24 with those; name it under left_out' 'words where a parameter is no word'
descriptor ' "exported": ["stddef.h"],'
sed -i 's,"headers": \[,&"stddef.h"\, ,' "$tmp/box.json"
says 1 'box.json:6: the headers have no function stddef.h' 'a header that declares no function, where its functions are exported' "$tracegen" model --api "$tmp/box.json"
refused ' "bools" ["x"],' "6: ':' expected near" 'JSON that does not parse'
says 1 'gone.json: No such file or directory; name an existing descriptor' 'a descriptor that is missing' "$tracegen" model --api "$tmp/gone.json"

# --- what the real libraries export
library() { $CC -print-file-name="$1" 2>/dev/null; }
for pair in libze_loader.so.1:level-zero libOpenCL.so.1:opencl libz.so.1:zlib; do
	lib=$(library "${pair%:*}")
	if test -e "$lib"; then
		ok "every function of ${pair%:*} that the headers declare is accounted for" \
			"$tracegen" check --api "$apis/${pair#*:}.json" "$lib" -- -I"$ze_include"
	else
		skip 1 "no ${pair%:*} here"
	fi
done
for pair in libze_loader.so.1:level-zero libOpenCL.so.1:opencl; do
	lib=$(library "${pair%:*}")
	if test -e "$lib" && test -e "$libtracelayer"; then
		ok "libtracelayer.so really exports the shims of ${pair%:*}" \
			"$tracegen" check --api "$apis/${pair#*:}.json" --shims "$libtracelayer" "$lib" -- -I"$ze_include"
	else
		skip 1 "no ${pair%:*}, or libtracelayer.so is not built"
	fi
done
lib=$(library libOpenCL.so.1)
if test -e "$lib"; then
	like "$("$tracegen" check --api "$apis/opencl.json" "$lib")" '^clFinish@@OPENCL_1.0$' 'symbol versions are shown'
	sed 's/"CL\/cl.h",$/"clGet*", "clCreate*",/' "$apis/opencl.json" >"$tmp/half.json"
	sed -i 's/"headers": \[/&"CL\/cl.h",/' "$tmp/half.json"
	"$tracegen" check --api "$tmp/half.json" "$lib" >"$tmp/out"
	is $? 1 'a function that nobody accounts for fails the check'
	like "$(cat "$tmp/out")" '^clFinish@@OPENCL_1.0: the descriptor says that it is not exported; add it' 'and is named'
else
	skip 3 'no libOpenCL.so.1 here'
fi

# --- several versions of one symbol, and a library of shims that lacks one
cat >"$tmp/versions.c" <<'END'
__asm__(".symver old_open,box_open@BOX_1");
__asm__(".symver new_open,box_open@@BOX_2");
int old_open(void *b, int *s, int c, void *l) { return 1; }
int new_open(void *b, int *s, int c, void *l) { return 2; }
int box_secret(void) { return 3; }
END
printf 'BOX_1 { global: box_open; box_secret; };\nBOX_2 { global: box_open; } BOX_1;\n' >"$tmp/versions.map"
printf 'int other(void) { return 1; }\n' >"$tmp/shims.c"
descriptor ''
if $CC -shared -fPIC -w -o "$tmp/libbox.so" "$tmp/versions.c" -Wl,--version-script="$tmp/versions.map" &&
	$CC -shared -fPIC -o "$tmp/libshims.so" "$tmp/shims.c"; then
	"$tracegen" check --api "$tmp/box.json" "$tmp/libbox.so" >"$tmp/out"
	is $? 0 'a library with two versions of a symbol passes'
	like "$(cat "$tmp/out")" '^box_open@@BOX_2, box_open@BOX_1 \(several versions' 'both versions are reported'
	like "$(cat "$tmp/out")" "^box_secret@@BOX_1: the headers don't declare it" 'what headers do not declare is listed'
	"$tracegen" check --api "$tmp/box.json" --shims "$tmp/libshims.so" "$tmp/libbox.so" >"$tmp/out"
	is $? 1 'a shim that was not built is missed'
else
	fail 'libraries to check'; fail 'are'; fail 'not'; fail 'built'
fi
says 1 'not an ELF file; name the shared library' 'a library that is none' "$tracegen" check --api "$tmp/box.json" "$tmp/box.h"

# --- every header of OpenCL is read, or there is a reason
missing=
for header in /usr/include/CL/*.h*; do
	test -e "$header" || continue
	grep -q "\"?\?CL/${header##*/}\"" "$apis/opencl.json" || missing="$missing ${header##*/}"
done
is "$missing" '' 'every OpenCL header is read or stands in the list of those that are not'
compiled=
for header in $(sed -n 's/^ *"\(CL\/[a-z0-9_]*\.h\)": "needs .*/\1/p' "$apis/opencl.json"); do
	printf '#include <%s>\n' "$header" | $CC -DCL_TARGET_OPENCL_VERSION=300 -fsyntax-only -xc - 2>/dev/null && compiled="$compiled $header"
done
test -e /usr/include/va/va.h && compiled=${compiled# CL/cl_va_api_media_sharing_intel.h}
is "$compiled" '' 'those that are said to need something missing here do'

# --- headers that nobody here wrote
for name in zlib sqlite3; do
	if printf '#include <%s.h>\n' "$name" | $CC -E - >/dev/null 2>&1; then
		timeout 60 "$tracegen" model --api "$apis/$name.json" >"$tmp/$name.json" 2>"$tmp/err"
		is "$?:$(cat "$tmp/err")" 0: "$name.h is read, and its variadic functions are left out by its descriptor"
	else
		skip 1 "no $name.h here"
	fi
done
cuda=$(ls -d /usr/local/cuda*/include/cuda.h /usr/include/cuda.h 2>/dev/null | head -n 1)
if test -n "$cuda"; then
	ok 'cuda.h is read' "$tracegen" model --api "$apis/cuda.json" -o "$tmp/cuda.json" -- -I"${cuda%/cuda.h}"
else
	skip 1 'this machine has no cuda.h'
fi

says 1 'missing/emitted: its folder is missing; make it, or choose another place with -o' 'a folder in a folder that is missing' \
	"$tracegen" emit "$tmp/variadic.h" -o "$tmp/missing/emitted"
"$tracegen" emit "$tmp/broken.h" -o "$tmp/emitted" 2>/dev/null || "$tracegen" emit "$tmp/variadic.h" -o "$tmp/emitted" 2>/dev/null
is "$(cd "$tmp/emitted" && echo *)" 'variadic.exports variadic_callbacks.h variadic_shims.c variadic_tables.c' \
	'without a descriptor an API is called after its header, and a broken header leaves nothing behind'

# Names that would get one type, and so many functions that comparing each with each would take gigabytes.
{
	printf 'int Log_It(int a);\nint log_it(void);\nint log__it(int b);\nint log_i_t(int c);\n'
	seq -f 'int many_%gThing(int first);' 10000
} >"$tmp/many.h"
mkdir "$tmp/many"
ok 'code is made for 10,000 functions in a gigabyte of memory' sh -c 'ulimit -v 1048576 && exec "$@"' - "$tracegen" emit "$tmp/many.h" -o "$tmp/many"
is "$(sed -n 's/^typedef void (\*\([a-z_]*Log_*I_*TCb_t\))(\([a-z_]*\).*/\1 \2/pI' "$tmp/many/many_callbacks.h")" 'many_pfn_Log_ItCb_t many_Log_It_params_t
many_pfn_log_itCb_t many_log_it_params_t
many_pfn_log__itCb_t many_log__it_params_t
many_pfnLogITCb_t many_log_i_t_params_t' 'functions whose names differ only in case or underscores keep their own'

# --- newer Level Zero headers: a function, a struct and a header more, and no change to tracegen
if test -n "$ze_include"; then
	mkdir -p "$tmp/new" && cp -rL "$ze_include/level_zero" "$tmp/new/level_zero"
	cat >>"$tmp/new/level_zero/ze_api.h" <<'END'

#ifndef ZE_LAMP
#define ZE_LAMP
typedef struct _ze_lamp_desc_t {
	ze_structure_type_t stype;	///< [in] type of this structure
	const void *pNext;		///< [in][optional] more
	uint32_t numColours;		///< [in] how many
	const uint32_t *pColours;	///< [in][range(0, numColours)] the colours
} ze_lamp_desc_t;
ZE_APIEXPORT ze_result_t ZE_APICALL
zeLampCreate(ze_device_handle_t hDevice,	///< [in] the device
	const ze_lamp_desc_t *desc,		///< [in] what lamp
	uint32_t *pOn				///< [out] whether it burns
	);
#endif
END
	sed -i 's/^\( *\)ZE_STRUCTURE_TYPE_FORCE_UINT32/\1ZE_STRUCTURE_TYPE_LAMP_DESC = 0x00030042,\n&/' "$tmp/new/level_zero/ze_api.h"
	sed -i 's/^} ze_driver_dditable_t;/    ze_pfnLampCreate_t pfnCreateLamp;\n&/; s/^typedef struct _ze_driver_dditable_t/typedef ze_result_t (*ze_pfnLampCreate_t)(ze_device_handle_t, const ze_lamp_desc_t *, uint32_t *);\n&/' "$tmp/new/level_zero/ze_ddi.h"
	rm -f "$tmp/new/level_zero/zer_api.h"
	printf '#include "ze_api.h"\nZE_APIEXPORT const char *ZE_APICALL zerLastWords(uint32_t index);\n' >"$tmp/new/level_zero/zer_api.h"
	"$tracegen" model --api "$apis/level-zero.json" -o "$tmp/new.json" -- -I"$tmp/new" 2>"$tmp/err"
	is "$?:$(cat "$tmp/err")" 0: 'newer headers are read'
	is "$("$python" - "$tmp/new.json" <<-'END'
	import json, sys
	model = json.load(open(sys.argv[1]))
	types = {t["spelling"]: t for t in model["types"]}
	functions = {f["name"]: f for f in model["functions"]}
	lamp = functions["zeLampCreate"]
	print(lamp["level"], lamp["failure"], lamp["params"][2]["direction"], hex(types["ze_lamp_desc_t"]["stype"]),
	      types["ze_lamp_desc_t"]["members"][3]["length"]["sibling"], "zerLastWords" in functions)
	END
	)" "2 nonzero ['out', 'obliged'] 0x30042 numColours True" 'and their functions, structs and chains are known'
	is "$("$python" - "$tmp/new.json" <<-'END'
	import json, sys
	model = json.load(open(sys.argv[1]))
	table = [g for g in model["getprocs"] if g["function"] == "zeGetDriverProcAddrTable"][0]
	entries = {e["member"]: e.get("since", 0) for e in table["entries"]}
	major, minor = model["version"].split(".")
	print(entries["pfnGet"], entries["pfnCreateLamp"] == int(major) << 16 | int(minor))
	END
	)" '0 True' 'a member that a table has gained is written only for programs as new as the headers'
else
	skip 3 'no Level Zero headers here'
fi

# --- the same input gives the same output
"$tracegen" model --api "$apis/zlib.json" -o "$tmp/one.json"
(cd / && "$tracegen" model --api "$apis/zlib.json" >"$tmp/two.json")
same "$tmp/one.json" "$tmp/two.json" 'the same headers give the same model, wherever tracegen runs'
mkdir "$tmp/elsewhere" && cp -R /usr/include/CL "$tmp/elsewhere/"
"$tracegen" model --api "$apis/opencl.json" -o "$tmp/one.json"
for variable in CPATH C_INCLUDE_PATH; do
	env $variable="/nowhere:$tmp/elsewhere" "$tracegen" model --api "$apis/opencl.json" | sed "s,$tmp/elsewhere,/usr/include," >"$tmp/two.json"
	same "$tmp/one.json" "$tmp/two.json" "and wherever $variable says that they are"
done
