/* SPDX-License-Identifier: MIT */
/*
 * process_fork.h: forks, with and without fork handlers.
 */
#ifndef TL_LAYER_PROCESS_PROCESS_FORK_H
#define TL_LAYER_PROCESS_PROCESS_FORK_H

/* Register the fork handlers. Once, at the start. */
void tl_fork_register(void);

/*
 * This process was forked without them: do what they do. Any thread of the child, also several at
 * once; async-signal-safe.
 */
void tl_fork_unseen(void);

#endif
