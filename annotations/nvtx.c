/* SPDX-License-Identifier: MIT */
/*
 * nvtx.c: ranges, marks and names of programs that are annotated with NVTX.
 *
 * NVTX is compiled into the program. Its first call loads the library that NVTX_INJECTION64_PATH
 * names, and calls InitializeInjectionNvtx2. A program has a copy of NVTX for each of its libraries
 * that uses it; each copy does so. The program's handles of domains and strings are addresses of
 * what this library keeps about them. The handle NULL is the domain without a name.
 *
 * Functions that name objects of CUDA and OpenCL, resources, and the extension for payloads with a
 * schema stay as they are without a tool: they do nothing.
 */
#include <errno.h>
#include <string.h>

#include "annotations/annotation_ranges.h"
#include "annotations/annotation_threads.h"
#include "annotations/nvtx_abi.h"

/* What a mark or a range without a text is called. */
static uint32_t nameless_text(struct annotation_thread *thread)
{
	return annotation_text(thread, "(no text)");
}

static struct annotation_domain *domain_of(void *handle)
{
	return handle ? handle : annotation_domain_default(ANNOTATION_NVTX);
}

static uint32_t text_number(struct annotation_thread *thread, int type, const union nvtx_text *text)
{
	if (type == NVTX_TEXT_REGISTERED)
		return annotation_string_number(text->registered);
	if (type == NVTX_TEXT_ASCII)
		return annotation_text(thread, text->plain);
	return type == NVTX_TEXT_WIDE ? annotation_wide(text->wide) : 0;
}

