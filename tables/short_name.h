/* SPDX-License-Identifier: MIT */
/*
 * short_name.h: names of functions in C++ and Rust for narrow columns. Their beginnings tell little:
 * std::__cxx11::basic_string<char, …>::append(char const*, unsigned long). So arguments of templates go first, then
 * scopes on the left but for the last one, then parameters.
 */
#ifndef TL_TABLES_SHORT_NAME_H
#define TL_TABLES_SHORT_NAME_H

/*
 * Leaves out of `name`, with ... in its place, what can be spared, until it fits `room` columns. It may still be
 * too long in the end. Other names stay. `columns` tells the columns of a text.
 */
void name_spare(char *name, int room, int (*columns)(const char *text));

#endif
