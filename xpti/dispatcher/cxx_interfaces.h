/* SPDX-License-Identifier: MIT */
/*
 * cxx_interfaces.h: the four C++ interfaces of a trace point.
 */
#ifndef TL_XPTI_DISPATCHER_CXX_INTERFACES_H
#define TL_XPTI_DISPATCHER_CXX_INTERFACES_H

struct tl_xpti_point;

/* Store the vtable pointers of a new slot. */
void tl_xpti_interfaces_init(struct tl_xpti_point *point);

#endif
