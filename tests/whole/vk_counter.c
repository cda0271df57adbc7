/* SPDX-License-Identifier: MIT */
/*
 * vk_counter.c: a library in the place of Vulkan's loader, which counts each call that a program
 * makes into it: an independent count beside tracelayer's. Compiled with -DLOADER="PATH", the real
 * loader, and -DLIST="FILE", which has FUNCTION(NUMBER, NAME, EXPORTED) for each function of the
 * registry; EXPORTED is 1 if the real loader exports it. At the end it writes "NAME CALLS" lines to
 * $COUNT_CALLS.
 *
 * Each function has an entry as an export, one for vkGetInstanceProcAddr to return, and one for
 * vkGetDeviceProcAddr. An entry counts, and jumps to what the loader gives, with all registers as
 * they were. So all instances must have one driver. For x86-64.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

enum { EXPORTED, OF_INSTANCE, OF_DEVICE, KINDS };

struct counted {
	const char *name;
	void *entry[KINDS], *next[KINDS];
	long calls[KINDS];
};

/* Counts and goes on: the entry of this kind for the function of this number. */
#define ENTRY(number, kind)                                                                        \
	"vk_" #number "_" #kind ": lock incq vk_counted+80*" #number "+8*" #kind "+56(%rip)\n"     \
	"jmp *vk_counted+80*" #number "+8*" #kind "+32(%rip)\n"
#define EXPORT_0(number, name)
#define EXPORT_1(number, name)                                                                     \
	__asm__(".globl " #name "\n.type " #name ", @function\n" #name " = vk_" #number "_0\n");
#define FUNCTION(number, name, exported)                                                           \
	__asm__(".text\n" ENTRY(number, 0) ENTRY(number, 1)                                        \
			ENTRY(number, 2) ".section .rodata\n"                                      \
					 "vk_" #number "_name: .asciz \"" #name "\"\n"             \
					 ".data\n.quad vk_" #number "_name, vk_" #number           \
					 "_0, vk_" #number "_1, vk_" #number                       \
					 "_2, 0, 0, 0, 0, 0, 0\n.text\n");                         \
	EXPORT_##exported(number, name)
__asm__(".data\n.balign 16\n.globl vk_counted\n.hidden vk_counted\nvk_counted:\n.text\n");
#include LIST
__asm__(".data\n.quad 0\n.text\n");
_Static_assert(sizeof(struct counted) == 80, "as the entries have it");
extern struct counted vk_counted[] __attribute__((visibility("hidden")));

static PFN_vkGetInstanceProcAddr loader_instance;
static PFN_vkGetDeviceProcAddr loader_device;

static PFN_vkVoidFunction device_address(VkDevice device, const char *name);

/* `next`: what the loader gives. */
static PFN_vkVoidFunction entry_for(const char *name, PFN_vkVoidFunction next, int kind)
{
	if (next && !strcmp(name, "vkGetDeviceProcAddr"))
		next = (PFN_vkVoidFunction)device_address;
	struct counted *found = NULL;

	/* The loader has one function for two names, as vkFunction and vkFunctionKHR: it counts as one. */
	for (struct counted *counted = vk_counted; counted->name; counted++)
		if (counted->next[EXPORTED] == (void *)next ||
		    (!found && !strcmp(counted->name, name)))
			found = counted;
	if (!next || !found)
		return next;
	found->next[kind] = (void *)next;
	return (PFN_vkVoidFunction)found->entry[kind];
}

static PFN_vkVoidFunction instance_address(VkInstance instance, const char *name)
{
	return entry_for(name, loader_instance(instance, name), OF_INSTANCE);
}

static PFN_vkVoidFunction device_address(VkDevice device, const char *name)
{
	return entry_for(name, loader_device(device, name), OF_DEVICE);
}

__attribute__((constructor)) static void loader_open(void)
{
	/* The loader gets out the addresses of its own functions, also where this library's hide them. */
	void *loader = dlopen(LOADER, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);

	if (!loader)
		abort();
	loader_instance = (PFN_vkGetInstanceProcAddr)dlsym(loader, "vkGetInstanceProcAddr");
	loader_device = (PFN_vkGetDeviceProcAddr)dlsym(loader, "vkGetDeviceProcAddr");
	for (struct counted *counted = vk_counted; counted->name; counted++) {
		bool instance = !strcmp(counted->name, "vkGetInstanceProcAddr");
		bool device = !strcmp(counted->name, "vkGetDeviceProcAddr");

		counted->next[EXPORTED] = instance ? (void *)instance_address
					  : device ? (void *)device_address
						   : dlsym(loader, counted->name);
	}
}

__attribute__((destructor)) static void counts_write(void)
{
	const char *path = getenv("COUNT_CALLS");
	FILE *to = path ? fopen(path, "a") : NULL;

	for (struct counted *counted = vk_counted; to && counted->name; counted++) {
		long calls = 0;

		for (int kind = 0; kind < KINDS; kind++)
			calls += counted->calls[kind];
		if (calls)
			fprintf(to, "%s %ld\n", counted->name, calls);
	}
	if (to)
		fclose(to);
}
