/* SPDX-License-Identifier: MIT */
/*
 * closure.c: libffi closures around real functions. See closure.h. Without libffi there are none: a further real
 * function is given out as it is, and its calls are not recorded.
 *
 * All closures are in a list that only grows at its head. Two threads may make the same closure at
 * once. Both look through what the other has added before they add their own, so one of them wins,
 * and the other frees its closure.
 */
#include "config.h"

#include "layer/resolve/closure.h"

#if !HAVE_LIBFFI

void *tl_closure_for(struct tl_shim *shim, void *real)
{
	(void)shim;
	return real;
}

struct tl_shim *tl_closure_at(const void *entry)
{
	(void)entry;
	return NULL;
}

const void *tl_closure_code(void)
{
	return NULL;
}

#else

#include <stdlib.h>
#include <string.h>

#include "common/signature.h"
#include "layer/resolve/shared_ffi.h"
#include "layer/resolve/shim_names.h"
#include "layer/resolve/real_function.h"
#include "layer/resolve/api_table.h"

struct closure {
	struct closure *next;
	struct tl_shim *of;   /* whose mode and callbacks .shim gets */
	_Atomic bool adopted; /* it has them */
	struct tl_shim shim;  /* .entry: what the program calls */
	bool is_generic;      /* no compiled shim has a body for it; .shim has a signature */
	ffi_closure *writable;
	ffi_cif cif;
	ffi_type **arguments;
};

static _Atomic(struct closure *) closures;

/* --- libffi's types from ours */

static ffi_type *ffi_type_of(const struct tl_type *type);

static ffi_type *ffi_integer(uint32_t size, bool is_signed)
{
	switch (size) {
	case 1:
		return is_signed ? &ffi_type_sint8 : &ffi_type_uint8;
	case 2:
		return is_signed ? &ffi_type_sint16 : &ffi_type_uint16;
	case 4:
		return is_signed ? &ffi_type_sint32 : &ffi_type_uint32;
	case 8:
		return is_signed ? &ffi_type_sint64 : &ffi_type_uint64;
	}
	return NULL;
}

static ffi_type *ffi_floating(uint32_t size)
{
	return size == sizeof(float)	     ? &ffi_type_float
	       : size == sizeof(double)	     ? &ffi_type_double
	       : size == sizeof(long double) ? &ffi_type_longdouble
					     : NULL;
}

static uint32_t type_alignment(const struct tl_type *type)
{
	uint32_t largest = 1;

	if (type->kind == TL_KIND_ARRAY)
		return type_alignment(type->target);
	if (type->kind != TL_KIND_STRUCT && type->kind != TL_KIND_UNION)
		return type->size ? type->size : 1;
	for (uint32_t i = 0; i < type->count; i++) {
		uint32_t alignment = type_alignment(type->members[i].type);

		largest = alignment > largest ? alignment : largest;
	}
	return largest;
}

/* A list of elements that is being made. While .list is NULL, they are only counted. */
struct elements {
	ffi_type **element;
	size_t count;
	bool failed;
};

static void elements_add(struct elements *elements, ffi_type *type)
{
	elements->failed |= !type;
	if (elements->element)
		elements->element[elements->count] = type;
	elements->count++;
}

/*
 * A union is passed as words of its alignment. That is right if one of its members is an integer or
 * a pointer.
 */
static void elements_add_union(struct elements *elements, const struct tl_type *type)
{
	uint32_t unit = type_alignment(type);

	for (uint32_t i = 0; i < type->size / unit; i++)
		elements_add(elements, ffi_integer(unit, false));
}

static void elements_add_members(struct elements *elements, const struct tl_type *type)
{
	uint32_t end = 0;

	for (uint32_t i = 0; i < type->count; i++) {
		const struct tl_variable *member = &type->members[i];
		bool is_array = member->type->kind == TL_KIND_ARRAY;

		/* Bit fields share a unit, which is passed once. */
		if (i && member->offset < end)
			continue;
		end = member->offset + member->type->size;
		const struct tl_type *element = member->type;

		while (element->kind == TL_KIND_ARRAY)
			element = element->target;
		uint32_t count = is_array && element->size ? member->type->size / element->size : 1;
		ffi_type *one = ffi_type_of(element);

		for (uint32_t n = 0; n < count; n++)
			elements_add(elements, one);
	}
}

static void elements_add_all(struct elements *elements, const struct tl_type *type)
{
	if (type->kind == TL_KIND_UNION)
		elements_add_union(elements, type);
	else
		elements_add_members(elements, type);
}

