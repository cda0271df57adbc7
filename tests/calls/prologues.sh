#!/bin/bash
# SPDX-License-Identifier: MIT
# Prologues that do not return, while calls are recorded with the memory that their arguments lead to: the thread ends in one, is cancelled
# there, or an exception leaves it. The program goes on, and no call shows another one's arguments.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
top=$(cd "$top_srcdir" && pwd) built=$(cd "$top_builddir" && pwd)
tracelayer=$built/tracelayer
export ZE_ENABLE_ALT_DRIVERS=$built/tests/drivers/.libs/ze_driver_a.so
cd "$tmp" || exit 99
plan 8

cat >leaves.cc <<'END'
// leaves WAY [captured]: a prologue of zeMemAllocDevice leaves so (exit, cancel, throw, stay), with or without an earlier call on its thread.
#include <tracelayer/tracer.h>
#include <level_zero/ze_api.h>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <pthread.h>
#include <unistd.h>

static ze_context_handle_t context;
static ze_device_handle_t device;
static const char *way;
static bool before;
static std::atomic<bool> leaves, waits;
static std::atomic<int> prologues, epilogues;

static enum tl_verdict prologue(const struct tl_view *, void *, void **)
{
	prologues++;
	if (!leaves)
		return TL_GO_ON;
	if (!strcmp(way, "exit"))
		pthread_exit(nullptr);
	if (!strcmp(way, "throw"))
		throw 42;
	for (waits = true; !strcmp(way, "cancel");)
		usleep(1000);
	return TL_GO_ON;
}

static void epilogue(const struct tl_view *, void *, void **)
{
	epilogues++;
}

static void call(uint32_t ordinal, size_t size)
{
	ze_device_mem_alloc_desc_t desc = {ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, nullptr, 0, ordinal};
	void *memory = nullptr;
	try {
		zeMemAllocDevice(context, &desc, size, 64, device, &memory);
	} catch (int) {
		puts("caught");
	}
}

static void *thread(void *)
{
	if (before)
		call(111, 4096);
	leaves = true;
	call(222, 8192);
	leaves = false;
	call(333, 16384);
	return nullptr;
}

int main(int argc, char **argv)
{
	uint32_t one = 1;
	ze_driver_handle_t driver;
	ze_context_desc_t desc = {ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
	tl_tracer_desc what = {};
	tl_tracer *tracer;
	pthread_t it;

	way = argv[1], before = argc > 2;
	what.size = sizeof(what);
	if (zeInit(0) || zeDriverGet(&one, &driver) || zeDeviceGet(driver, &one, &device) || zeContextCreate(driver, &desc, &context) ||
	    tl_tracer_create(&what, &tracer) || tl_tracer_register_glob(tracer, nullptr, "zeMemAllocDevice", prologue, epilogue) < 0 ||
	    tl_tracer_enable(tracer) || pthread_create(&it, nullptr, thread, nullptr))
		return 9;
	while (!strcmp(way, "cancel") && !waits)
		usleep(1000);
	if (!strcmp(way, "cancel"))
		pthread_cancel(it);
	pthread_join(it, nullptr);
	leaves = false;
	call(444, 32768);
	printf("%d prologues, %d epilogues\n", prologues.load(), epilogues.load());
	return 3;
}
END
${CXX:-c++} -I"$top/include" -I"$built/apis" -o leaves leaves.cc -L"$built/.libs" -Wl,-rpath,"$built/.libs" -ltracelayer -lze_loader -lpthread || exit 99

# seen FILE: of each call of zeMemAllocDevice, the ordinal and the size that it shows. Of one that was left, nothing that its pointers lead to.
seen()
{
	"$python" - "$1" <<-'END'
		import json, sys
		for event in json.load(open(sys.argv[1])):
		    if event["name"] == "zeMemAllocDevice":
		        args = event["args"]
		        desc = args.get("device_desc")
		        shown = desc["ordinal"] if isinstance(desc, dict) else None, args.get("size")
		        print("left" if args.pop("unwound", None) else "went on", *[x for x in shown if x], end="; ")
	END
}

leave()
{
	local way=$1 said=$2 want=$3
	rm -f t*.json
	"$tracelayer" run -o t.json ./leaves $way >out 2>err
	is "$? $(paste -sd' ' out) | $(seen t.json)" "3 $said | $want" "a prologue that leaves ($way)"
}

leave exit "2 prologues, 2 epilogues" "left 8192; went on 444 32768; "
leave "exit captured" "3 prologues, 3 epilogues" "went on 111 4096; left 8192; went on 444 32768; "
leave cancel "2 prologues, 2 epilogues" "left 8192; went on 444 32768; "
leave "cancel captured" "3 prologues, 3 epilogues" "went on 111 4096; left 8192; went on 444 32768; "
leave throw "caught 3 prologues, 3 epilogues" "left 8192; went on 333 16384; went on 444 32768; "
leave "throw captured" "caught 4 prologues, 4 epilogues" "went on 111 4096; left 8192; went on 333 16384; went on 444 32768; "
leave stay "3 prologues, 3 epilogues" "went on 222 8192; went on 333 16384; went on 444 32768; "
leave "stay captured" "4 prologues, 4 epilogues" "went on 111 4096; went on 222 8192; went on 333 16384; went on 444 32768; "
