/* SPDX-License-Identifier: MIT */
/*
 * generic_entry_x86_64.S: the generic entry. generic_call.h says what it does, and what its frame
 * holds; generic_call.c checks the offsets.
 *
 * r11 is the shim's address. All other registers are the caller's: rax has the number of vector
 * registers that a variadic call uses, r10 may be a static chain.
 *
 * The frame pointer describes the frame to unwinders, so that taking more of the stack needs no
 * further instruction for them.
 */

#define FRAME	304
#define VECTORS 592 /* of the wide entry: zmm0 to zmm7, the result, the width in use */
#define MEMORY	192 /* struct tl_generic_memory, without its words */

#define RDI	      (-96)
#define RSI	      (-88)
#define RDX	      (-80)
#define RCX	      (-72)
#define R8	      (-64)
#define R9	      (-56)
#define XMM(n)	      (-224 + 16 * n)(%rbp)
#define WIDE(n)	      (-880 + 64 * n)(%rbp)
#define RESULT_RAX    (-240)
#define RESULT_RDX    (-232)
#define RESULT_XMM0   (-256)
#define RESULT_XMM1   (-272)
#define RESULT_ST0    (-288)
#define RESULT_ST1    (-304)
#define RESULT_WIDE   (-368)
#define WIDTH	      (-896)
#define SHIM	      (-8)
#define TAKEN	      (-16) /* struct tl_generic_frame.memory */
#define STATE	      (-24)
#define X87	      (-20)
#define RAX	      (-32)
#define R10	      (-40)

/* struct tl_generic_frame.call, .at, .end; TL_GENERIC_RECORDED, TL_GENERIC_FULL */
#define CALL	       (-48)
#define FULL_AT	       R10
#define FULL_END       RAX
#define STATE_RECORDED 1
#define STATE_FULL     4

/* struct tl_thread, struct tl_open_call; enum tl_mode */
#define THREAD_LIMIT 8
#define THREAD_TOP  16
#define THREAD_END  24
#define OPEN_START  0
#define OPEN_MODE   8
#define OPEN_FRAME  16
#define OPEN_SIZE   32
#define MODE_RECORD 1
#define MODE_WORDS  2
#define MODE_FAST   (MODE_RECORD | MODE_WORDS)
#define NO_FRAME    (-1)

/* A record: struct tl_call_record, then the words. */
#define CHUNK_MAX     0x40000
#define RECORD_WORDS  4
#define RECORD_HEAD   (1 << 24 | 1 << 16) /* TL_RECORD_WORDS, TL_RECORD_CALL */
#define RECORD_START  8
#define RECORD_TIME   16
#define RECORD_RESULT 24

/* struct tl_shim, struct tl_signature */
#define SHIM_REAL	8
#define SHIM_MODE	16
#define SIGNATURE	48
#define SIGNATURE_STACK 2
#define SIGNATURE_FLAGS 4
#define SIGNATURE_MASK	16
#define UNUSED_BITS(n)	(24 + 4 * n + 2)
#define UNUSED_HALF	32
#define SIGNED_HALF	(0x80 | 32)

/* enum tl_signature_flag */
#define HAS_VECTORS  1
#define IS_VARIADIC  4
#define IS_UNKNOWN   8
#define IS_X87	     32
#define IS_X87_TWO   64

	.text
	.hidden tl_generic_begin
	.hidden tl_generic_end
	.hidden tl_generic_end_integers
	.hidden tl_generic_enter
	.hidden tl_generic_leave
	.hidden tl_generic_unwound
	.hidden tl_generic_stack

/* ---- vector registers, as wide as this machine has them */

	.local	vector_width
	.comm	vector_width, 4, 4 /* 0: not known yet; then 16, 32 or 64 */
	.local	tells_use
	.comm	tells_use, 4, 4 /* not 0: the processor tells which upper halves are in use */

/* Which registers the operating system keeps. Keeps all registers but r11 and the flags. */
	.p2align 4
	.type	find_vector_width, @function
