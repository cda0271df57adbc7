/* SPDX-License-Identifier: MIT */
/*
 * The loaders' own layers as a loader sees them, without one: tables of older and newer versions,
 * tables asked for again, tables of other lengths. The libraries are opened as loaders open them.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_layer.h>
#include <check.h>
#include <dlfcn.h>
#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>
#include <level_zero/layers/zel_tracing_api.h>
#include <level_zero/layers/zel_tracing_register_cb.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *ze_layer, *cl_layer;

static void *open_layer(const char *path)
{
	const char *top = getenv("top_builddir");
	char name[4096];

	snprintf(name, sizeof(name), "%s/.libs/tracelayer/%s", top ? top : ".", path);
	void *layer = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
	ck_assert_msg(layer != NULL, "%s", dlerror());
	return layer;
}

static void open_both(void)
{
	ze_layer = open_layer("level-zero/libze_tracing_layer.so.1");
	cl_layer = open_layer("opencl/libtracelayer_opencl_layer.so");
}

#define ZE_LAYER(function) ((__typeof__(&function))dlsym(ze_layer, #function))
#define CL_LAYER(function) ((__typeof__(&function))dlsym(cl_layer, #function))

/* --- what a loader has */

static int queried, queried_otherwise, initialised;

static ze_result_t query(ze_event_handle_t event)
{
	queried++;
	return ZE_RESULT_NOT_READY;
}

static ze_result_t query_otherwise(ze_event_handle_t event)
{
	queried_otherwise++;
	return ZE_RESULT_SUCCESS;
}

static ze_result_t init(ze_init_flags_t flags)
{
	initialised++;
	return ZE_RESULT_SUCCESS;
}

static ze_result_t init_of_driver(ze_init_flags_t flags)
{
	return ZE_RESULT_SUCCESS;
}

static int prologues;

static void on_query(ze_event_query_status_params_t *params, ze_result_t result, void *user,
		     void **instance)
{
	prologues++;
}

static zel_tracer_handle_t trace_queries(void)
{
	zel_tracer_desc_t desc = {.stype = ZEL_STRUCTURE_TYPE_TRACER_DESC};
	zel_tracer_handle_t tracer = NULL;

	ck_assert_int_eq(ZE_LAYER(zelTracerCreate)(&desc, &tracer), ZE_RESULT_SUCCESS);
	ck_assert_int_eq(ZE_LAYER(zelTracerEventQueryStatusRegisterCallback)(
				 tracer, ZEL_REGISTER_PROLOGUE, on_query),
			 ZE_RESULT_SUCCESS);
	ck_assert_int_eq(ZE_LAYER(zelTracerSetEnabled)(tracer, 1), ZE_RESULT_SUCCESS);
	return tracer;
}

/* --- Level Zero */

START_TEST(calls_through_the_table_are_traced_and_reach_what_the_loader_had_there)
{
	ze_event_dditable_t table = {.pfnQueryStatus = query};

	ck_assert_int_eq(ZE_LAYER(zeGetEventProcAddrTable)(ZE_API_VERSION_1_4, &table),
			 ZE_RESULT_SUCCESS);
	trace_queries();
	ck_assert_int_eq(table.pfnQueryStatus(NULL), ZE_RESULT_NOT_READY);
	ck_assert_int_eq(queried, 1);
	ck_assert_int_eq(prologues, 1);
	ck_assert_msg(!table.pfnCreate, "what the loader has not got stays missing");
}
END_TEST

START_TEST(a_newer_version_is_served_and_what_it_has_more_stays)
{
	struct {
		ze_event_dditable_t known;
		uint64_t more[40];
	} table = {.known.pfnQueryStatus = query}, before;

	/*
	 * Descriptors know some functions that came later by name: those are traced. None knows so
	 * many.
	 */
	for (unsigned i = 0; i < 40; i++)
		table.more[i] = i + 1;
	before = table;
	ck_assert_int_eq(ZE_LAYER(zeGetEventProcAddrTable)((ze_api_version_t)ZE_MAKE_VERSION(1, 99),
							   &table.known),
			 ZE_RESULT_SUCCESS);
	ck_assert_ptr_ne(table.known.pfnQueryStatus, query);
	ck_assert_mem_eq(table.more + 20, before.more + 20, sizeof(table.more) / 2);
}
END_TEST

