/* SPDX-License-Identifier: MIT */
/*
 * deep_bound.h: calls of libraries that were opened with RTLD_DEEPBIND, as PHP opens its extensions.
 *
 * The dynamic linker searches such a library and what it needs before the global scope. So its
 * calls lead to the traced library and not to an interposer. Here the slots of its calls
 * (JUMP_SLOT) get the shims, if their real functions are those that the slots lead to. Its dlsym
 * becomes ours, so that it finds shims in a library that it opens itself. Pointers stay as they
 * are, and so do slots of older versions and of indirect functions (IFUNC): these calls are not
 * recorded. A traced library that was opened later stays loaded, as after its first call.
 *
 * It is done when the program first asks dlsym for something by a handle: whoever opens a plugin
 * asks for its functions. dlopen is not interposed. What a plugin calls before that, in its
 * constructors, is not seen, and neither are calls of plugins that nobody asks for anything. A
 * constructor that confines the process by seccomp is not seen either.
 */
#ifndef TL_LAYER_RESOLVE_DEEP_BOUND_H
#define TL_LAYER_RESOLVE_DEEP_BOUND_H

/*
 * The program asks dlsym by this handle. Takes no lock for a handle that was seen before, and where
 * there are no interposers. Otherwise it takes the same locks as a look at the libraries; as a rule
 * the process has just had them itself, to open the library. errno may change.
 */
void tl_deep_bound_look(const void *handle);

#endif