find_vector_width:
	.cfi_startproc
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	pushq	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_offset %rbx, -24
	pushq	%rcx
	.cfi_adjust_cfa_offset 8
	pushq	%rdx
	.cfi_adjust_cfa_offset 8
	movl	$16, %r11d
	movl	$1, %eax
	xorl	%ecx, %ecx
	cpuid
	andl	$0x18000000, %ecx /* OSXSAVE, AVX */
	cmpl	$0x18000000, %ecx
	jne	1f
	xorl	%ecx, %ecx
	xgetbv
	movl	%eax, %edx
	andl	$0x06, %edx
	cmpl	$0x06, %edx
	jne	1f
	movl	$32, %r11d
	andl	$0xe6, %eax
	cmpl	$0xe6, %eax
	jne	1f
	movl	$64, %r11d
1:	xorl	%eax, %eax
	cpuid
	cmpl	$13, %eax
	jb	2f
	movl	$13, %eax
	movl	$1, %ecx
	cpuid
	andl	$4, %eax /* XGETBV takes 1 */
	cmpl	$16, %r11d
	je	2f
	movl	%eax, tells_use(%rip)
2:	movl	%r11d, vector_width(%rip) /* last: with it, tells_use is known */
	popq	%rdx
	.cfi_adjust_cfa_offset -8
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	popq	%rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbx
	popq	%rax
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size	find_vector_width, . - find_vector_width

	.macro EACH_XMM work:vararg
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	\work	\n
	.endr
	.endm
	.macro SAVE_XMM n
	movups	%xmm\n, XMM(\n)
	.endm
	.macro LOAD_XMM n
	movups	XMM(\n), %xmm\n
	.endm
	.macro SAVE_16 n
	movups	%xmm\n, WIDE(\n)
	.endm
	.macro LOAD_16 n
	movups	WIDE(\n), %xmm\n
	.endm
	.macro SAVE_32 n
	vmovups	%ymm\n, WIDE(\n)
	.endm
	.macro LOAD_32 n
	vmovups	WIDE(\n), %ymm\n
	.endm
	.macro SAVE_64 n
	vmovups	%zmm\n, WIDE(\n)
	.endm
	.macro LOAD_64 n
	vmovups	WIDE(\n), %zmm\n
	.endm

/*
 * How much of the vector registers is in use now, to WIDTH. Most programs leave the upper halves
 * clean. Then only the lower ones are saved: a load of whole registers makes the upper halves count
 * as used, which slows the program's next instructions. Uses rax, rcx, rdx, r11.
 */
	.macro FIND_WIDTH
	movl	vector_width(%rip), %r11d
	cmpl	$0, tells_use(%rip)
	je	9f
	movl	$1, %ecx
	xgetbv
	testb	$0x40, %al /* the upper halves of zmm */
	jnz	9f
	movl	$32, %r11d
	testb	$0x04, %al /* those of ymm */
	jnz	9f
	movl	$16, %r11d
9:	movl	%r11d, WIDTH(%rbp)
	.endm

/* Where only the lower halves were saved, the upper ones were zero: they are so again. Uses no register. */
	.macro CLEAN_UPPER
	cmpl	$16, WIDTH(%rbp)
	jne	9f
	cmpl	$0, tells_use(%rip)
	je	9f
	vzeroupper
9:
	.endm

/* By WIDTH: \before_16, \before_32 or \before_64 for each \what. Uses r11. */
	.macro BY_WIDTH work, what:vararg
	movl	WIDTH(%rbp), %r11d
	cmpl	$32, %r11d
	je	7f
	ja	8f
	.irp	n, \what
	\work\()_16 \n
	.endr
	jmp	9f
7:
	.irp	n, \what
	\work\()_32 \n
	.endr
	jmp	9f
8:
	.irp	n, \what
	\work\()_64 \n
	.endr
9:
	.endm
/* The result lies where a ninth argument would. */
	.macro SAVE_WIDE_RESULT
	FIND_WIDTH
	movups	%xmm0, RESULT_WIDE(%rbp)
	cmpl	$32, %r11d
	jb	9f
	ja	8f
	vmovups	%ymm0, RESULT_WIDE(%rbp)
	jmp	9f
