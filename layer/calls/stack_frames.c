/* SPDX-License-Identifier: MIT */
/*
 * stack_frames.c: see stack_frames.h.
 *
 * A step looks for the function's entry in the library's .eh_frame_hdr, runs its instructions up to
 * where the function is, and has then the rules by which the caller's stack pointer and registers
 * are found. Whatever a table says, memory is read only if it can be; a rule that is not known, or
 * leads nowhere, ends the walk.
 *
 * The formats: DWARF 5, 6.4; Linux Standard Base, "Exception Frames".
 */
#include "layer/calls/stack_frames.h"

#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include "format/args/args.h"
#include "layer/base/library_walk.h"

#if defined(__x86_64__)
#define REGISTERS 17
#define SP	  7
#define RETURN	  16
#elif defined(__aarch64__)
#define REGISTERS 32
#define SP	  31
#define RETURN	  30
#endif
#define DEEPEST	   512 /* frames: a tenth of a millisecond */
#define REMEMBERED 2   /* nested DW_CFA_remember_state */
#define OPERANDS   8   /* of an expression */
#define PAGE	   ((uintptr_t)4096)
#define PAGES	   32u

/* --- memory */

/* Readable bytes that lie together; grows page by page. */
struct window {
	uintptr_t low, high;
};

static bool is_page_readable(uintptr_t page)
{
	char byte;

	return tl_checked_copy(&byte, (const void *)page, 1) == 1;
}

static bool can_read(struct window *window, uintptr_t at)
{
	uintptr_t first = at & ~(PAGE - 1), last = (at + 7) & ~(PAGE - 1);

	if (at > UINTPTR_MAX - PAGE)
		return false;
	if (at >= window->low && at + 8 <= window->high)
		return true;
	if (!is_page_readable(first) || (last != first && !is_page_readable(last)))
		return false;
	if (first == window->high)
		window->high = last + PAGE;
	else
		*window = (struct window){first, last + PAGE};
	return true;
}

static __attribute__((no_sanitize("address", "thread"))) bool load(struct window *window,
								   uintptr_t at, uintptr_t *word)
{
	if (!can_read(window, at))
		return false;
	__builtin_memcpy(word, (const void *)at, sizeof(*word));
	return true;
}

/* A byte of each. What can't be asked at once (a sandbox) is asked one by one. */
static bool are_pages_readable(uintptr_t first, unsigned count)
{
	char bytes[PAGES];
	struct iovec local = {bytes, count}, remote[PAGES];
	int error = errno;

	for (unsigned i = 0; i < count; i++)
		remote[i] = (struct iovec){(void *)(first + i * PAGE), 1};
	ssize_t read = process_vm_readv(getpid(), &local, 1, remote, count, 0);
	for (unsigned i = 0; read < 0 && errno != EFAULT && i < count; i++)
		if (!is_page_readable(first + i * PAGE))
			break;
		else if (i + 1 == count)
			read = count;
	errno = error;
	return read == (ssize_t)count;
}

bool tl_chain_is_mapped(uintptr_t from, uintptr_t to)
{
	for (uintptr_t page = from & ~(PAGE - 1); page < to; page += PAGES * PAGE) {
		uintptr_t left = (to - page + PAGE - 1) / PAGE;
		if (!are_pages_readable(page, left < PAGES ? (unsigned)left : PAGES))
			return false;
	}
	return true;
}

/* --- libraries */

struct library {
	uintptr_t address;	    /* looked for */
	uintptr_t base, start, end; /* of the segment with the address */
	const uint8_t *table;	    /* .eh_frame_hdr; NULL: it has none */
	bool found, program;
	unsigned number;
};

static int find_library(struct dl_phdr_info *seen, size_t size, void *closure)
{
	struct library *library = closure;
	const uint8_t *table = NULL;

	for (unsigned i = 0; i < seen->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &seen->dlpi_phdr[i];
		uintptr_t start = seen->dlpi_addr + segment->p_vaddr;
		if (segment->p_type == PT_GNU_EH_FRAME)
			table = (const uint8_t *)start;
		if (segment->p_type != PT_LOAD || library->address - start >= segment->p_memsz)
			continue;
		library->found = true;
		library->start = start;
		library->end = start + segment->p_memsz;
	}
	library->base = seen->dlpi_addr;
	library->table = table;
	library->program = library->number++ == 0;
	return library->found;
}

