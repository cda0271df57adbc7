/* SPDX-License-Identifier: MIT */
/*
 * What the parts of zel_contract share: reporting, a tracer that writes down what its callbacks
 * see, and the test driver's hooks.
 */
#ifndef TESTS_ZEL_CONTRACT_H
#define TESTS_ZEL_CONTRACT_H

#include "../drivers/ze_driver.h"
#include "ze_app.h"

#include <level_zero/layers/zel_tracing_api.h>
#include <level_zero/layers/zel_tracing_register_cb.h>

/* One result of the test, with printf's arguments for what was shown. */
bool check(bool holds, const char *what, ...) __attribute__((format(printf, 2, 3)));
/* The result is the one wanted. */
bool gives(ze_result_t result, ze_result_t wanted, const char *what);

extern struct ze_app app;
/* zelTracerResetAllCallbacks, which no stock loader has */
extern ze_result_t (*reset_all)(zel_tracer_handle_t);

/* What a traced call of zeDeviceGetStatus does besides being written down. */
struct watch {
	char name;
	zel_tracer_handle_t tracer;
	_Atomic int prologues, epilogues;
	ze_result_t prologue_result, result; /* as the last callbacks got them */
	void *found;			     /* instance data as the last prologue found it */
	bool own_data;			     /* the epilogue found what the prologue put there */
	void (*in_prologue)(struct watch *watch);
	void (*in_epilogue)(struct watch *watch);
};

/* A disabled tracer with both callbacks on zeDeviceGetStatus. */
void watch_create(struct watch *watch, char name);
void watch_enable(struct watch *watch, bool enable);
/* Disables it first. */
void watch_destroy(struct watch *watch);
/* One call of what is watched. */
ze_result_t call(void);
/* Letters of the callbacks since the last time: names, prologues as capitals. */
const char *written(void);

/* The test driver's (drivers/ze_driver.h), for zeDeviceGetStatus. */
struct driver {
	int (*set_hook)(const char *name, test_ze_hook *hook, void *arg);
	int (*set_result)(const char *name, uint32_t result, uint64_t nth);
	int (*block)(const char *name);
	int (*release)(const char *name);
	int (*waiting)(const char *name);
};
extern struct driver driver;
#define WATCHED "zeDeviceGetStatus"

void sleep_ms(int ms);

/* The parts. */
void contract_calls(void);
void contract_errors(void);
void contract_threads(void);
void contract_forked(void); /* one of contract_threads' */
void contract_unwinding(void);

#endif