8:	vmovups	%zmm0, RESULT_WIDE(%rbp)
9:
	.endm
	.macro LOAD_WIDE_RESULT
	movl	WIDTH(%rbp), %r11d
	cmpl	$32, %r11d
	je	7f
	ja	8f
	movups	RESULT_WIDE(%rbp), %xmm0
	jmp	9f
7:	vmovups	RESULT_WIDE(%rbp), %ymm0
	jmp	9f
8:	vmovups	RESULT_WIDE(%rbp), %zmm0
9:
	.endm

/* ---- the entries */

	.globl	tl_generic_entries
	.hidden	tl_generic_entries
tl_generic_entries:

/* The frame, for C; and whether the function has that flag, by the flags. Uses rax. */
	.macro FRAME_ARGUMENT
	leaq	-FRAME(%rbp), %rdi
	.endm
	.macro TEST_FLAG flag
	movq	SHIM(%rbp), %rax
	movq	SIGNATURE(%rax), %rax
	testw	$(\flag), SIGNATURE_FLAGS(%rax)
	.endm

	.macro BEGIN_ENTRY name
	.globl	\name
	.type	\name, @function
	.p2align 5
\name:
	.cfi_startproc
	.cfi_personality 0x9b, DW.ref.__gcc_personality_v0
	.cfi_lsda 0x1b, .Ltable_\name
	endbr64
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	subq	$FRAME, %rsp
	movl	$0, STATE(%rbp)
.Lfrom_\name:
	movq	%rdx, RDX(%rbp)
	movq	%rcx, RCX(%rbp)
	movq	%rax, RAX(%rbp)
	movq	%r10, R10(%rbp)
	movq	%r11, SHIM(%rbp)
	.endm
/* The arguments in registers from the \n-th on that BEGIN_ENTRY does not save. */
	.macro SAVE_FROM n
	.if	\n < 1
	movq	%rdi, RDI(%rbp)
	.endif
	.if	\n < 2
	movq	%rsi, RSI(%rbp)
	.endif
	.if	\n < 5
	movq	%r8, R8(%rbp)
	.endif
	.if	\n < 6
	movq	%r9, R9(%rbp)
	.endif
	.endm
/* And those before the \n-th. */
	.macro SAVE_BEFORE n
	.if	\n > 0
	movq	%rdi, RDI(%rbp)
	.endif
	.if	\n > 1
	movq	%rsi, RSI(%rbp)
	.endif
	.if	\n > 4
	movq	%r8, R8(%rbp)
	.endif
	.if	\n > 5
	movq	%r9, R9(%rbp)
	.endif
	.endm

/*
 * Memory for a call that is served out of line: a struct tl_generic_memory, with two words for each
 * word of the parameters. Its address is the second argument.
 */
	.macro TAKE_MEMORY
	movq	SHIM(%rbp), %rax
	movq	SIGNATURE(%rax), %rax
	movzwl	(%rax), %ecx
	shll	$4, %ecx
	addl	$MEMORY, %ecx
	subq	%rcx, %rsp
	movq	%rsp, %rsi
	.endm

/*
 * Copy rcx words of the caller's stack below all else. Where 64 bytes are aligned on it, they stay
 * so. Uses rax, rcx, rdx, rsi, rdi.
 */
	.macro COPY_STACK
	leaq	(, %rcx, 8), %rax
	subq	%rax, %rsp
	andq	$-64, %rsp
	leaq	16(%rbp), %rsi
	cmpl	$32, %ecx
	ja	2f
1:	movq	-8(%rsi, %rcx, 8), %rax
	movq	%rax, -8(%rsp, %rcx, 8)
	decl	%ecx
	jnz	1b
	jmp	3f
2:	movq	%rsp, %rdi
	rep movsq
3:
	.endm

	.macro LOAD_INTEGERS
	movq	RDI(%rbp), %rdi
	movq	RSI(%rbp), %rsi
	movq	RDX(%rbp), %rdx
	movq	RCX(%rbp), %rcx
	movq	R8(%rbp), %r8
	movq	R9(%rbp), %r9
	movq	RAX(%rbp), %rax
	movq	R10(%rbp), %r10
	.endm