static bool look_for_library(struct library *library, uintptr_t address)
{
	if (library->found && address - library->start < library->end - library->start)
		return true;
	*library = (struct library){.address = address};
	tl_library_walk(find_library, library);
	return library->found;
}

uintptr_t tl_chain_library(const void *address)
{
	struct library library = {.found = false};

	return look_for_library(&library, (uintptr_t)address) && !library.program ? library.base
										  : 0;
}

/* --- reading tables */

struct reader {
	const uint8_t *at, *end;
	bool failed;
};

static uint64_t read_bytes(struct reader *reader, unsigned count)
{
	uint64_t value = 0;

	if ((size_t)(reader->end - reader->at) < count) {
		reader->failed = true;
		return 0;
	}
	memcpy(&value, reader->at, count);
	reader->at += count;
	return value;
}

static int64_t read_signed(struct reader *reader, unsigned count)
{
	uint64_t value = read_bytes(reader, count);
	unsigned unused = 64 - 8 * count;

	return (int64_t)(value << unused) >> unused;
}

static uint64_t read_leb(struct reader *reader, bool is_signed)
{
	uint64_t value = 0, byte;
	unsigned shift = 0;

	do {
		byte = read_bytes(reader, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !reader->failed);
	if (is_signed && byte & 0x40 && shift < 64)
		value |= ~(uint64_t)0 << shift;
	return value;
}

/* DW_EH_PE_*: as the tables of functions have them. */
static uintptr_t read_encoded(struct reader *reader, uint8_t encoding, uintptr_t data)
{
	uintptr_t place = (uintptr_t)reader->at, value = 0;

	switch (encoding & 0x0f) {
	case 0x00:
		value = read_bytes(reader, sizeof(uintptr_t));
		break;
	case 0x01:
		value = read_leb(reader, false);
		break;
	case 0x02:
		value = read_bytes(reader, 2);
		break;
	case 0x03:
		value = read_bytes(reader, 4);
		break;
	case 0x04:
		value = read_bytes(reader, 8);
		break;
	case 0x09:
		value = read_leb(reader, true);
		break;
	case 0x0a:
		value = (uintptr_t)read_signed(reader, 2);
		break;
	case 0x0b:
		value = (uintptr_t)read_signed(reader, 4);
		break;
	case 0x0c:
		value = read_bytes(reader, 8);
		break;
	default:
		reader->failed = true;
	}
	switch (encoding & 0x70) {
	case 0x00:
		break;
	case 0x10:
		value += place;
		break;
	case 0x30:
		value += data;
		break;
	default:
		reader->failed = true;
	}
	if (encoding & 0x80)
		reader->failed = true;
	return value;
}

/* What a function's table says of it. */
struct description {
	uintptr_t start, end;
	struct reader common, own; /* instructions */
	uint64_t code_unit;
	int64_t data_unit;
	uint8_t encoding; /* of addresses */
	bool has_more;	  /* a size of what a language adds */
	bool of_signal;
	uint64_t back; /* the register that has the return address */
};

static struct reader read_entry(const uint8_t *at)
{
	struct reader reader = {.at = at, .end = at + 4};
	uint64_t size = read_bytes(&reader, 4);

	reader.end = reader.at + (size == UINT32_MAX ? 0 : size);
	return reader;
}

static bool read_common(const uint8_t *at, struct description *description)
{
	struct reader reader = read_entry(at);

	if (read_bytes(&reader, 4) != 0)
		return false;
	unsigned version = (unsigned)read_bytes(&reader, 1);
	const char *augmentation = (const char *)reader.at;
	while (read_bytes(&reader, 1) && !reader.failed)
		;
	description->code_unit = read_leb(&reader, false);
	description->data_unit = (int64_t)read_leb(&reader, true);
	description->back = version == 1 ? read_bytes(&reader, 1) : read_leb(&reader, false);
	description->encoding = 0;
	description->has_more = *augmentation == 'z';
	if (!description->has_more && *augmentation)
		return false;
	const uint8_t *more = NULL;
	if (description->has_more) {
		uint64_t size = read_leb(&reader, false);
		more = reader.at + size;
		augmentation++;
	}
	for (; *augmentation && !reader.failed; augmentation++) {
		if (*augmentation == 'R')
			description->encoding = (uint8_t)read_bytes(&reader, 1);
		else if (*augmentation == 'L')
			read_bytes(&reader, 1);
		else if (*augmentation == 'P')
			read_encoded(&reader, (uint8_t)read_bytes(&reader, 1) & 0x0f, 0);
		else if (*augmentation == 'S')
			description->of_signal = true;
		else if (*augmentation != 'B')
			return false;
	}
	if (more)
		reader.at = more;
	description->common = reader;
	return !reader.failed && reader.at <= reader.end && (version == 1 || version == 3);
}

static bool read_description(const uint8_t *at, struct description *description)
{
	struct reader reader = read_entry(at);
	const uint8_t *place = reader.at;
	uint64_t offset = read_bytes(&reader, 4);

	if (reader.failed || !offset || !read_common(place - offset, description))
		return false;
	description->start = read_encoded(&reader, description->encoding, 0);
	description->end =
		description->start + read_encoded(&reader, description->encoding & 0x0f, 0);
	if (description->has_more) {
		uint64_t size = read_leb(&reader, false);
		reader.at += size;
	}
	description->own = reader;
	return !reader.failed && reader.at <= reader.end;
}

/* In the sorted table of functions: pairs of 4 bytes each, relative to the table. */
static bool describe(const struct library *library, uintptr_t address,
		     struct description *description)
{
	const uint8_t *table = library->table;
	struct reader reader = {.at = table + 4, .end = table + 64};

	if (!table || table[0] != 1 || table[3] != 0x3b)
		return false;
	read_encoded(&reader, table[1], (uintptr_t)table);
	uint64_t count = read_encoded(&reader, table[2], (uintptr_t)table);
	if (reader.failed || !count)
		return false;
	const uint8_t *pairs = reader.at;
	int64_t want = (int64_t)(address - (uintptr_t)table);
	size_t low = 0, high = count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		int32_t start;
		memcpy(&start, pairs + 8 * middle, sizeof(start));
		if (start <= want)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	int32_t where;
	memcpy(&where, pairs + 8 * (low - 1) + 4, sizeof(where));
	memset(description, 0, sizeof(*description));
	return read_description(table + where, description) &&
	       address - description->start < description->end - description->start;
}

/* --- registers and rules */

struct machine {
	uintptr_t reg[REGISTERS];
	bool known[REGISTERS];
	struct window stack;
	const uint8_t *base;
};

enum rule_kind { SAME, UNDEFINED, AT_OFFSET, IS_OFFSET, IN_REGISTER, AT_EXPRESSION, IS_EXPRESSION };

/*
 * Small, for the stacks of coroutines and signal handlers are. An expression is given by where it
 * is, its size first, from struct machine's .base on.
 */
struct rule {
	int32_t value;
	uint8_t kind;
};

struct rules {
	struct rule reg[REGISTERS];
	struct rule cfa; /* IN_REGISTER with .base, or IS_EXPRESSION */
	uint32_t base;
};

static bool get(const struct machine *machine, uint64_t number, uintptr_t *value)
{
	if (number >= REGISTERS || !machine->known[number])
		return false;
	*value = machine->reg[number];
	return true;
}

struct operands {
	uintptr_t at[OPERANDS];
	unsigned count;
	bool failed;
};

static void push(struct operands *operands, uintptr_t value)
{
	if (operands->count == OPERANDS)
		operands->failed = true;
	else
		operands->at[operands->count++] = value;
}

static uintptr_t take(struct operands *operands)
{
	if (operands->count)
		return operands->at[--operands->count];
	operands->failed = true;
	return 0;
}

/* Operators of two operands: what C libraries and assemblers use. */
static void compute(struct operands *operands, unsigned operation)
{
	uintptr_t b = take(operands), a = take(operands);

	switch (operation) {
	case 0x1a:
		push(operands, a & b);
		break;
	case 0x1c:
		push(operands, a - b);
		break;
	case 0x1e:
		push(operands, a * b);
		break;
	case 0x21:
		push(operands, a | b);
		break;
	case 0x22:
		push(operands, a + b);
		break;
	case 0x24:
		push(operands, b < 64 ? a << b : 0);
		break;
	case 0x25:
		push(operands, b < 64 ? a >> b : 0);
		break;
	case 0x27:
		push(operands, a ^ b);
		break;
	case 0x29:
		push(operands, a == b);
		break;
	case 0x2a:
		push(operands, (intptr_t)a >= (intptr_t)b);
		break;
	case 0x2b:
		push(operands, (intptr_t)a > (intptr_t)b);
		break;
	case 0x2c:
		push(operands, (intptr_t)a <= (intptr_t)b);
		break;
	case 0x2d:
		push(operands, (intptr_t)a < (intptr_t)b);
		break;
	case 0x2e:
		push(operands, a != b);
		break;
	default:
		operands->failed = true;
	}
}

static void operate(struct operands *operands, struct machine *machine, struct reader *reader,
		    unsigned operation)
{
	uintptr_t value = 0;

	if (operation >= 0x30 && operation <= 0x4f) {
		push(operands, operation - 0x30);
	} else if (operation >= 0x70 && operation <= 0x8f) {
		operands->failed |= !get(machine, operation - 0x70, &value);
		push(operands, value + (uintptr_t)read_leb(reader, true));
	} else if (operation == 0x06) {
		operands->failed |= !load(&machine->stack, take(operands), &value);
		push(operands, value);
	} else if (operation >= 0x08 && operation <= 0x0f) {
		unsigned size = 1u << (operation - 0x08) / 2;
		push(operands, operation & 1 ? (uintptr_t)read_signed(reader, size)
					     : read_bytes(reader, size));
	} else if (operation == 0x10 || operation == 0x11) {
		push(operands, read_leb(reader, operation == 0x11));
	} else if (operation == 0x12) {
		value = take(operands);
		push(operands, value);
		push(operands, value);
	} else if (operation == 0x13) {
		take(operands);
	} else if (operation == 0x23) {
		value = take(operands);
		push(operands, value + read_leb(reader, false));
	} else {
		compute(operands, operation);
	}
}

static struct reader block_at(const uint8_t *at)
{
	struct reader reader = {.at = at, .end = at + 10};
	uint64_t size = read_leb(&reader, false);

	reader.end = reader.at + size;
	return reader;
}

static bool evaluate(struct machine *machine, const struct rule *rule, bool with_cfa, uintptr_t cfa,
		     uintptr_t *value)
{
	struct reader reader = block_at(machine->base + rule->value);
	struct operands operands = {.count = 0};

	if (with_cfa)
		push(&operands, cfa);
	while (reader.at < reader.end && !reader.failed && !operands.failed)
		operate(&operands, machine, &reader, (unsigned)read_bytes(&reader, 1));
	*value = take(&operands);
	return !reader.failed && !operands.failed;
}

struct program {
	const struct description *description;
	uintptr_t upto, at;
	struct rules *rules;
	const struct rules *initial; /* NULL while the common part runs */
	struct rules remembered[REMEMBERED];
	unsigned count;
	bool failed;
	const uint8_t *base;
};

/* Step over an expression. */
static struct rule read_expression(const struct program *program, struct reader *reader,
				   enum rule_kind kind)
{
	struct rule rule = {.kind = kind, .value = (int32_t)(reader->at - program->base)};
	uint64_t size = read_leb(reader, false);

	if (size > (uint64_t)(reader->end - reader->at))
		reader->failed = true;
	else
		reader->at += size;
	return rule;
}

static void set_rule(struct program *program, uint64_t number, struct rule rule)
{
	if (number < REGISTERS)
		program->rules->reg[number] = rule;
}

static void restore(struct program *program, uint64_t number)
{
	if (number < REGISTERS)
		program->rules->reg[number] = program->initial ? program->initial->reg[number]
							       : (struct rule){.kind = SAME};
}

static void remember(struct program *program, bool back)
{
	if (back ? program->count == 0 : program->count == REMEMBERED)
		program->failed = true;
	else if (back)
		*program->rules = program->remembered[--program->count];
	else
		program->remembered[program->count++] = *program->rules;
}

static void set_cfa(struct program *program, uint64_t base, int64_t value)
{
	program->rules->base = (uint32_t)base;
	program->rules->cfa = (struct rule){.kind = IN_REGISTER, .value = (int32_t)value};
}

/* DW_CFA_* whose operands are not in its first byte. */
static void run_extended(struct program *program, struct reader *reader, unsigned operation)
{
	const struct description *description = program->description;
	int64_t unit = description->data_unit;
	uint64_t number;

	switch (operation) {
	case 0x00:
		break;
	case 0x01:
		program->at = read_encoded(reader, description->encoding, 0);
		break;
	case 0x02:
		program->at += read_bytes(reader, 1) * description->code_unit;
		break;
	case 0x03:
		program->at += read_bytes(reader, 2) * description->code_unit;
		break;
	case 0x04:
		program->at += read_bytes(reader, 4) * description->code_unit;
		break;
	case 0x05:
		number = read_leb(reader, false);
		set_rule(
			program, number,
			(struct rule){.kind = AT_OFFSET,
				      .value = (int32_t)((int64_t)read_leb(reader, false) * unit)});
		break;
	case 0x06:
		restore(program, read_leb(reader, false));
		break;
	case 0x07:
		set_rule(program, read_leb(reader, false), (struct rule){.kind = UNDEFINED});
		break;
	case 0x08:
		set_rule(program, read_leb(reader, false), (struct rule){.kind = SAME});
		break;
	case 0x09:
		number = read_leb(reader, false);
		set_rule(program, number,
			 (struct rule){.kind = IN_REGISTER,
				       .value = (int32_t)read_leb(reader, false)});
		break;
	case 0x0a:
		remember(program, false);
		break;
	case 0x0b:
		remember(program, true);
		break;
	case 0x0c:
		number = read_leb(reader, false);
		set_cfa(program, number, (int64_t)read_leb(reader, false));
		break;
	case 0x0d:
		program->rules->base = (uint32_t)read_leb(reader, false);
		break;
	case 0x0e:
		program->rules->cfa.value = (int32_t)read_leb(reader, false);
		break;
	case 0x0f:
		program->rules->cfa = read_expression(program, reader, IS_EXPRESSION);
		break;
	case 0x10:
		number = read_leb(reader, false);
		set_rule(program, number, read_expression(program, reader, AT_EXPRESSION));
		break;
	case 0x11:
		number = read_leb(reader, false);
		set_rule(program, number,
			 (struct rule){.kind = AT_OFFSET,
				       .value = (int32_t)((int64_t)read_leb(reader, true) * unit)});
		break;
	case 0x12:
		number = read_leb(reader, false);
		set_cfa(program, number, (int64_t)read_leb(reader, true) * unit);
		break;
	case 0x13:
		program->rules->cfa.value = (int32_t)((int64_t)read_leb(reader, true) * unit);
		break;
	case 0x14:
	case 0x15:
		number = read_leb(reader, false);
		set_rule(program, number,
			 (struct rule){
				 .kind = IS_OFFSET,
				 .value = (int32_t)((int64_t)read_leb(reader, operation == 0x15) *
						    unit)});
		break;
	case 0x16:
		number = read_leb(reader, false);
		set_rule(program, number, read_expression(program, reader, IS_EXPRESSION));
		break;
	case 0x2d:
		break; /* return addresses are signed, or are no longer: see address_of */
	case 0x2e:
		read_leb(reader, false);
		break;
	default:
		program->failed = true;
	}
}

static bool run(struct program *program, struct reader reader)
{
	while (reader.at < reader.end && program->at <= program->upto && !program->failed &&
	       !reader.failed) {
		unsigned byte = (unsigned)read_bytes(&reader, 1), low = byte & 0x3f;
		if (byte >> 6 == 1) {
			program->at += low * program->description->code_unit;
		} else if (byte >> 6 == 2) {
			int64_t offset =
				(int64_t)read_leb(&reader, false) * program->description->data_unit;
			set_rule(program, low,
				 (struct rule){.kind = AT_OFFSET, .value = (int32_t)offset});
		} else if (byte >> 6 == 3) {
			restore(program, low);
		} else {
			run_extended(program, &reader, low);
		}
	}
	return !program->failed && !reader.failed;
}

static bool find_rules(const struct description *description, uintptr_t address,
		       const uint8_t *base, struct rules *rules)
{
	struct rules initial;
	struct program program = {.description = description,
				  .upto = address,
				  .at = description->start,
				  .rules = rules,
				  .base = base};

	memset(rules, 0, sizeof(*rules));
	program.upto = UINTPTR_MAX;
	if (!run(&program, description->common))
		return false;
	initial = *rules;
	program.initial = &initial;
	program.upto = address;
	program.at = description->start;
	program.count = 0;
	return run(&program, description->own);
}

/* --- steps */

/* On aarch64 a return address may be signed in bits that no address has. */
static uintptr_t address_of(uintptr_t value)
{
#if defined(__aarch64__)
	value &= ((uintptr_t)1 << 48) - 1;
#endif
	return value;
}

static bool apply(struct machine *machine, const struct rule *rule, uintptr_t cfa, unsigned number,
		  uintptr_t *value)
{
	switch (rule->kind) {
	case SAME:
		return get(machine, number, value);
	case UNDEFINED:
		return false;
	case AT_OFFSET:
		return load(&machine->stack, cfa + (uintptr_t)rule->value, value);
	case IS_OFFSET:
		*value = cfa + (uintptr_t)rule->value;
		return true;
	case IN_REGISTER:
		return get(machine, (uint64_t)rule->value, value);
	case AT_EXPRESSION:
		return evaluate(machine, rule, true, cfa, value) &&
		       load(&machine->stack, *value, value);
	case IS_EXPRESSION:
		return evaluate(machine, rule, true, cfa, value);
	}
	return false;
}

static bool find_cfa(struct machine *machine, const struct rules *rules, uintptr_t *cfa)
{
	if (rules->cfa.kind == IS_EXPRESSION)
		return evaluate(machine, &rules->cfa, false, 0, cfa);
	if (!get(machine, rules->base, cfa))
		return false;
	*cfa += (uintptr_t)rules->cfa.value;
	return true;
}

/* To the caller: its registers, as it has them behind the call. */
static bool step(struct machine *machine, const struct rules *rules, uintptr_t cfa)
{
	struct machine next = {.base = machine->base};

	for (unsigned i = 0; i < REGISTERS; i++)
		next.known[i] = apply(machine, &rules->reg[i], cfa, i, &next.reg[i]);
	if (rules->reg[SP].kind == SAME) {
		next.reg[SP] = cfa;
		next.known[SP] = true;
	}
	next.stack = machine->stack;
	*machine = next;
	return true;
}

/*
 * What coroutines of the C library's begin at: makecontext has it as their first function's return
 * address. 0 also while another thread asks.
 */
uintptr_t tl_chain_coroutine_mark(void)
{
	static uintptr_t stack[256];
	static ucontext_t context;
	static atomic_flag asked = ATOMIC_FLAG_INIT;
	static _Atomic uintptr_t start;

	if (atomic_flag_test_and_set_explicit(&asked, memory_order_relaxed))
		return atomic_load_explicit(&start, memory_order_relaxed);
	context.uc_stack.ss_sp = stack;
	context.uc_stack.ss_size = sizeof(stack);
	makecontext(&context, (void (*)(void))tl_chain_coroutine_mark, 0);
#if defined(__x86_64__)
	uintptr_t known = *(const uintptr_t *)context.uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
	uintptr_t known = context.uc_mcontext.regs[30];
#endif
	atomic_store_explicit(&start, ~known, memory_order_relaxed);
	return ~known;
}

/* The registers that calls preserve, as they are where this is expanded, and where that is. */
#if defined(__x86_64__)
#define TAKE_REGISTERS(machine, address)                                                           \
	do {                                                                                       \
		static const uint8_t kept_[] = {3, 6, 7, 12, 13, 14, 15};                          \
		uintptr_t values_[8];                                                              \
		__asm__ volatile("movq %%rbx, (%0)\n\t"                                            \
				 "movq %%rbp, 8(%0)\n\t"                                           \
				 "movq %%rsp, 16(%0)\n\t"                                          \
				 "movq %%r12, 24(%0)\n\t"                                          \
				 "movq %%r13, 32(%0)\n\t"                                          \
				 "movq %%r14, 40(%0)\n\t"                                          \
				 "movq %%r15, 48(%0)\n\t"                                          \
				 "leaq 0(%%rip), %%rcx\n\t"                                        \
				 "movq %%rcx, 56(%0)"                                              \
				 :                                                                 \
				 : "a"(values_)                                                    \
				 : "rcx", "memory");                                               \
		for (unsigned i_ = 0; i_ < sizeof(kept_); i_++) {                                  \
			(machine)->reg[kept_[i_]] = values_[i_];                                   \
			(machine)->known[kept_[i_]] = true;                                        \
		}                                                                                  \
		*(address) = values_[7];                                                           \
	} while (0)
#elif defined(__aarch64__)
#define TAKE_REGISTERS(machine, address)                                                           \
	do {                                                                                       \
		uintptr_t values_[14];                                                             \
		register uintptr_t *to_ __asm__("x9") = values_;                                   \
		__asm__ volatile("stp x19, x20, [x9]\n\t"                                          \
				 "stp x21, x22, [x9, #16]\n\t"                                     \
				 "stp x23, x24, [x9, #32]\n\t"                                     \
				 "stp x25, x26, [x9, #48]\n\t"                                     \
				 "stp x27, x28, [x9, #64]\n\t"                                     \
				 "stp x29, x30, [x9, #80]\n\t"                                     \
				 "mov x10, sp\n\t"                                                 \
				 "adr x11, .\n\t"                                                  \
				 "stp x10, x11, [x9, #96]"                                         \
				 :                                                                 \
				 : "r"(to_)                                                        \
				 : "x10", "x11", "memory");                                        \
		for (unsigned i_ = 0; i_ < 13; i_++) {                                             \
			(machine)->reg[19 + i_] = values_[i_];                                     \
			(machine)->known[19 + i_] = true;                                          \
		}                                                                                  \
		*(address) = values_[13];                                                          \
	} while (0)
#endif

/* Why there is no step from here. */
static enum tl_chain_end end_at(const struct library *library, uintptr_t address)
{
	if (!address)
		return TL_CHAIN_COROUTINE;
	return library->found ? TL_CHAIN_UNKNOWN : TL_CHAIN_MADE;
}

__attribute__((noinline)) enum tl_chain_end
tl_chain_walk(bool (*visit)(const struct tl_chain_frame *frame, void *closure), void *closure)
{
	struct machine machine = {.stack = {0, 0}};
	struct library library = {.found = false};
	uintptr_t address, mark = tl_chain_coroutine_mark();
	bool called = false; /* the address is behind a call, not where a signal came in */

	TAKE_REGISTERS(&machine, &address);
	for (unsigned i = 0; i < DEEPEST; i++) {
		struct description description;
		struct rules rules;
		struct tl_chain_frame frame;
		if (!look_for_library(&library, address - called) ||
		    !describe(&library, address - called, &description))
			return end_at(&library, address);
		machine.base = library.table;
		if (!find_rules(&description, address - called, library.table, &rules) ||
		    !find_cfa(&machine, &rules, &frame.high))
			return TL_CHAIN_UNKNOWN;
		frame.low = machine.reg[SP];
		if (description.back >= REGISTERS ||
		    (i && !description.of_signal && frame.high < frame.low))
			return TL_CHAIN_UNKNOWN;
		bool first = rules.reg[description.back].kind == UNDEFINED;
		frame.function = description.start;
		frame.library = library.base;
		frame.program = library.program;
		frame.signal = description.of_signal;
		step(&machine, &rules, frame.high);
		frame.back = machine.known[description.back]
				     ? address_of(machine.reg[description.back])
				     : 0;
		/* The compiler would rather have it inverted once. */
		__asm__ volatile("" : "+r"(mark));
		bool coroutine = mark && frame.back == ~mark;
		if (coroutine)
			frame.back = machine.reg[description.back] = 0;
		if (i && visit(&frame, closure))
			return TL_CHAIN_STOPPED;
		if (first || coroutine)
			return first ? TL_CHAIN_THREAD : TL_CHAIN_COROUTINE;
		if (!machine.known[description.back] || !machine.known[SP])
			return TL_CHAIN_UNKNOWN;
		address = frame.back;
		called = !description.of_signal;
	}
	return TL_CHAIN_DEEP;
}
