/* SPDX-License-Identifier: MIT */
/* text_pieces.h: copying text whose room is known. The encoders of Chrome JSON use it. */
#ifndef TL_FORMAT_ENCODE_TEXT_PIECES_H
#define TL_FORMAT_ENCODE_TEXT_PIECES_H

#include <stddef.h>
#include <string.h>

#define TL_TEXT_PIECE 32 /* text is copied in pieces of this size */

/* Copies `size` bytes; it may read and write a few more behind them. */
static inline char *tl_text_copy_pieces(char *to, const char *from, size_t size)
{
	for (size_t i = 0; i < size; i += TL_TEXT_PIECE)
		memcpy(to + i, from + i, TL_TEXT_PIECE);
	return to + size;
}

#define PUT(to, literal)                                                                           \
	((char *)memcpy((to), (literal), sizeof(literal) - 1) + sizeof(literal) - 1)

#endif
