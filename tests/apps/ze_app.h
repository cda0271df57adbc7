/* SPDX-License-Identifier: MIT */
/*
 * What the Level Zero test programs share: counting their own calls, so that a test can hold them
 * against what the driver and the trace say, and opening the device.
 *
 * Every call goes through ZE(function, arguments). When the program ends, "function count" lines
 * are written to the file that TEST_ZE_APP_COUNTS names, in order of first call.
 */
#ifndef TESTS_ZE_APP_H
#define TESTS_ZE_APP_H

#include <level_zero/ze_api.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ze_app_call {
	const char *name;
	_Atomic unsigned long count;
	struct ze_app_call *next;
};

void ze_app_count(struct ze_app_call *call);

/* How often the program has called the function so far. */
unsigned long ze_app_counted(const char *name);

/* Counts a call of the function, as a program that has it under another name does. */
#define ZE_COUNT(function)                                                                         \
	do {                                                                                       \
		static struct ze_app_call call_ = {.name = #function};                             \
		ze_app_count(&call_);                                                              \
	} while (0)

#define ZE(function, ...)                                                                          \
	({                                                                                         \
		ZE_COUNT(function);                                                                \
		function(__VA_ARGS__);                                                             \
	})

/* Ends the program with a line on stderr unless the result is success. */
#define MUST(call) ze_app_must(call, #call, __FILE__, __LINE__)
void ze_app_must(ze_result_t result, const char *call, const char *file, int line);

/* Ends the program with a line on stderr unless the condition holds. */
#define EXPECT(condition) ze_app_expect(condition, #condition, __FILE__, __LINE__)
void ze_app_expect(bool condition, const char *text, const char *file, int line);

struct ze_app {
	ze_driver_handle_t driver;
	ze_device_handle_t device;
	ze_context_handle_t context;
	ze_module_handle_t module;
};

/* The first device of the first driver, with a context and a module. */
void ze_app_open(struct ze_app *app);
void ze_app_close(struct ze_app *app);

ze_kernel_handle_t ze_app_kernel(const struct ze_app *app, const char *name);
ze_command_queue_handle_t ze_app_queue(const struct ze_app *app, uint32_t engine);
ze_command_list_handle_t ze_app_list(const struct ze_app *app);
ze_event_pool_handle_t ze_app_pool(const struct ze_app *app, uint32_t count,
				   ze_event_pool_flags_t flags);
ze_event_handle_t ze_app_event(ze_event_pool_handle_t pool, uint32_t index);

#endif
