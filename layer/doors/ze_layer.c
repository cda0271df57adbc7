/*
 * ze_layer.c: libze_tracing_layer.so.1, which Level Zero's loader finds in the place of its own.
 *
 * It takes any version of the API: a loader's table has the members of its version, of which we change those that we know; a version that
 * is newer than ours is no reason to refuse, for then zeInit would fail in programs that never asked for tracing.
 *
 * All that is exported here bears names that the loader exports too. Nothing in this library may come to call them by those names.
 */
#include "layer/doors/ze_layer.h"

#include "config.h"
#include "layer/doors.h"

#include <level_zero/loader/ze_loader.h>
#include <stdio.h>

/* What the loader calls zelTracerCreate and its kin through; zel_tracing_ddi.h, which can't be included as it is installed. */
struct tracer_table {
	ze_result_t (*create)(const zel_tracer_desc_t *desc, zel_tracer_handle_t *tracer);
	ze_result_t (*destroy)(zel_tracer_handle_t tracer);
	ze_result_t (*set_prologues)(zel_tracer_handle_t tracer, zel_core_callbacks_t *callbacks);
	ze_result_t (*set_epilogues)(zel_tracer_handle_t tracer, zel_core_callbacks_t *callbacks);
	ze_result_t (*set_enabled)(zel_tracer_handle_t tracer, ze_bool_t enable);
};

TL_EXPORT ze_result_t zelGetTracerApiProcAddrTable(ze_api_version_t version, struct tracer_table *table);
TL_EXPORT ze_result_t zelLoaderGetVersion(zel_component_version_t *version);

/* Tables only grow within a major version. What they had before 1.4 no header tells. */
static bool has_known_tables(uint32_t version)
{
	return version >= ZE_MAKE_VERSION(1, 4) && ZE_MAJOR_VERSION(version) == 1;
}

ze_result_t tl_ze_layer_table(const char *getter, uint32_t version, void *table)
{
	if (!table)
		return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
	if (has_known_tables(version) && tl_door_opens(getter))
		tl_door_table(getter, version, table);
	return ZE_RESULT_SUCCESS;
}

ze_result_t tl_ze_layer_register(zel_tracer_handle_t tracer, int type, const char *function, tl_callback callback)
{
	return tl_zel()->register_callback(tracer, type, function, callback);
}

TL_EXPORT ze_result_t zelGetTracerApiProcAddrTable(ze_api_version_t version, struct tracer_table *table)
{
	const struct tl_zel *zel = tl_zel();

	if (!table)
		return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
	*table = (struct tracer_table){ zel->create, zel->destroy, zel->set_prologues, zel->set_epilogues, zel->set_enabled };
	return ZE_RESULT_SUCCESS;
}

/* A row of what zelLoaderGetVersions tells. */
TL_EXPORT ze_result_t zelLoaderGetVersion(zel_component_version_t *version)
{
	if (!version)
		return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
	*version = (zel_component_version_t){ .component_name = "tracing layer", .spec_version = ZE_API_VERSION_CURRENT };
	sscanf(PACKAGE_VERSION, "%d.%d.%d", &version->component_lib_version.major, &version->component_lib_version.minor,
	       &version->component_lib_version.patch);
	return ZE_RESULT_SUCCESS;
}

TL_EXPORT ze_result_t zelTracerCreate(const zel_tracer_desc_t *desc, zel_tracer_handle_t *phTracer)
{
	return tl_zel()->create(desc, phTracer);
}

TL_EXPORT ze_result_t zelTracerDestroy(zel_tracer_handle_t hTracer)
{
	return tl_zel()->destroy(hTracer);
}

TL_EXPORT ze_result_t zelTracerSetPrologues(zel_tracer_handle_t hTracer, zel_core_callbacks_t *pCoreCbs)
{
	return tl_zel()->set_prologues(hTracer, pCoreCbs);
}

TL_EXPORT ze_result_t zelTracerSetEpilogues(zel_tracer_handle_t hTracer, zel_core_callbacks_t *pCoreCbs)
{
	return tl_zel()->set_epilogues(hTracer, pCoreCbs);
}

TL_EXPORT ze_result_t zelTracerSetEnabled(zel_tracer_handle_t hTracer, ze_bool_t enable)
{
	return tl_zel()->set_enabled(hTracer, enable);
}

TL_EXPORT ze_result_t zelTracerResetAllCallbacks(zel_tracer_handle_t hTracer);
TL_EXPORT ze_result_t zelTracerResetAllCallbacks(zel_tracer_handle_t hTracer)
{
	return tl_zel()->reset(hTracer);
}