/* What an exception finds: a landing pad for all between .Lfrom and .Lto. */
	.macro END_ENTRY name
.Lto_\name:
.Lpad_\name:
	endbr64
	movq	%rax, RESULT_RAX(%rbp)
	FRAME_ARGUMENT
	call	tl_generic_unwound
	movq	RESULT_RAX(%rbp), %rdi
	call	_Unwind_Resume@PLT
	ud2
	.cfi_endproc
	.size	\name, . - \name

	.section .gcc_except_table, "a", @progbits
	.p2align 2
.Ltable_\name:
	.byte	0xff /* pads are relative to the function */
	.byte	0xff /* no types: C catches nothing */
	.byte	0x01 /* uleb128 */
	.uleb128 .Lend_\name - .Lbegin_\name
.Lbegin_\name:
	.uleb128 .Lfrom_\name - \name
	.uleb128 .Lto_\name - .Lfrom_\name
	.uleb128 .Lpad_\name - \name
	.uleb128 0
.Lend_\name:
	.text
	.endm

/*
 * Functions whose arguments are known, in registers of 8 or 16 bytes and on the stack, with a
 * result in such registers or in memory.
 */
	BEGIN_ENTRY tl_generic_entry
	SAVE_FROM 0
	movq	SIGNATURE(%r11), %rax
	testw	$HAS_VECTORS, SIGNATURE_FLAGS(%rax)
	jnz	.Lvectors
.Lsaved:
	FRAME_ARGUMENT
	call	tl_generic_begin
	testq	%rax, %rax
	jz	.Lenter
.Lbegun:
	movq	%rax, %r11
	movq	SHIM(%rbp), %rax
	movq	SIGNATURE(%rax), %rax
	movzwl	SIGNATURE_STACK(%rax), %ecx
	testl	%ecx, %ecx
	jnz	.Lcopy
.Lcopied:
	LOAD_INTEGERS
	call	*%r11
	movq	%rax, RESULT_RAX(%rbp)
	movq	%rdx, RESULT_RDX(%rbp)
	movq	%xmm0, RESULT_XMM0(%rbp)
	FRAME_ARGUMENT
	call	tl_generic_end
	testb	%al, %al
	jz	.Lleave
	movq	RESULT_RAX(%rbp), %rax
	movq	RESULT_RDX(%rbp), %rdx
	.cfi_remember_state
	leave
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_restore_state

.Lcopy:
	COPY_STACK
	jmp	.Lcopied

/* Their words are read when the call ends, too. */
.Lvectors:
	EACH_XMM SAVE_XMM
	jmp	.Lsaved

.Lenter:
	TAKE_MEMORY
	FRAME_ARGUMENT
	call	tl_generic_enter
	movq	SHIM(%rbp), %rcx
	movq	SIGNATURE(%rcx), %rcx
	testw	$HAS_VECTORS, SIGNATURE_FLAGS(%rcx)
	jz	1f
	EACH_XMM LOAD_XMM
1:	testq	%rax, %rax
	jnz	.Lbegun
	movups	RESULT_XMM0(%rbp), %xmm0
	movups	RESULT_XMM1(%rbp), %xmm1

.Lleave:
	movups	%xmm0, RESULT_XMM0(%rbp)
	movups	%xmm1, RESULT_XMM1(%rbp)
	FRAME_ARGUMENT
	call	tl_generic_leave
	movups	RESULT_XMM0(%rbp), %xmm0
	movups	RESULT_XMM1(%rbp), %xmm1
	movq	RESULT_RAX(%rbp), %rax
	movq	RESULT_RDX(%rbp), %rdx
	.cfi_remember_state
	leave
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_restore_state
	END_ENTRY tl_generic_entry

/*
 * Functions with all arguments and the result in integer registers; most functions are such. An
 * entry for each number of words. It does what the entry above does, with less to look up: what
 * tl_generic_begin and tl_generic_end do is here, and only what the record has is saved. Other calls
 * go to tl_generic_enter, as above.
 */

