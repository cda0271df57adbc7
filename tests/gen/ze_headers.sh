#!/bin/bash
# SPDX-License-Identifier: MIT
# Level Zero's headers as later versions have them: ze_loader.h uses bool and includes nothing for it, and there are functions of the runtime
# (zer), whose register functions are called as those of the core. The installed headers are made so, where they are older.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99

mkdir "$tmp/out"
cp -RL "$top_builddir/apis/include/level_zero" "$tmp/level_zero" || skip_all "no Level Zero headers on this machine"
if ! test -e "$tmp/level_zero/zer_api.h"; then
	cat >"$tmp/level_zero/zer_api.h" <<-'END'
		#ifndef _ZER_API_H
		#define _ZER_API_H
		#include "ze_api.h"
		ZE_APIEXPORT ze_context_handle_t ZE_APICALL zerGetDefaultContext(void);
		ZE_APIEXPORT ze_result_t ZE_APICALL zerGetLastErrorDescription(
		    const char** ppString ///< [in,out] pointer to a null-terminated string
		    );
		#endif
	END
	cat >>"$tmp/level_zero/layers/zel_tracing_register_cb.h" <<-'END'
		#ifndef TEST_ZER_REGISTERS
		#define TEST_ZER_REGISTERS
		typedef struct _zer_get_last_error_description_params_t { const char*** pppString; } zer_get_last_error_description_params_t;
		typedef void (ZE_APICALL *zer_pfnGetLastErrorDescriptionCb_t)(zer_get_last_error_description_params_t* params, ze_result_t result,
		    void* pTracerUserData, void** ppTracerInstanceUserData);
		ZE_APIEXPORT ze_result_t ZE_APICALL zelTracerGetLastErrorDescriptionRegisterCallback(zel_tracer_handle_t hTracer,
		    zel_tracer_reg_t callback_type, zer_pfnGetLastErrorDescriptionCb_t pfnGetLastErrorDescriptionCb);
		#endif
	END
	printf '\nZE_APIEXPORT ze_result_t ZE_APICALL zelTestLayerState(bool* enabled);\n' >>"$tmp/level_zero/loader/ze_loader.h"
fi

plan 6
ok "the model is made" "$top_builddir/tracegen" model --api "$top_srcdir/gen/apis/level-zero.json" -o "$tmp/ze_model.json" -- -I"$tmp"
ok "and the shims" "$top_builddir/tracegen" emit --model "$tmp/ze_model.json" -o "$tmp/out"
like "$(sed '/^#/,$d' "$tmp/out/ze_tracing.exports")" '^zelTracerGetLastErrorDescriptionRegisterCallback$' "a function of the runtime has its register function"
is "$(grep -c '^zelTracerGetLastErrorDescriptionRegisterCallback$' "$tmp/out/ze_tracing.exports")" 1 "and has it once"
like "$(tr -d '\n\t' <"$tmp/out/ze_tracing.c")" 'zelTracerGetLastErrorDescriptionRegisterCallback\([^{]*\{return tl_zel_register\(' "which takes callbacks"
for file in ze_shims ze_tables ze_tracing ze_layer; do
	${CC:-cc} -std=gnu11 -O0 -Wall -Wextra -Wmissing-prototypes -fsyntax-only -I"$top_srcdir/include" -I"$top_srcdir" -I"$top_builddir" -isystem "$tmp" \
		"$tmp/out/$file.c" || echo "$file.c does not compile"
done >"$tmp/said" 2>&1
is "$(head -n 5 "$tmp/said")" "" "all of it compiles without a warning"
