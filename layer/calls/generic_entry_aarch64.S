/* SPDX-License-Identifier: MIT */
#if defined(__aarch64__)
#endif
	.section .note.GNU-stack, "", %progbits
