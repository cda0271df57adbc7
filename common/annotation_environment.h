/* SPDX-License-Identifier: MIT */
/*
 * annotation_environment.h: the environment variables by which annotated programs find their tool.
 */
#ifndef TL_COMMON_ANNOTATION_ENVIRONMENT_H
#define TL_COMMON_ANNOTATION_ENVIRONMENT_H

#include <stdbool.h>

#define TL_ANNOTATIONS "libtracelayer-annotations.so"

/* The nth variable that names the tool, and the interface that reads it. NULL: there is none. */
const char *tl_annotation_variable(int n, const char **interface);

/*
 * Let those variables name our library. One that has another value keeps it. False: memory is
 * short.
 */
bool tl_annotation_set_environment(const char *library);

/* What the user has set the nth variable to, if that is not our library; else NULL. */
const char *tl_annotation_other_tool(int n);

#endif