/*
 * Store a word that is shorter than its register with what belongs into its upper bits. The word is
 * in rax. Uses rdx, r11.
 */
	.macro NARROW_WORD n, i
.Lnarrow_\n\()_\i:
	movzbl	UNUSED_BITS(\i)(%rsi), %edx
	cmpl	$SIGNED_HALF, %edx
	je	1f
	cmpl	$UNUSED_HALF, %edx
	jne	2f
	movl	%eax, %eax
	jmp	.Lwhole_\n\()_\i
1:	movslq	%eax, %rax
	jmp	.Lwhole_\n\()_\i
2:	movq	%rcx, %r11
	movl	%edx, %ecx /* a shift takes the lower 6 bits */
	shlq	%cl, %rax
	testb	%dl, %dl
	js	3f
	shrq	%cl, %rax
	movq	%r11, %rcx
	jmp	.Lwhole_\n\()_\i
3:	sarq	%cl, %rax
	movq	%r11, %rcx
	jmp	.Lwhole_\n\()_\i
	.endm

	.macro STORE_WORD n, i, place
	.if	\n > \i
	movq	\place(%rbp), %rax
	cmpb	$0, UNUSED_BITS(\i)(%rsi)
	jne	.Lnarrow_\n\()_\i
.Lwhole_\n\()_\i:
	movq	%rax, (8 * (RECORD_WORDS + \i))(%rcx)
	.endif
	.endm

	.macro INTEGERS_ENTRY n
	BEGIN_ENTRY tl_generic_entry_integers_\n
	SAVE_BEFORE \n
	movq	tl_self@gottpoff(%rip), %rdx
	movq	%fs:(%rdx), %rdx
	movq	SHIM_MODE(%r11), %rax
	movl	%eax, %r10d
	andl	$~MODE_WORDS, %r10d
	cmpl	$MODE_RECORD, %r10d
	jne	.Lenter_integers_\n
	testq	%rdx, %rdx
	jz	.Lenter_integers_\n
	movq	THREAD_TOP(%rdx), %r10
	leaq	16(%rbp), %rcx
	cmpq	THREAD_END(%rdx), %r10
	jae	.Lenter_integers_\n
	cmpq	%rcx, (OPEN_FRAME - OPEN_SIZE)(%r10)
	jb	.Lenter_integers_\n
	movq	SHIM_REAL(%r11), %r11
	testq	%r11, %r11
	jz	.Lenter_integers_\n
	leaq	OPEN_SIZE(%r10), %rcx
	movq	%rcx, THREAD_TOP(%rdx)
	movq	%r10, CALL(%rbp)
	movl	$STATE_RECORDED, STATE(%rbp)
	movq	%rax, OPEN_MODE(%r10)
	rdtsc
	shlq	$32, %rdx
	leaq	CALL(%rbp), %rcx
	orq	%rdx, %rax
	movq	%rax, OPEN_START(%r10)
	movq	%rcx, OPEN_FRAME(%r10)
	movq	RDX(%rbp), %rdx
	movq	RCX(%rbp), %rcx
	movq	RAX(%rbp), %rax
	movq	R10(%rbp), %r10
	call	*%r11

	/* r8, r9: the result; r11: the part of it that the record has */
	movq	SHIM(%rbp), %rsi
	movq	%rax, %r8
	movq	%rdx, %r9
	movq	CALL(%rbp), %r10
	movq	tl_self@gottpoff(%rip), %rdi
	movq	%fs:(%rdi), %rdi
	movq	SIGNATURE(%rsi), %rsi
	leaq	OPEN_SIZE(%r10), %rcx
	movq	SIGNATURE_MASK(%rsi), %r11
	andq	%rax, %r11
	testq	%rdi, %rdi
	jz	.Lother_integers_\n
	cmpq	THREAD_TOP(%rdi), %rcx
	jne	.Lother_integers_\n
	cmpl	$MODE_FAST, OPEN_MODE(%r10)
	jne	.Lother_integers_\n
	rdtsc
	shlq	$32, %rdx
	orq	%rdx, %rax
	movl	$(8 * (RECORD_WORDS + \n)), %ecx
	xaddq	%rcx, (%rdi) /* a signal comes before or after it */
	movq	THREAD_LIMIT(%rdi), %rdx
	subq	$(8 * (RECORD_WORDS + \n)), %rdx
	subq	%rcx, %rdx
	cmpq	$CHUNK_MAX, %rdx
	ja	.Lfull_integers_\n
	shlq	$16, %rcx
	shrq	$16, %rcx
	movq	$(RECORD_WORDS + \n), (%rcx)
	movq	OPEN_START(%r10), %rdx
	subq	%rdx, %rax
	movq	%rdx, RECORD_START(%rcx)
	movq	%rax, RECORD_TIME(%rcx)
	movq	%r11, RECORD_RESULT(%rcx)
	STORE_WORD \n, 0, RDI
	STORE_WORD \n, 1, RSI
	STORE_WORD \n, 2, RDX
	STORE_WORD \n, 3, RCX
	STORE_WORD \n, 4, R8
	STORE_WORD \n, 5, R9
	movq	OPEN_MODE(%r10), %rax
	addq	$(RECORD_HEAD + RECORD_WORDS + \n - MODE_FAST), %rax
	movq	%rax, (%rcx) /* release: see tl_record_commit */
	movq	$NO_FRAME, OPEN_FRAME(%r10)
	movq	%r10, THREAD_TOP(%rdi)
	movq	%r8, %rax
	movq	%r9, %rdx
	.cfi_remember_state
	leave
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_restore_state
	.irp	i, 0, 1, 2, 3, 4, 5
	.if	\n > \i
	NARROW_WORD \n, \i
	.endif
	.endr

