/*
 * near.h: variables of the whole process that each call with a hook reads, and that hardly ever change. They lie together, wherever they are defined: between two such calls a
 * driver, the kernel and other threads have had the caches, and a line of them that has to be brought back costs as much as a dozen instructions.
 */
#ifndef TL_LAYER_NEAR_H
#define TL_LAYER_NEAR_H

#define TL_NEAR __attribute__((section("tl_near")))

#endif
