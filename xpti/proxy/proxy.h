/* SPDX-License-Identifier: MIT */
/*
 * proxy.h: the contract of xpti/proxy, the room of libtracelayer-xptiproxy.a.
 *
 * A program or library that is instrumented with tracelayer/xpti.h links this archive instead of a
 * dispatcher. It offers all functions of the dispatcher and xptiTraceTryToEnable. The first call of
 * any of them loads the dispatcher that the environment variable XPTI_FRAMEWORK_DISPATCHER names;
 * from then on each call is one call through a table. Without a dispatcher every call returns at
 * once.
 *
 * Any thread may call the functions, also in a forked child; no signal handler may. The archive
 * needs libc only. No room includes a header of this room. It uses include/tracelayer, and
 * xpti/dispatcher for the line that says why a dispatcher can't be used (warning.h).
 */
#ifndef TL_XPTI_PROXY_PROXY_H
#define TL_XPTI_PROXY_PROXY_H

#endif