/*
 * Made for each closure that passes a struct by value (a handful of functions do), and kept with
 * it.
 */
static ffi_type *ffi_aggregate(const struct tl_type *type)
{
	struct elements elements = {0};

	elements_add_all(&elements, type);
	if (elements.failed)
		return NULL;
	ffi_type *made = calloc(1, sizeof(*made) + (elements.count + 1) * sizeof(ffi_type *));

	if (!made)
		return NULL;
	elements = (struct elements){.element = (ffi_type **)(made + 1)};
	made->type = FFI_TYPE_STRUCT;
	made->elements = elements.element;
	elements_add_all(&elements, type);
	return made;
}

static ffi_type *ffi_type_of(const struct tl_type *type)
{
	switch (type->kind) {
	case TL_KIND_VOID:
		return &ffi_type_void;
	case TL_KIND_BOOL:
	case TL_KIND_UINT:
	case TL_KIND_ENUM:
	case TL_KIND_FLAGS:
	case TL_KIND_HANDLE:
		return ffi_integer(type->size, false);
	case TL_KIND_INT:
	case TL_KIND_CHAR:
		return ffi_integer(type->size, true);
	case TL_KIND_FLOAT:
		return ffi_floating(type->size);
	case TL_KIND_POINTER:
	case TL_KIND_FUNCTION:
	case TL_KIND_ARRAY:
		return &ffi_type_pointer;
	case TL_KIND_STRUCT:
	case TL_KIND_UNION:
		return ffi_aggregate(type);
	}
	return NULL;
}

/* --- the call */

/* libffi wants an integer that is narrower than its word as a whole word, with sign. */
static void word_widen(const ffi_type *type, ffi_arg word, void *result)
{
	switch (type->type) {
	case FFI_TYPE_SINT8:
		*(ffi_sarg *)result = (int8_t)word;
		break;
	case FFI_TYPE_SINT16:
		*(ffi_sarg *)result = (int16_t)word;
		break;
	case FFI_TYPE_SINT32:
		*(ffi_sarg *)result = (int32_t)word;
		break;
	default:
		*(ffi_arg *)result = word;
	}
}

static bool type_is_narrow(const ffi_type *type)
{
	return type->size < sizeof(ffi_arg) && type->type != FFI_TYPE_VOID &&
	       type->type != FFI_TYPE_FLOAT && type->type != FFI_TYPE_STRUCT;
}

/* Captures the words that a compiled shim's body would capture of its parameters. */
static uint32_t words_fill(const struct tl_function *function, void **arguments, uint64_t *words)
{
	memset(words, 0, 8 * (size_t)function->words);
	for (uint32_t i = 0; i < function->count; i++) {
		const struct tl_type *type = function->params[i].type;
		uint64_t *word = &words[function->params[i].offset];

		memcpy(word, arguments[i], type->size);
		if (type->kind != TL_KIND_INT || type->size >= 8)
			continue;
		unsigned unused = 64 - 8 * type->size;
		*word = (uint64_t)((int64_t)(*word << unused) >> unused);
	}
	return function->words;
}

/*
 * Does the work of a compiled shim's body. If the result is narrower than libffi's word, `result`
 * has room for that word.
 */
static void closure_serve(struct closure *closure, void **arguments, void *result)
{
	const struct tl_function *function = closure->shim.function;
	size_t size = function->result->size;
	uint64_t words[TL_SIGNATURE_WORDS], word = 0;
	struct tl_caller caller = {NULL, TL_STACK};

	memset(result, 0, size);
	TL_CALL(call, &closure->shim, caller, arguments, size ? result : NULL);
	void *real = tl_call_enter(&call);
	if (TL_LIKELY(real))
		ffi_call(&closure->cif, FFI_FN(real), result, arguments);
	if (!call.shim)
		return;
	memcpy(&word, result, size < sizeof(word) ? size : sizeof(word));
	tl_call_leave(&call, word, words, words_fill(function, arguments, words));
	call.shim = NULL;
}

static void closure_called(ffi_cif *cif, void *result, void **arguments, void *user)
{
	struct closure *closure = user;
	ffi_arg word = 0;

	if (closure->is_generic && !type_is_narrow(cif->rtype)) {
		closure_serve(closure, arguments, result);
		return;
	}
	if (closure->is_generic) {
		closure_serve(closure, arguments, &word);
		word_widen(cif->rtype, word, result);
		return;
	}
	if (!type_is_narrow(cif->rtype)) {
		closure->shim.invoke(&closure->shim, NULL, arguments, result);
		return;
	}
	closure->shim.invoke(&closure->shim, NULL, arguments, &word);
	word_widen(cif->rtype, word, result);
}

