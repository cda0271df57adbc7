/* SPDX-License-Identifier: MIT */
/*
 * libze_loader.so.1 for a machine that has no Level Zero: every function of the API leads to the
 * software device that ZE_ENABLE_ALT_DRIVERS names, as the stock loader does for a single driver.
 *
 * Each function is a jump through its slot. The slots are filled when the library is loaded.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>
#include <level_zero/zes_api.h>
#include <level_zero/zes_ddi.h>
#include <level_zero/zet_api.h>
#include <level_zero/zet_ddi.h>

#ifdef __x86_64__
#define JUMP(slot) "jmp *" slot "(%rip)\n"
#else
#define JUMP(slot) "adrp x16, " slot "\nldr x16, [x16, :lo12:" slot "]\nbr x16\n"
#endif

/* The slots and the functions. */
#define TABLE(getter, type)
#define HAVE(function, field, since)                                                               \
	__attribute__((visibility("hidden"))) void *slot_##function;                               \
	__asm__(".pushsection .text\n.globl " #function "\n.type " #function                       \
		", %function\n" #function ":\n" JUMP("slot_" #function) ".popsection");
#define NONE HAVE
#define END
#include "ze_functions.def"
#undef TABLE
#undef HAVE
#undef END

/* The driver's table of one kind, into the slots. A table that the driver does not have stays empty. */
#define TABLE(getter, type)                                                                        \
	static void fill_##getter(void *driver)                                                    \
	{                                                                                          \
		type table = {0};                                                                  \
		ze_result_t (*get)(ze_api_version_t, type *);                                      \
                                                                                                   \
		*(void **)&get = dlsym(driver, #getter);                                           \
		if (!get || get(ZE_API_VERSION_CURRENT, &table))                                   \
			return;
#define HAVE(function, field, since) slot_##function = (void *)table.field;
#define END			     }
#include "ze_functions.def"
#undef TABLE
#undef HAVE
#undef END

__attribute__((constructor)) static void slots_fill(void)
{
	const char *path = getenv("ZE_ENABLE_ALT_DRIVERS");
	void *driver = path ? dlopen(path, RTLD_NOW) : NULL;

	if (!driver) {
		fprintf(stderr, "ze_few_loader: no driver: %s\n", path ? dlerror() : "none named");
		exit(1);
	}
#define TABLE(getter, type) fill_##getter(driver);
#define HAVE(function, field, since)
#define END
#include "ze_functions.def"
}