START_TEST(versions_whose_tables_are_not_known_are_left_as_they_are)
{
	ze_event_dditable_t table = {.pfnQueryStatus = query};

	ck_assert_int_eq(
		ZE_LAYER(zeGetEventProcAddrTable)((ze_api_version_t)ZE_MAKE_VERSION(1, 3), &table),
		ZE_RESULT_SUCCESS);
	ck_assert_int_eq(
		ZE_LAYER(zeGetEventProcAddrTable)((ze_api_version_t)ZE_MAKE_VERSION(2, 0), &table),
		ZE_RESULT_SUCCESS);
	ck_assert_ptr_eq(table.pfnQueryStatus, query);
}
END_TEST

START_TEST(a_table_that_is_missing_is_an_error)
{
	ck_assert_int_eq(ZE_LAYER(zeGetEventProcAddrTable)(ZE_API_VERSION_1_4, NULL),
			 ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}
END_TEST

START_TEST(the_same_table_asked_for_again_gets_the_same)
{
	ze_event_dditable_t one = {.pfnQueryStatus = query}, two = one;

	ZE_LAYER(zeGetEventProcAddrTable)(ZE_API_VERSION_1_4, &one);
	ZE_LAYER(zeGetEventProcAddrTable)(ZE_API_VERSION_1_4, &two);
	ck_assert_ptr_eq(one.pfnQueryStatus, two.pfnQueryStatus);
	ZE_LAYER(zeGetEventProcAddrTable)(ZE_API_VERSION_1_4, &two);
	ck_assert_ptr_eq(one.pfnQueryStatus, two.pfnQueryStatus);
}
END_TEST

START_TEST(another_function_in_the_same_place_is_traced_and_called_too)
{
	ze_event_dditable_t one = {.pfnQueryStatus = query},
			    two = {.pfnQueryStatus = query_otherwise};

	ZE_LAYER(zeGetEventProcAddrTable)(ZE_API_VERSION_1_4, &one);
	ZE_LAYER(zeGetEventProcAddrTable)(ZE_API_VERSION_1_4, &two);
	zel_tracer_handle_t tracer = trace_queries();
	ck_assert_int_eq(one.pfnQueryStatus(NULL), ZE_RESULT_NOT_READY);
	ck_assert_int_eq(two.pfnQueryStatus(NULL), ZE_RESULT_SUCCESS);
	ck_assert_int_eq(queried, 1);
	ck_assert_int_eq(queried_otherwise, 1);
	ck_assert_int_eq(prologues, 2);
	ZE_LAYER(zelTracerSetEnabled)(tracer, 0);
	ck_assert_int_eq(ZE_LAYER(zelTracerDestroy)(tracer), ZE_RESULT_SUCCESS);
	ck_assert_int_eq(two.pfnQueryStatus(NULL), ZE_RESULT_SUCCESS);
	ck_assert_int_eq(prologues, 2);
}
END_TEST

START_TEST(a_table_that_the_loader_asks_drivers_by_is_left_as_it_is)
{
	static ze_global_dditable_t used = {.pfnInit = init};
	ze_global_dditable_t of_driver = {.pfnInit = init_of_driver},
			     of_the_only_driver = {.pfnInit = init};

	ZE_LAYER(zeGetGlobalProcAddrTable)(ZE_API_VERSION_1_4, &used);
	ck_assert_ptr_ne(used.pfnInit, init);
	ZE_LAYER(zeGetGlobalProcAddrTable)(ZE_API_VERSION_1_4, &of_driver);
	ck_assert_ptr_eq(of_driver.pfnInit, init_of_driver);
	ZE_LAYER(zeGetGlobalProcAddrTable)(ZE_API_VERSION_1_4, &of_the_only_driver);
	ck_assert_ptr_eq(of_the_only_driver.pfnInit, init);
	ck_assert_int_eq(used.pfnInit(0), ZE_RESULT_SUCCESS);
	ck_assert_int_eq(initialised, 1);
}
END_TEST

START_TEST(a_loader_that_asks_by_a_copy_first_gets_both_tables)
{
	static ze_global_dditable_t used = {.pfnInit = init};
	ze_global_dditable_t copy = used;

	ZE_LAYER(zeGetGlobalProcAddrTable)(ZE_API_VERSION_1_4, &copy);
	ZE_LAYER(zeGetGlobalProcAddrTable)(ZE_API_VERSION_1_4, &used);
	ck_assert_ptr_ne(copy.pfnInit, init);
	ck_assert_ptr_eq(copy.pfnInit, used.pfnInit);
}
END_TEST

/* --- OpenCL */

static cl_int flush(cl_command_queue queue)
{
	return -77;
}

START_TEST(the_dispatch_table_has_our_functions_where_the_loader_has_some)
{
	cl_icd_dispatch loaders = {.clFlush = flush};
	const cl_icd_dispatch *ours = NULL;
	cl_uint count = 0;

	ck_assert_int_eq(
		CL_LAYER(clInitLayer)(sizeof(loaders) / sizeof(void *), &loaders, &count, &ours),
		CL_SUCCESS);
	ck_assert_uint_eq(count, sizeof(loaders) / sizeof(void *));
	ck_assert_ptr_ne(ours->clFlush, flush);
	ck_assert_int_eq(ours->clFlush(NULL), -77);
	ck_assert_msg(!ours->clFinish, "what the loader has not got stays missing");
}
END_TEST

START_TEST(an_older_loader_has_a_shorter_table)
{
	const cl_uint length = offsetof(cl_icd_dispatch, clFlush) / sizeof(void *);
	cl_icd_dispatch loaders = {.clFlush = flush};
	const cl_icd_dispatch *ours = NULL;
	cl_uint count = 0;

	ck_assert_int_eq(CL_LAYER(clInitLayer)(length, &loaders, &count, &ours), CL_SUCCESS);
	ck_assert_uint_eq(count, length);
	ck_assert_msg(!ours->clFlush, "nothing behind its end is read");
}
END_TEST

START_TEST(a_newer_loader_has_a_longer_table)
{
	struct {
		cl_icd_dispatch known;
		void *more[8];
	} loaders = {.known.clFlush = flush};
	const cl_icd_dispatch *ours = NULL;
	cl_uint count = 0;

	ck_assert_int_eq(CL_LAYER(clInitLayer)(sizeof(loaders) / sizeof(void *), &loaders.known,
					       &count, &ours),
			 CL_SUCCESS);
	ck_assert_uint_eq(count, sizeof(loaders.known) / sizeof(void *));
}
END_TEST

START_TEST(the_layer_says_what_it_is)
{
	cl_layer_api_version version = 0;
	char name[64] = "";
	size_t size = 0;

	ck_assert_int_eq(
		CL_LAYER(clGetLayerInfo)(CL_LAYER_API_VERSION, sizeof(version), &version, &size),
		CL_SUCCESS);
	ck_assert_uint_eq(version, CL_LAYER_API_VERSION_100);
	ck_assert_uint_eq(size, sizeof(version));
	ck_assert_int_eq(CL_LAYER(clGetLayerInfo)(CL_LAYER_NAME, sizeof(name), name, NULL),
			 CL_SUCCESS);
	ck_assert_str_eq(name, "tracelayer");
	ck_assert_int_eq(CL_LAYER(clGetLayerInfo)(CL_LAYER_NAME, 3, name, NULL), CL_INVALID_VALUE);
	ck_assert_int_eq(CL_LAYER(clGetLayerInfo)(1, sizeof(name), name, NULL), CL_INVALID_VALUE);
	ck_assert_int_eq(CL_LAYER(clInitLayer)(1, NULL, NULL, NULL), CL_INVALID_VALUE);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("doors");
	TCase *ze = tcase_create("level-zero"), *cl = tcase_create("opencl");

	/* Each in a process of its own: a layer is told of its loader once. */
	tcase_add_checked_fixture(ze, open_both, NULL);
	tcase_add_test(ze, calls_through_the_table_are_traced_and_reach_what_the_loader_had_there);
	tcase_add_test(ze, a_newer_version_is_served_and_what_it_has_more_stays);
	tcase_add_test(ze, versions_whose_tables_are_not_known_are_left_as_they_are);
	tcase_add_test(ze, a_table_that_is_missing_is_an_error);
	tcase_add_test(ze, the_same_table_asked_for_again_gets_the_same);
	tcase_add_test(ze, another_function_in_the_same_place_is_traced_and_called_too);
	tcase_add_test(ze, a_table_that_the_loader_asks_drivers_by_is_left_as_it_is);
	tcase_add_test(ze, a_loader_that_asks_by_a_copy_first_gets_both_tables);
	suite_add_tcase(suite, ze);
	tcase_add_checked_fixture(cl, open_both, NULL);
	tcase_add_test(cl, the_dispatch_table_has_our_functions_where_the_loader_has_some);
	tcase_add_test(cl, an_older_loader_has_a_shorter_table);
	tcase_add_test(cl, a_newer_loader_has_a_longer_table);
	tcase_add_test(cl, the_layer_says_what_it_is);
	suite_add_tcase(suite, cl);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