/* --- making one */

static struct closure *closure_find(struct closure *from, const struct tl_function *function,
				    const void *real)
{
	for (struct closure *it = from; it; it = it->next)
		if (it->shim.function == function &&
		    atomic_load_explicit(&it->shim.real, memory_order_relaxed) == real)
			return it;
	return NULL;
}

/*
 * The entry, once the API table has set the shim's mode. The thread that put the closure into the list
 * may be waiting for the table's lock; in a forked child it does not exist. So nobody waits for it.
 */
static void *closure_entry(struct closure *closure)
{
	/* Acquire and release, here: the shim has its mode and callbacks. */
	if (!atomic_load_explicit(&closure->adopted, memory_order_acquire)) {
		tl_api_adopt(&closure->shim, closure->of);
		atomic_store_explicit(&closure->adopted, true, memory_order_release);
	}
	return closure->shim.entry;
}

static bool closure_prepare(struct closure *closure, const struct tl_function *function)
{
	/* A function that is known by name only passes words on. */
	unsigned count = function->passed ? function->passed : function->count;
	ffi_type *result = ffi_type_of(function->result);

	closure->arguments = calloc(count + 1u, sizeof(ffi_type *));
	if (!result || !closure->arguments)
		return false;
	for (unsigned i = 0; i < count; i++) {
		closure->arguments[i] = function->passed ? ffi_integer(sizeof(uintptr_t), false)
							 : ffi_type_of(function->params[i].type);
		if (!closure->arguments[i])
			return false;
	}
	if (ffi_prep_cif(&closure->cif, FFI_DEFAULT_ABI, count, result, closure->arguments) !=
	    FFI_OK)
		return false;
	closure->writable = ffi_closure_alloc(sizeof(ffi_closure), &closure->shim.entry);
	return closure->writable &&
	       ffi_prep_closure_loc(closure->writable, &closure->cif, closure_called, closure,
				    closure->shim.entry) == FFI_OK;
}

const void *tl_closure_code(void)
{
	return (const void *)(uintptr_t)ffi_prep_closure_loc;
}

static void closure_give_back(struct closure *closure)
{
	if (closure->writable)
		ffi_closure_free(closure->writable);
	free(closure->arguments);
	free(closure);
}

static bool shim_is_generic(const struct tl_shim *shim)
{
	const struct tl_shim_library *library = tl_api_library(shim->id >> 16);

	return library && library->abi == TL_GENERIC_ABI;
}

static struct closure *closure_make(struct tl_shim *shim, void *real)
{
	bool is_generic = shim_is_generic(shim);

	/* libffi can't pass on a type that it is not told. */
	if (is_generic &&
	    (shim->signature->flags & (TL_SIGNATURE_VARIADIC | TL_SIGNATURE_UNKNOWN) ||
	     shim->signature->words > TL_SIGNATURE_WORDS))
		return NULL;
	struct closure *closure = tl_ffi_load() ? calloc(1, sizeof(*closure)) : NULL;

	if (!closure)
		return NULL;
	closure->of = shim;
	closure->is_generic = is_generic;
	closure->shim.function = shim->function;
	closure->shim.id = shim->id;
	closure->shim.invoke = shim->invoke;
	atomic_init(&closure->shim.real, real);
	if (closure_prepare(closure, shim->function))
		return closure;
	closure_give_back(closure);
	return NULL;
}

void *tl_closure_for(struct tl_shim *shim, void *real)
{
	struct closure *first = atomic_load_explicit(&closures, memory_order_acquire);
	struct closure *there = closure_find(first, shim->function, real), *fresh;

	if (there)
		return closure_entry(there);
	fresh = closure_make(shim, real);
	if (!fresh)
		return real;
	do {
		there = closure_find(first, shim->function, real);
		if (there) {
			closure_give_back(fresh);
			return closure_entry(there);
		}
		fresh->next = first;
	} while (!atomic_compare_exchange_weak_explicit(
		&closures, &first, fresh, memory_order_release, memory_order_acquire));
	return closure_entry(fresh);
}

struct tl_shim *tl_closure_at(const void *entry)
{
	for (struct closure *it = atomic_load_explicit(&closures, memory_order_acquire); it;
	     it = it->next)
		if (it->shim.entry == entry)
			return &it->shim;
	return NULL;
}

#endif
