/* SPDX-License-Identifier: MIT */
/*
 * json_print.h: prints values of JSON as tracelayer writes them: on one line, numbers as short as they
 * can be without loss, whole ones without a point. (Readers give all numbers as reals.)
 */
#ifndef TL_CLI_EXPORT_JSON_PRINT_H
#define TL_CLI_EXPORT_JSON_PRINT_H

#include <jansson.h>
#include <stdio.h>

void json_print(FILE *to, const json_t *value);
void json_print_text(FILE *to, const char *bytes, size_t size);

#endif