static uint64_t double_bits(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static void about_add_payload(struct annotation_about *about, const struct nvtx_attributes *given)
{
	static const uint8_t kinds[] = {
		[NVTX_PAYLOAD_UINT64] = TL_VALUE_UNSIGNED_64,
		[NVTX_PAYLOAD_INT64] = TL_VALUE_SIGNED_64,
		[NVTX_PAYLOAD_DOUBLE] = TL_VALUE_DOUBLE_64,
		[NVTX_PAYLOAD_UINT32] = TL_VALUE_UNSIGNED_64,
		[NVTX_PAYLOAD_INT32] = TL_VALUE_SIGNED_64,
		[NVTX_PAYLOAD_FLOAT] = TL_VALUE_DOUBLE_64,
	};
	uint64_t value = given->payload.u64;

	if (given->payload_type < NVTX_PAYLOAD_UINT64 || given->payload_type > NVTX_PAYLOAD_FLOAT)
		return;
	if (given->payload_type == NVTX_PAYLOAD_UINT32)
		value = given->payload.u32;
	else if (given->payload_type == NVTX_PAYLOAD_INT32)
		value = (uint64_t)(int64_t)given->payload.i32;
	else if (given->payload_type == NVTX_PAYLOAD_FLOAT)
		value = double_bits((double)given->payload.f32);
	annotation_add(about, ANNOTATION_KEY(payload), kinds[given->payload_type], value);
}

static void about_add_category(struct annotation_about *about, struct annotation_domain *domain,
			       uint32_t category)
{
	struct annotation_string *name = annotation_category_name(domain, category);
	uint32_t number = annotation_string_number(name);

	annotation_add(about, ANNOTATION_KEY(category),
		       number ? TL_VALUE_STRING : TL_VALUE_UNSIGNED_64, number ? number : category);
}

/* Programs of an older version may give less than the whole struct; then there is no text. */
static void about_read(struct annotation_thread *thread, struct annotation_about *about,
		       struct annotation_domain *domain, const struct nvtx_attributes *given)
{
	about->name = 0;
	about->nargs = 0;
	if (TL_LIKELY(given && given->size >= sizeof(*given))) {
		about->name = text_number(thread, given->text_type, &given->text);
		if (given->color_type == NVTX_COLOR_ARGB)
			annotation_add(about, ANNOTATION_KEY(color), TL_VALUE_STRING,
				       annotation_color(thread, given->color));
		if (given->category && domain)
			about_add_category(about, domain, given->category);
		if (given->payload_type)
			about_add_payload(about, given);
	}
	if (TL_UNLIKELY(!about->name))
		about->name = nameless_text(thread);
}

/* ---- ranges of one thread */

static int range_push(struct annotation_domain *domain, const struct nvtx_attributes *given)
{
	struct annotation_thread *thread = annotation_enter();
	struct annotation_about about;

	if (!thread)
		return NVTX_NOT_TRACKED;
	int error = errno;
	about_read(thread, &about, domain, given);
	int depth = annotation_push(thread, domain, &about, 0);
	errno = error;
	annotation_leave(thread);
	return depth;
}

static int range_pop(struct annotation_domain *domain)
{
	struct annotation_thread *thread = annotation_enter();

	if (!thread)
		return NVTX_NOT_TRACKED;
	int error = errno;
	int depth = annotation_pop(thread, domain);
	errno = error;
	annotation_leave(thread);
	return depth;
}

static int push_ex(const struct nvtx_attributes *given)
{
	return range_push(domain_of(NULL), given);
}

static int domain_push_ex(void *domain, const struct nvtx_attributes *given)
{
	return range_push(domain_of(domain), given);
}

static int push_plain(const char *text)
{
	struct nvtx_attributes given = {
		.size = sizeof(given), .text_type = NVTX_TEXT_ASCII, .text.plain = text};

	return range_push(domain_of(NULL), &given);
}

static int push_wide(const wchar_t *text)
{
	struct nvtx_attributes given = {
		.size = sizeof(given), .text_type = NVTX_TEXT_WIDE, .text.wide = text};

	return range_push(domain_of(NULL), &given);
}

static int pop_here(void)
{
	return range_pop(domain_of(NULL));
}

static int domain_pop(void *domain)
{
	return range_pop(domain_of(domain));
}

/* ---- ranges that any thread may end */

/* An end may name no domain: so ids are the interface's, not the domain's. */
static struct annotation_id id_of(uint64_t id)
{
	return (struct annotation_id){{ANNOTATION_NVTX, id}};
}

static uint64_t range_start(struct annotation_domain *domain, const struct nvtx_attributes *given)
{
	static _Atomic uint64_t last;
	struct annotation_thread *thread = annotation_enter();
	struct annotation_about about;

	if (!thread)
		return 0;
	int error = errno;
	uint64_t id = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
	about_read(thread, &about, domain, given);
	annotation_start(thread, domain, id_of(id), &about);
	errno = error;
	annotation_leave(thread);
	return id;
}

static void end_any(uint64_t id)
{
	struct annotation_thread *thread = annotation_enter();

	if (!thread)
		return;
	int error = errno;
	annotation_end(id_of(id));
	errno = error;
	annotation_leave(thread);
}

static uint64_t start_ex(const struct nvtx_attributes *given)
{
	return range_start(domain_of(NULL), given);
}

static uint64_t domain_start_ex(void *domain, const struct nvtx_attributes *given)
{
	return range_start(domain_of(domain), given);
}

static uint64_t start_plain(const char *text)
{
	struct nvtx_attributes given = {
		.size = sizeof(given), .text_type = NVTX_TEXT_ASCII, .text.plain = text};

	return range_start(domain_of(NULL), &given);
}

static uint64_t start_wide(const wchar_t *text)
{
	struct nvtx_attributes given = {
		.size = sizeof(given), .text_type = NVTX_TEXT_WIDE, .text.wide = text};

	return range_start(domain_of(NULL), &given);
}

static void domain_end(void *domain, uint64_t id)
{
	(void)domain;
	end_any(id);
}

/* ---- marks and names */

static void mark_record(struct annotation_domain *domain, const struct nvtx_attributes *given)
{
	struct annotation_thread *thread = annotation_enter();
	struct annotation_about about;

	if (!thread)
		return;
	int error = errno;
	about_read(thread, &about, domain, given);
	annotation_mark(thread, domain, &about, 0);
	errno = error;
	annotation_leave(thread);
}

static void mark_ex(const struct nvtx_attributes *given)
{
	mark_record(domain_of(NULL), given);
}

static void domain_mark_ex(void *domain, const struct nvtx_attributes *given)
{
	mark_record(domain_of(domain), given);
}

static void mark_plain(const char *text)
{
	struct nvtx_attributes given = {
		.size = sizeof(given), .text_type = NVTX_TEXT_ASCII, .text.plain = text};

	mark_record(domain_of(NULL), &given);
}

static void mark_wide(const wchar_t *text)
{
	struct nvtx_attributes given = {
		.size = sizeof(given), .text_type = NVTX_TEXT_WIDE, .text.wide = text};

	mark_record(domain_of(NULL), &given);
}

static void domain_name_category(void *handle, uint32_t category, const char *name)
{
	struct annotation_domain *domain = domain_of(handle);

	if (domain && name)
		annotation_category_set(domain, category,
					annotation_string_make(name, strlen(name)));
}

static void domain_name_category_wide(void *handle, uint32_t category, const wchar_t *name)
{
	struct annotation_domain *domain = domain_of(handle);

	if (domain)
		annotation_category_set(domain, category, annotation_string_make_wide(name));
}

static void name_category(uint32_t category, const char *name)
{
	domain_name_category(NULL, category, name);
}

static void name_category_wide(uint32_t category, const wchar_t *name)
{
	domain_name_category_wide(NULL, category, name);
}

static void name_thread(uint32_t tid, const char *plain, const wchar_t *wide)
{
	struct annotation_thread *thread = annotation_enter();

	if (!thread)
		return;
	int error = errno;
	annotation_name_thread(thread, ANNOTATION_NVTX, tid,
			       plain ? annotation_text(thread, plain) : annotation_wide(wide));
	errno = error;
	annotation_leave(thread);
}

static void name_thread_plain(uint32_t tid, const char *name)
{
	name_thread(tid, name, NULL);
}

static void name_thread_wide(uint32_t tid, const wchar_t *name)
{
	name_thread(tid, NULL, name);
}

/* ---- handles */

static void *register_string(void *domain, const char *text)
{
	(void)domain;
	return text ? annotation_string_make(text, strlen(text)) : NULL;
}

static void *register_wide(void *domain, const wchar_t *text)
{
	(void)domain;
	return annotation_string_make_wide(text);
}

static void *create_domain(const char *name)
{
	return annotation_domain_make(ANNOTATION_NVTX, name ? name : "");
}

static void *create_domain_wide(const wchar_t *name)
{
	struct annotation_string *text = annotation_string_make_wide(name);

	return create_domain(text ? text->text : NULL);
}

/* ---- the tool's side */

#define TAKE(module, function, ours) [NVTX_##module##_##function] = (void (*)(void))(ours)
static void (*const core[])(void) = {
	TAKE(CORE, MarkEx, mark_ex),
	TAKE(CORE, MarkA, mark_plain),
	TAKE(CORE, MarkW, mark_wide),
	TAKE(CORE, RangeStartEx, start_ex),
	TAKE(CORE, RangeStartA, start_plain),
	TAKE(CORE, RangeStartW, start_wide),
	TAKE(CORE, RangeEnd, end_any),
	TAKE(CORE, RangePushEx, push_ex),
	TAKE(CORE, RangePushA, push_plain),
	TAKE(CORE, RangePushW, push_wide),
	TAKE(CORE, RangePop, pop_here),
	TAKE(CORE, NameCategoryA, name_category),
	TAKE(CORE, NameCategoryW, name_category_wide),
	TAKE(CORE, NameOsThreadA, name_thread_plain),
	TAKE(CORE, NameOsThreadW, name_thread_wide),
};
static void (*const core2[])(void) = {
	TAKE(CORE2, DomainMarkEx, domain_mark_ex),
	TAKE(CORE2, DomainRangeStartEx, domain_start_ex),
	TAKE(CORE2, DomainRangeEnd, domain_end),
	TAKE(CORE2, DomainRangePushEx, domain_push_ex),
	TAKE(CORE2, DomainRangePop, domain_pop),
	TAKE(CORE2, DomainNameCategoryA, domain_name_category),
	TAKE(CORE2, DomainNameCategoryW, domain_name_category_wide),
	TAKE(CORE2, DomainRegisterStringA, register_string),
	TAKE(CORE2, DomainRegisterStringW, register_wide),
	TAKE(CORE2, DomainCreateA, create_domain),
	TAKE(CORE2, DomainCreateW, create_domain_wide),
};

/* Store our functions, as far as the program's table reaches. */
static bool module_take(const struct nvtx_callbacks *callbacks, int module,
			void (*const *ours)(void), unsigned count)
{
	void (***functions)(void) = NULL;
	unsigned known = 0;

	if (!callbacks->module_functions(module, &functions, &known) || !functions)
		return false;
	for (unsigned i = 1; i < known && i < count; i++)
		if (ours[i] && functions[i])
			*functions[i] = ours[i];
	return true;
}

/* 0: nothing is recorded here. Then NVTX closes the library, and its functions do nothing. */
TL_EXPORT int InitializeInjectionNvtx2(nvtx_get_table get_table);
TL_EXPORT int InitializeInjectionNvtx2(nvtx_get_table get_table)
{
	const struct nvtx_callbacks *callbacks = get_table ? get_table(NVTX_TABLE_CALLBACKS) : NULL;
	int error = errno;
	bool done = annotations && callbacks && callbacks->size >= sizeof(*callbacks) &&
		    callbacks->module_functions && tl_guest_joins(ANNOTATION_LEVEL) &&
		    module_take(callbacks, NVTX_MODULE_CORE, core, sizeof(core) / sizeof(*core));

	if (done) /* NVTX 1 lacks it */
		module_take(callbacks, NVTX_MODULE_CORE2, core2, sizeof(core2) / sizeof(*core2));
	errno = error;
	return done;
}
