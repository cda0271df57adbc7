/* SPDX-License-Identifier: MIT */
/*
 * ze_names: creates a Level Zero kernel for each name that it reads from stdin (one a line, in
 * hexadecimal), asks for its name again, and then passes pointers that nobody may follow.
 *
 * Each name ends right before a page without access, and so does the room for the answer: a tracer
 * that reads a byte more than the call allows kills this program. Prints what the driver said.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/apps/ze_app.h"

static struct ze_app app;
/* what is before it may be used, a page's length; what begins here may not */
static char *border;

static void make_border(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *pages =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	EXPECT(pages != MAP_FAILED && !mprotect(pages + page, page, PROT_NONE));
	border = pages + page;
}

static size_t from_hexadecimal(const char *line, char *bytes)
{
	size_t length = strcspn(line, "\n") / 2;

	for (size_t i = 0; i < length; i++) {
		const char digits[] = {line[2 * i], line[2 * i + 1], 0};

		bytes[i] = (char)strtoul(digits, NULL, 16);
	}
	bytes[length] = 0;
	return length + 1;
}

static void try_name(const char *line)
{
	char bytes[2048], answer[2048];
	size_t size = from_hexadecimal(line, bytes), got = 0;
	ze_kernel_handle_t kernel = NULL;

	char *name = memcpy(border - size, bytes, size);
	const ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
	ze_result_t result = ZE(zeKernelCreate, app.module, &desc, &kernel);
	printf("create %#x\n", result);
	if (result)
		return;
	MUST(ZE(zeKernelGetName, kernel, &got, NULL));
	EXPECT(got <= sizeof(answer));
	MUST(ZE(zeKernelGetName, kernel, &got, border - got));
	printf("name %zu %s\n", got,
	       got == size && !memcmp(border - got, bytes, got) ? "right" : "WRONG");
	MUST(ZE(zeKernelDestroy, kernel));
}

static void said(const char *what, ze_result_t result, const uint32_t *count)
{
	printf("%s: %#x %u\n", what, result, count ? *count : 0);
}

/* Arrays of no elements, and arguments of calls that fail: the driver doesn't look there. */
static void try_forbidden(void)
{
	ze_kernel_handle_t kernel = ze_app_kernel(&app, "spin");
	ze_command_list_handle_t list = ze_app_list(&app);
	uint32_t count = 0;

	said("zeDriverGet", ZE(zeDriverGet, &count, (void *)border), &count);
	count = 0;
	said("zeDeviceGet", ZE(zeDeviceGet, app.driver, &count, (void *)border), &count);
	count = 0;
	said("zeModuleGetKernelNames",
	     ZE(zeModuleGetKernelNames, app.module, &count, (void *)border), &count);
	count = 0;
	said("zeDriverGetExtensionProperties",
	     ZE(zeDriverGetExtensionProperties, app.driver, &count, (void *)border), &count);
	/* Memory that is there, but was never written. */
	const char *names[16];
	memset(names, 0x5a, sizeof(names));
	count = 0;
	said("zeModuleGetKernelNames", ZE(zeModuleGetKernelNames, app.module, &count, names),
	     &count);
	said("zeKernelSetArgumentValue", ZE(zeKernelSetArgumentValue, kernel, 99, 8, border), NULL);
	said("zeCommandListAppendBarrier",
	     ZE(zeCommandListAppendBarrier, list, NULL, 0, (void *)border), NULL);
	MUST(ZE(zeCommandListDestroy, list));
	MUST(ZE(zeKernelDestroy, kernel));
}

int main(void)
{
	char line[4096];

	make_border();
	ze_app_open(&app);
	while (fgets(line, sizeof(line), stdin))
		try_name(line);
	try_forbidden();
	ze_app_close(&app);
	return 0;
}
