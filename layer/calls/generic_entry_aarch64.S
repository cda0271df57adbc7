/* SPDX-License-Identifier: MIT */
/*
 * generic_entry_aarch64.S: the generic entry. generic_call.h says what it does, and what its frame
 * holds; generic_call.c checks the offsets.
 *
 * x16 is the shim's address. x0 to x7 and q0 to q7 are arguments, x8 is where a large result goes;
 * x9 may be a static chain. x17 is free.
 *
 * One entry serves all functions: no argument and no result is wider than a vector register here.
 * The upper parts of scalable vectors are not kept: functions with such arguments have no signature
 * that tracegen writes.
 */
#define FRAME	320
#define MEMORY	192 /* struct tl_generic_memory, without its words */

/* From x29: -8 the shim, -16 .memory, -24 .state, -48 x8 and x9, -112 x0 to x7, -240 q0 to q7, */
/* -256 the result in x0 and x1, -320 that in q0 to q3. */

#define SIGNATURE	48
#define SIGNATURE_STACK 2
#define SIGNATURE_FLAGS 4

#define HAS_VECTORS 0 /* by their bits' numbers */
#define IS_VARIADIC 2
#define IS_UNKNOWN  3

	.text
	.hidden tl_generic_begin
	.hidden tl_generic_end
	.hidden tl_generic_enter
	.hidden tl_generic_leave
	.hidden tl_generic_unwound
	.hidden tl_generic_stack

	.macro FLAGS to
	ldr	\to, [x29, #-8]
	ldr	\to, [\to, #SIGNATURE]
	.endm
	.macro SAVE_VECTORS
	stp	q0, q1, [x29, #-240]
	stp	q2, q3, [x29, #-208]
	stp	q4, q5, [x29, #-176]
	stp	q6, q7, [x29, #-144]
	.endm
	.macro LOAD_VECTORS
	ldp	q0, q1, [x29, #-240]
	ldp	q2, q3, [x29, #-208]
	ldp	q4, q5, [x29, #-176]
	ldp	q6, q7, [x29, #-144]
	.endm
	.macro SAVE_RESULT_VECTORS
	stp	q0, q1, [x29, #-320]
	stp	q2, q3, [x29, #-288]
	.endm
	.macro LOAD_RESULT_VECTORS
	ldp	q0, q1, [x29, #-320]
	ldp	q2, q3, [x29, #-288]
	.endm
	.macro FRAME_ARGUMENT
	sub	x0, x29, #FRAME
	.endm

	.globl	tl_generic_entries
	.hidden	tl_generic_entries
	.p2align 5
tl_generic_entries:
	.irp	entry, integers_0, integers_1, integers_2, integers_3, integers_4, integers_5, integers_6, wide
	.globl	tl_generic_entry_\entry
	.type	tl_generic_entry_\entry, %function
tl_generic_entry_\entry:
	.endr
	.globl	tl_generic_entry
	.type	tl_generic_entry, %function
tl_generic_entry:
	.cfi_startproc
	.cfi_personality 0x9b, DW.ref.__gcc_personality_v0
	.cfi_lsda 0x1b, .Ltable
	hint	#34 /* bti c */
	stp	x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x29, -16
	.cfi_offset x30, -8
	mov	x29, sp
	.cfi_def_cfa x29, 16
	sub	sp, sp, #FRAME
	str	xzr, [x29, #-24]
.Lfrom:
	stp	x0, x1, [x29, #-112]
	stp	x2, x3, [x29, #-96]
	stp	x4, x5, [x29, #-80]
	stp	x6, x7, [x29, #-64]
	stp	x8, x9, [x29, #-48]
	str	x16, [x29, #-8]
	FLAGS	x17
	ldrh	w17, [x17, #SIGNATURE_FLAGS]
	tbz	w17, #HAS_VECTORS, 1f
	SAVE_VECTORS
1:	FRAME_ARGUMENT
	bl	tl_generic_begin
	cbz	x0, .Lenter
.Lbegun:
	str	x0, [x29, #-256] /* RESULT is free so far */
	FLAGS	x17
	ldrh	w2, [x17, #SIGNATURE_STACK]
	ldrh	w17, [x17, #SIGNATURE_FLAGS]
	tst	w17, #(1 << IS_VARIADIC | 1 << IS_UNKNOWN)
	b.eq	1f
	FRAME_ARGUMENT
	bl	tl_generic_stack
	mov	x2, x0
1:	cbz	x2, 4f
	/* Copy x2 words of the caller's stack below all else, as it is aligned. */
	lsl	x3, x2, #3
	sub	x4, sp, x3
	and	x4, x4, #-16
	mov	sp, x4
	add	x5, x29, #16
2:	subs	x2, x2, #1
	ldr	x6, [x5, x2, lsl #3]
	str	x6, [x4, x2, lsl #3]
	b.ne	2b
4:	FLAGS	x17
	ldrh	w17, [x17, #SIGNATURE_FLAGS]
	tbz	w17, #HAS_VECTORS, 1f
	LOAD_VECTORS
1:	ldr	x17, [x29, #-256]
	ldp	x0, x1, [x29, #-112]
	ldp	x2, x3, [x29, #-96]
	ldp	x4, x5, [x29, #-80]
	ldp	x6, x7, [x29, #-64]
	ldp	x8, x9, [x29, #-48]
	blr	x17
	stp	x0, x1, [x29, #-256]
	SAVE_RESULT_VECTORS
	FRAME_ARGUMENT
	bl	tl_generic_end
	tbz	w0, #0, .Lleave
	/* Neither has touched a vector register. */
	ldp	x0, x1, [x29, #-256]
	.cfi_remember_state
	mov	sp, x29
	ldp	x29, x30, [sp], #16
	.cfi_def_cfa sp, 0
	.cfi_restore x29
	.cfi_restore x30
	ret
	.cfi_restore_state

.Lenter:
	FLAGS	x17
	ldrh	w2, [x17]
	lsl	x2, x2, #4
	add	x2, x2, #MEMORY
	sub	sp, sp, x2
	mov	x1, sp
	FRAME_ARGUMENT
	bl	tl_generic_enter
	cbnz	x0, .Lbegun

.Lleave:
	FRAME_ARGUMENT
	bl	tl_generic_leave
	LOAD_RESULT_VECTORS
	ldp	x0, x1, [x29, #-256]
	.cfi_remember_state
	mov	sp, x29
	ldp	x29, x30, [sp], #16
	.cfi_def_cfa sp, 0
	.cfi_restore x29
	.cfi_restore x30
	ret
	.cfi_restore_state
.Lto:
.Lpad:
	hint	#36 /* bti j */
	str	x0, [x29, #-256]
	FRAME_ARGUMENT
	bl	tl_generic_unwound
	ldr	x0, [x29, #-256]
	bl	_Unwind_Resume
	brk	#1
	.cfi_endproc
	.irp	entry, integers_0, integers_1, integers_2, integers_3, integers_4, integers_5, integers_6, wide
	.size	tl_generic_entry_\entry, . - tl_generic_entry_\entry
	.endr
	.size	tl_generic_entry, . - tl_generic_entry
	.globl	tl_generic_entries_end
	.hidden	tl_generic_entries_end
tl_generic_entries_end:

/* What an exception finds: a landing pad for all between .Lfrom and .Lto. */
	.section .gcc_except_table, "a", %progbits
	.p2align 2
.Ltable:
	.byte	0xff /* pads are relative to the function */
	.byte	0xff /* no types: C catches nothing */
	.byte	0x01 /* uleb128 */
	.uleb128 .Lend - .Lbegin
.Lbegin:
	.uleb128 .Lfrom - tl_generic_entry
	.uleb128 .Lto - .Lfrom
	.uleb128 .Lpad - tl_generic_entry
	.uleb128 0
.Lend:

/* As compilers refer to the personality routine. */
	.hidden	DW.ref.__gcc_personality_v0
	.weak	DW.ref.__gcc_personality_v0
	.section .data.rel.local.DW.ref.__gcc_personality_v0, "awG", %progbits, DW.ref.__gcc_personality_v0, comdat
	.p2align 3
	.type	DW.ref.__gcc_personality_v0, %object
	.size	DW.ref.__gcc_personality_v0, 8
DW.ref.__gcc_personality_v0:
	.xword	__gcc_personality_v0

/*
 * The entry and its landing pad begin with bti. So this file is no reason for the linker to leave
 * out what -mbranch-protection asks for (GNU_PROPERTY_AARCH64_FEATURE_1_AND).
 */
#if defined(__ARM_FEATURE_BTI_DEFAULT) || defined(__ARM_FEATURE_PAC_DEFAULT)
#if defined(__ARM_FEATURE_BTI_DEFAULT)
#define FEATURE_BTI 1
#else
#define FEATURE_BTI 0
#endif
#if defined(__ARM_FEATURE_PAC_DEFAULT)
#define FEATURE_PAC 2
#else
#define FEATURE_PAC 0
#endif
	.section .note.gnu.property, "a", %note
	.p2align 3
	.word	4, 16, 5 /* of the name, of what follows it, NT_GNU_PROPERTY_TYPE_0 */
	.asciz	"GNU"
	.word	0xc0000000, 4, FEATURE_BTI | FEATURE_PAC, 0
#endif

	.section .note.GNU-stack, "", %progbits
