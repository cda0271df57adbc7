/* SPDX-License-Identifier: MIT */
/*
 * ze_layer.c: libze_tracing_layer.so.1, which Level Zero's loader finds in the place of its own.
 *
 * It accepts any version of the API. A loader's table has the members of its version, and the layer
 * changes those that it knows. It does not refuse a newer version: zeInit would then fail in
 * programs that never asked for tracing.
 *
 * All exports here have names that the loader exports, too. Nothing in this library may call them
 * by those names.
 */
#include "layer/doors/ze_layer.h"

#include "config.h"
#include "layer/doors/runtime_library.h"

#include <level_zero/loader/ze_loader.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/*
 * The table by which the loader calls zelTracerCreate and its kin. It is in zel_tracing_ddi.h,
 * which can't be included as it is installed.
 */
struct tracer_table {
	ze_result_t (*create)(const zel_tracer_desc_t *desc, zel_tracer_handle_t *tracer);
	ze_result_t (*destroy)(zel_tracer_handle_t tracer);
	ze_result_t (*set_prologues)(zel_tracer_handle_t tracer, zel_core_callbacks_t *callbacks);
	ze_result_t (*set_epilogues)(zel_tracer_handle_t tracer, zel_core_callbacks_t *callbacks);
	ze_result_t (*set_enabled)(zel_tracer_handle_t tracer, ze_bool_t enable);
};

TL_EXPORT ze_result_t zelGetTracerApiProcAddrTable(ze_api_version_t version,
						   struct tracer_table *table);
TL_EXPORT ze_result_t zelLoaderGetVersion(zel_component_version_t *version);

/* Tables only grow within a major version. No header has the tables from before 1.4. */
static bool version_has_known_tables(uint32_t version)
{
	return version >= ZE_MAKE_VERSION(1, 4) && ZE_MAJOR_VERSION(version) == 1;
}

static enum tl_door_check loader_checks(const zel_version_t *loader)
{
	const int version[] = {loader->major, loader->minor, loader->patch};
	static const int by_its_table[] = {1, 17, 28}, nothing[] = {1, 26, 0};
	int newer = 0, newest = 0;

	for (int i = 2; i >= 0; i--) {
		newer = version[i] == by_its_table[i]  ? newer
			: version[i] > by_its_table[i] ? 1
						       : -1;
		newest = version[i] == nothing[i] ? newest : version[i] > nothing[i] ? 1 : -1;
	}
	return newest >= 0  ? TL_DOOR_CHECKS_NOTHING
	       : newer >= 0 ? TL_DOOR_CHECKS_BY_ITS_TABLE
			    : TL_DOOR_CHECKS_BY_OTHER_TABLES;
}

/* Finds out what kind of loader this is. */
static void loader_look(const struct tl_door_library *library, const void *loader)
{
	ze_result_t (*versions)(size_t * count, zel_component_version_t * list) =
		library->symbol(loader, "zelLoaderGetVersions");
	static _Atomic bool looked;
	zel_component_version_t list[16];
	size_t count = 0;

	if (atomic_exchange_explicit(&looked, true, memory_order_relaxed) || !versions ||
	    versions(&count, NULL) != ZE_RESULT_SUCCESS || count > sizeof(list) / sizeof(*list) ||
	    versions(&count, list) != ZE_RESULT_SUCCESS)
		return;
	for (size_t i = 0; i < count; i++)
		if (!strcmp(list[i].component_name, "loader"))
			library->loader(loader_checks(&list[i].component_lib_version));
}

ze_result_t tl_ze_layer_table(const char *getter, uint32_t version, void *table, const void *loader)
{
	if (!table)
		return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
	const struct tl_door_library *library =
		version_has_known_tables(version) ? tl_door_library() : NULL;

	if (library && library->opens(getter)) {
		loader_look(library, loader);
		library->table(getter, version, table);
	}
	return ZE_RESULT_SUCCESS;
}

/* libtracelayer.so's functions. Without them, each function below returns ZE_RESULT_ERROR_UNINITIALIZED. */
static const struct tl_zel *zel_interface(void)
{
	const struct tl_door_library *library = tl_door_library();

	return library ? library->zel() : NULL;
}

#define CALL(member, ...)                                                                          \
	do {                                                                                       \
		const struct tl_zel *zel_ = zel_interface();                                       \
		return zel_ ? zel_->member(__VA_ARGS__) : ZE_RESULT_ERROR_UNINITIALIZED;           \
	} while (0)

ze_result_t tl_ze_layer_register(zel_tracer_handle_t tracer, int type, const char *function,
				 tl_callback callback)
{
	CALL(register_callback, tracer, type, function, callback);
}

/* The loader asks for this row of what zelLoaderGetVersions returns. */
TL_EXPORT ze_result_t zelLoaderGetVersion(zel_component_version_t *version)
{
	if (!version)
		return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
	*version = (zel_component_version_t){.component_name = "tracing layer",
					     .spec_version = ZE_API_VERSION_CURRENT};
	sscanf(PACKAGE_VERSION, "%d.%d.%d", &version->component_lib_version.major,
	       &version->component_lib_version.minor, &version->component_lib_version.patch);
	return ZE_RESULT_SUCCESS;
}

TL_EXPORT ze_result_t zelTracerCreate(const zel_tracer_desc_t *desc, zel_tracer_handle_t *phTracer)
{
	CALL(create, desc, phTracer);
}

TL_EXPORT ze_result_t zelTracerDestroy(zel_tracer_handle_t hTracer)
{
	CALL(destroy, hTracer);
}

TL_EXPORT ze_result_t zelTracerSetPrologues(zel_tracer_handle_t hTracer,
					    zel_core_callbacks_t *pCoreCbs)
{
	CALL(set_prologues, hTracer, pCoreCbs);
}

TL_EXPORT ze_result_t zelTracerSetEpilogues(zel_tracer_handle_t hTracer,
					    zel_core_callbacks_t *pCoreCbs)
{
	CALL(set_epilogues, hTracer, pCoreCbs);
}

TL_EXPORT ze_result_t zelTracerSetEnabled(zel_tracer_handle_t hTracer, ze_bool_t enable)
{
	CALL(set_enabled, hTracer, enable);
}

TL_EXPORT ze_result_t zelTracerResetAllCallbacks(zel_tracer_handle_t hTracer);
TL_EXPORT ze_result_t zelTracerResetAllCallbacks(zel_tracer_handle_t hTracer)
{
	CALL(reset, hTracer);
}

/*
 * Fills in the addresses of the functions above. The linker has bound them to this library
 * (-Bsymbolic), since the loader has functions of the same names.
 */
TL_EXPORT ze_result_t zelGetTracerApiProcAddrTable(ze_api_version_t version,
						   struct tracer_table *table)
{
	(void)version;
	if (!table)
		return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
	*table = (struct tracer_table){zelTracerCreate, zelTracerDestroy, zelTracerSetPrologues,
				       zelTracerSetEpilogues, zelTracerSetEnabled};
	return ZE_RESULT_SUCCESS;
}
