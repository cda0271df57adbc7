/* SPDX-License-Identifier: MIT */
/*
 * start_page.h: variables that the start and the end of every process touch, also of one that makes
 * no traced call. The linker puts them together: a page that is touched for the first time costs more
 * than a microsecond, and among all others these would be in ten pages.
 */
#ifndef TL_LAYER_BASE_START_PAGE_H
#define TL_LAYER_BASE_START_PAGE_H

#define TL_START __attribute__((section("tl_start")))

#endif