.Lother_integers_\n:
	movq	%r8, RESULT_RAX(%rbp)
	movq	%r9, RESULT_RDX(%rbp)
	FRAME_ARGUMENT
	movq	%r11, %rsi
	call	tl_generic_end_integers
	.cfi_remember_state
	leave
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_restore_state

.Lfull_integers_\n:
	movl	$STATE_FULL, STATE(%rbp)
	movq	%rcx, FULL_AT(%rbp)
	movq	%rax, FULL_END(%rbp)
	movq	%r8, RESULT_RAX(%rbp)
	movq	%r9, RESULT_RDX(%rbp)
	jmp	.Lleave_integers_\n

.Lenter_integers_\n:
	SAVE_FROM \n
	TAKE_MEMORY
	FRAME_ARGUMENT
	call	tl_generic_enter
	testq	%rax, %rax
	jz	.Lleave_integers_\n
	movq	%rax, %r11
	LOAD_INTEGERS
	call	*%r11
	movq	%rax, RESULT_RAX(%rbp)
	movq	%rdx, RESULT_RDX(%rbp)
.Lleave_integers_\n:
	FRAME_ARGUMENT
	call	tl_generic_leave
	movq	RESULT_RAX(%rbp), %rax
	movq	RESULT_RDX(%rbp), %rdx
	.cfi_remember_state
	leave
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_restore_state
	END_ENTRY tl_generic_entry_integers_\n
	.endm

	.irp	n, 0, 1, 2, 3, 4, 5, 6
	INTEGERS_ENTRY \n
	.endr

/*
 * All functions: with arguments that are wider, variadic or not known; with a result that is wider,
 * in x87's registers, or not known. Vector registers are saved at once, and whole.
 */
	BEGIN_ENTRY tl_generic_entry_wide
	SAVE_FROM 0
	subq	$VECTORS, %rsp
	cmpl	$0, vector_width(%rip)
	jne	1f
	call	find_vector_width
1:	FIND_WIDTH
	BY_WIDTH SAVE, 0, 1, 2, 3, 4, 5, 6, 7
	FRAME_ARGUMENT
	call	tl_generic_begin
	testq	%rax, %rax
	jnz	.Lbegun_wide
	TAKE_MEMORY
	FRAME_ARGUMENT
	call	tl_generic_enter
	testq	%rax, %rax
	jz	.Lskipped_wide
