/*
 * call.h: calls served out of line, as the rest of the runtime needs them.
 */
#ifndef TL_LAYER_CALL_H
#define TL_LAYER_CALL_H

#include "tracelayer/shim.h"

/* The thread ends: calls that are still open were left by longjmp, or by an end without unwinding. They are recorded so. */
void tl_call_end_all(struct tl_thread *thread);

/* The same for those open calls that are known to have been left by longjmp. */
void tl_call_end_left(struct tl_thread *thread);

#endif