.Lbegun_wide:
	movq	%rax, RESULT_RAX(%rbp)
	movq	SHIM(%rbp), %rax
	movq	SIGNATURE(%rax), %rax
	movzwl	SIGNATURE_STACK(%rax), %ecx
	testw	$(IS_VARIADIC | IS_UNKNOWN), SIGNATURE_FLAGS(%rax)
	jz	1f
	FRAME_ARGUMENT
	call	tl_generic_stack
	movq	%rax, %rcx
1:	testl	%ecx, %ecx
	jz	4f
	COPY_STACK
4:	CLEAN_UPPER
	BY_WIDTH LOAD, 0, 1, 2, 3, 4, 5, 6, 7
	LOAD_INTEGERS
	call	*RESULT_RAX(%rbp)
	movq	%rax, RESULT_RAX(%rbp)
	movq	%rdx, RESULT_RDX(%rbp)
	SAVE_WIDE_RESULT
	movups	%xmm0, RESULT_XMM0(%rbp)
	movups	%xmm1, RESULT_XMM1(%rbp)
	/* How many results are in x87's registers, which are a stack; it was empty. */
	xorl	%ecx, %ecx
	TEST_FLAG IS_X87 | IS_X87_TWO | IS_UNKNOWN
	jz	1f
	fnstsw	%ax
	shrl	$11, %eax
	negl	%eax
	andl	$7, %eax
	movl	%eax, %ecx
1:	movl	%ecx, X87(%rbp)
	testl	%ecx, %ecx
	jz	1f
	fstpt	RESULT_ST0(%rbp)
	cmpl	$2, %ecx
	jb	1f
	fstpt	RESULT_ST1(%rbp)
1:	FRAME_ARGUMENT
	call	tl_generic_end
	testb	%al, %al
	jnz	.Lreturn_wide
.Lleave_wide:
	FRAME_ARGUMENT
	call	tl_generic_leave
.Lreturn_wide:
	movl	X87(%rbp), %ecx
	testl	%ecx, %ecx
	jz	1f
	cmpl	$2, %ecx
	jb	2f
	fldt	RESULT_ST1(%rbp)
2:	fldt	RESULT_ST0(%rbp)
1:	CLEAN_UPPER
	movups	RESULT_XMM1(%rbp), %xmm1
	LOAD_WIDE_RESULT
	movq	RESULT_RAX(%rbp), %rax
	movq	RESULT_RDX(%rbp), %rdx
	.cfi_remember_state
	leave
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_restore_state

/* No function is called: all results are zero, or what a callback says. */
.Lskipped_wide:
	xorl	%eax, %eax
	leaq	RESULT_WIDE(%rbp), %rdi
	movl	$8, %ecx
	rep stosq
	leaq	RESULT_ST1(%rbp), %rdi
	movl	$4, %ecx
	rep stosq
	movl	$0, X87(%rbp)
	TEST_FLAG IS_X87 | IS_X87_TWO
	jz	.Lleave_wide
	movl	$1, X87(%rbp)
	TEST_FLAG IS_X87_TWO
	jz	.Lleave_wide
	movl	$2, X87(%rbp)
	jmp	.Lleave_wide
	END_ENTRY tl_generic_entry_wide
	.globl	tl_generic_entries_end
	.hidden	tl_generic_entries_end
tl_generic_entries_end:

/* As compilers refer to the personality routine. */
	.hidden	DW.ref.__gcc_personality_v0
	.weak	DW.ref.__gcc_personality_v0
	.section .data.rel.local.DW.ref.__gcc_personality_v0, "awG", @progbits, DW.ref.__gcc_personality_v0, comdat
	.p2align 3
	.type	DW.ref.__gcc_personality_v0, @object
	.size	DW.ref.__gcc_personality_v0, 8
DW.ref.__gcc_personality_v0:
	.quad	__gcc_personality_v0

	.section .note.GNU-stack, "", @progbits
