/* SPDX-License-Identifier: MIT */
/*
 * dlsym.c: see dlsym.h.
 *
 * The exported dlsym and dlvsym are a few instructions: keep the arguments, call tl_dlsym_hook, and
 * either return its answer or jump to the function that it returns, with the arguments and the
 * return address as they came. The hook answers only for names that have a shim. At a new handle it
 * first looks for libraries that were opened with RTLD_DEEPBIND (deep_bound.h).
 *
 *	caller's library	question		answer
 *	-------------------------------------------------------------------------------------
 *	any			name without a shim	the real dlsym's
 *	program			a loader's handle, and	ours
 *				zelTracerCreate or
 *				its kin
 *	loader or driver	handle			the real one's; the library it lies in
 *							becomes a driver
 *	loader or driver	RTLD_DEFAULT, or us	what it would be if we weren't there;
 *						the shim, if it is an interposer's
 *	program			handle, into a loader	the shim (or a closure, for a second
 *							loader)
 *	program			handle, elsewhere	the real one's: a driver's own function
 *							stays itself
 *	program			handle, elsewhere, and	a closure: the program has no loader, and
 *				a function that gives	asks the driver for all functions
 *				out others, which
 *				loaders don't export
 *	program			RTLD_DEFAULT, or us	the shim, if there would be something
 *							without us
 *	program			RTLD_NEXT		the same, looking behind the caller; but
 *							a library that itself defines the name
 *							is another interposer, and gets what is
 *							next
 *
 * A lookup that finds nothing without us must fail as it does without us, with the same dlerror. So
 * the real dlsym is asked for the name with a DEL character behind it, which no library defines,
 * and our dlerror removes that from the message.
 */
#include "layer/resolve/api_table.h"
#include "layer/resolve/dlsym.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "layer/base/run_report.h"
#include "layer/buffers/process_state.h"
#include "layer/resolve/closure.h"
#include "layer/resolve/deep_bound.h"
#include "layer/resolve/dlsym_lookup.h"
#include "layer/resolve/library_roles.h"
#include "layer/resolve/real_function.h"
#include "layer/resolve/shim_names.h"

#define ABSENT '\177'

TL_EXPORT char *tl_dlerror(void) __asm__("dlerror");

#if defined(__x86_64__)
#define ENTRY(name, version, hook)                                                                 \
	__asm__(".text\n.globl " name "\n.type " name ", @function\n.p2align 4\n" name ":\n"       \
		".cfi_startproc\n endbr64\n"                                                       \
		" sub $40, %rsp\n .cfi_adjust_cfa_offset 40\n"                                     \
		" mov %rdi, (%rsp)\n mov %rsi, 8(%rsp)\n mov" version                              \
		", 16(%rsp)\n movq $0, 24(%rsp)\n"                                                 \
		" mov %rsp, %rdi\n mov 40(%rsp), %rsi\n call " hook "\n mov %rax, %r11\n"          \
		" mov (%rsp), %rdi\n mov 8(%rsp), %rsi\n mov 16(%rsp), %rdx\n mov 24(%rsp), "      \
		"%rax\n"                                                                           \
		" add $40, %rsp\n .cfi_adjust_cfa_offset -40\n"                                    \
		" test %r11, %r11\n je 1f\n jmp *%r11\n1: ret\n"                                   \
		".cfi_endproc\n.size " name ", . - " name "\n")
ENTRY("dlsym", "q $0", "tl_dlsym_hook");
ENTRY("dlvsym", " %rdx", "tl_dlsym_hook");
ENTRY("tl_dlsym_deep", "q $0", "tl_dlsym_deep_hook");
ENTRY("tl_dlvsym_deep", " %rdx", "tl_dlsym_deep_hook");
#elif defined(__aarch64__)
#define ENTRY(name, version, hook)                                                                 \
	__asm__(".text\n.globl " name "\n.type " name ", %function\n.p2align 4\n" name ":\n"       \
		".cfi_startproc\n hint #34\n"                                                      \
		" stp x29, x30, [sp, #-48]!\n .cfi_def_cfa_offset 48\n .cfi_offset 29, -48\n "     \
		".cfi_offset 30, -40\n"                                                            \
		" mov x29, sp\n stp x0, x1, [sp, #16]\n stp " version ", xzr, [sp, #32]\n"         \
		" add x0, sp, #16\n mov x1, x30\n bl " hook "\n mov x16, x0\n"                     \
		" ldp x0, x1, [sp, #16]\n ldp x2, x3, [sp, #32]\n ldp x29, x30, [sp], #48\n"       \
		" .cfi_restore 29\n .cfi_restore 30\n .cfi_def_cfa_offset 0\n"                     \
		" cbz x16, 1f\n br x16\n1: mov x0, x3\n ret\n"                                     \
		".cfi_endproc\n.size " name ", . - " name "\n")
ENTRY("dlsym", "xzr", "tl_dlsym_hook");
ENTRY("dlvsym", "x2", "tl_dlsym_hook");
ENTRY("tl_dlsym_deep", "xzr", "tl_dlsym_deep_hook");
ENTRY("tl_dlvsym_deep", "x2", "tl_dlsym_deep_hook");
#endif

/* --- answers */

static void *lookup_jump(const struct tl_lookup *lookup)
{
	return lookup->question->version ? (void *)lookup->real->next.dlvsym
					 : (void *)lookup->real->next.dlsym;
}

static void *lookup_answer(const struct tl_lookup *lookup, void *pointer)
{
	lookup->question->answer = pointer;
	return NULL;
}

/* A name with a DEL character behind it, kept for the next time. */
struct absent {
	struct absent *next;
	char name[];
};

/* Entries are only added, at the head. */
static _Atomic(struct absent *) absents;

static const char *absent_name(const char *name)
{
	struct absent *first = atomic_load_explicit(&absents, memory_order_acquire);
	size_t length = strlen(name);

	for (const struct absent *it = first; it; it = it->next)
		if (!strncmp(it->name, name, length) && it->name[length] == ABSENT)
			return it->name;
	struct absent *fresh = malloc(sizeof(*fresh) + length + 2);

	if (!fresh)
		return name;
	memcpy(fresh->name, name, length);
	fresh->name[length] = ABSENT;
	fresh->name[length + 1] = '\0';
	do {
		fresh->next = first;
	} while (!atomic_compare_exchange_weak_explicit(
		&absents, &first, fresh, memory_order_release, memory_order_acquire));
	return fresh->name;
}

static void *lookup_fail(const struct tl_lookup *lookup)
{
	lookup->question->name = absent_name(lookup->question->name);
	return lookup_jump(lookup);
}

const struct tl_known_library *tl_lookup_asking_library(const void *caller)
{
	const struct tl_known_library *asking = tl_roles_at(caller);

	return asking && asking->role != TL_ROLE_LINKED ? asking : NULL;
}

/*
 * A traced library asks for a function of its own, and may compare the answer with its pointer to it,
 * which is the shim's (tl_resolve_own), as ruby's extensions do to see that they have the right
 * libruby. The built-in APIs' loaders make tables for their drivers of what they ask for.
 */
static bool lookup_is_for_own(const struct tl_lookup *lookup, const void *pointer)
{
	const struct tl_known_library *asking = tl_lookup_asking_library(lookup->caller);

	return asking && asking->role == TL_ROLE_LOADER && tl_roles_at(pointer) == asking &&
	       !tl_shim_names_is_builtin(lookup->question->name);
}

/* What it calls by the answer is its own. */
static void *lookup_give_own(const struct tl_lookup *lookup, void *pointer)
{
	tl_api_by_caller(&lookup->shim, 1);
	return lookup_answer(lookup, tl_resolve_closure(lookup->shim, pointer));
}

/* Without us the caller would have got `pointer`: the answer is made from that. */
static void *lookup_give(const struct tl_lookup *lookup, void *pointer)
{
	if (!pointer)
		return lookup_fail(lookup);
	if (lookup_is_for_own(lookup, pointer))
		return lookup_give_own(lookup, pointer);
	/* Of the libraries of interposers, each may call the others. */
	bool is_real = lookup->foreign && tl_shim_names_is_builtin(lookup->question->name);

	return lookup_answer(lookup, is_real ? pointer : tl_resolve_closure(lookup->shim, pointer));
}

/*
 * What comes behind us. It is an interposer's shim where the user has put that behind us in LD_PRELOAD.
 * An interposer may have functions that the loaded version of its library lacks.
 */
static void *lookup_behind_us(const struct tl_lookup *lookup)
{
	void *behind = tl_question_ask(&lookup->real->libc, lookup->question, RTLD_NEXT);

	return tl_roles_is_own_at(behind) && !tl_lookup_in_any(lookup) ? NULL : behind;
}

static void *answer_default(const struct tl_lookup *lookup)
{
	void *global = tl_question_ask(&lookup->real->libc, lookup->question, RTLD_DEFAULT);

	if (tl_roles_is_own_at(global)) {
		void *behind = lookup_behind_us(lookup);

		return lookup_give(lookup, behind ? behind : tl_lookup_in_scope(lookup));
	}
	if (!global)
		global = tl_lookup_in_scope(lookup);
	return !lookup->foreign && tl_roles_is_loader_at(global) ? lookup_give(lookup, global)
								 : lookup_jump(lookup);
}

/* To a library that was opened with RTLD_DEEPBIND: what it needs comes before the global scope. */
static void *answer_deep_default(const struct tl_lookup *lookup)
{
	void *own = tl_lookup_in_scope(lookup);

	if (!own)
		return answer_default(lookup);
	return !lookup->foreign && tl_roles_is_loader_at(own) ? lookup_give(lookup, own)
							      : lookup_jump(lookup);
}

static void *answer_next(const struct tl_lookup *lookup)
{
	void *in_loader;

	if (tl_lookup_behind_caller(lookup, &in_loader))
		return lookup_give(lookup, lookup_behind_us(lookup));
	return !lookup->foreign && in_loader ? lookup_give(lookup, in_loader) : lookup_jump(lookup);
}

/*
 * The handle led to our own function: it is the program's handle (dlopen of NULL), or a handle of a
 * library that needs us.
 */
static void *answer_past_us(const struct tl_lookup *lookup, void *ours)
{
	struct link_map *library = NULL;

	if (dlinfo(lookup->question->handle, RTLD_DI_LINKMAP, &library) || !library)
		return lookup_answer(lookup, ours);
	if (!library->l_name[0])
		return lookup_give(lookup, lookup_behind_us(lookup));
	void *theirs = tl_lookup_in_library(lookup, library->l_ld);

	return theirs ? lookup_give(lookup, theirs) : lookup_answer(lookup, ours);
}

/* --- a driver that is used without its loader */

struct bypass {
	const void *pointer; /* lies in the driver */
	const char *const *loaders;
	const char *api; /* the API has no shims: which option gives them; or NULL */
};

static void bypass_report(const struct tl_loaded *loaded, void *closure)
{
	const struct bypass *bypass = closure;
	const struct tl_elf *driver = tl_loaded_at(loaded, bypass->pointer);

	for (const char *const *soname = bypass->loaders; *soname; soname++)
		for (unsigned i = 1; i < loaded->count; i++)
			if (tl_elf_is_named(&loaded->elf[i], *soname)) {
				/* The loader asks its driver. The program may close it before its end. */
				if (bypass->api)
					tl_report_bypassed(*soname, *soname, bypass->api);
				return;
			}
	if (driver && driver != loaded->elf)
		tl_report_bypassed(driver->path, *bypass->loaders, bypass->api);
}

/*
 * The program has taken a function from a library that is no loader. It may be any library. It is a
 * driver if its role says so. A function that gives out others is all that an OpenCL driver need
 * have.
 */
static void bypass_note(const struct tl_lookup *lookup, const void *pointer)
{
	const struct tl_function *function = lookup->shim->function;
	const struct tl_known_library *there = tl_roles_at(pointer);
	struct bypass bypass = {pointer, function->api->sonames, NULL};

	if (tl_report_is_asked() && bypass.loaders && *bypass.loaders &&
	    (function->flags & TL_FUNCTION_GETPROC || (there && there->role == TL_ROLE_DRIVER)))
		tl_loaded_with(bypass_report, &bypass);
}

/* The same of Vulkan, where no option asks for its shims. */
static void bypass_note_unshimmed(const struct tl_lookup *lookup)
{
	static const char *const loaders[] = {"libvulkan.so.1", NULL};
	const struct tl_question *question = lookup->question;
	struct bypass bypass = {NULL, loaders, "vulkan"};

	if (!question->name || !tl_elf_begins(question->name, "vk_icd") ||
	    !tl_elf_same(question->name, "vk_icdGetInstanceProcAddr") || !tl_report_is_asked() ||
	    question->handle == RTLD_DEFAULT || question->handle == RTLD_NEXT)
		return;
	/* If there is none, the program's own question sets dlerror anew. */
	bypass.pointer = tl_question_ask(&lookup->real->next, question, question->handle);
	if (bypass.pointer)
		tl_loaded_with(bypass_report, &bypass);
}

/* The closure is the driver's alone: a loader that is opened later has functions of its own. */
static void *answer_drivers_getproc(const struct tl_lookup *lookup, void *pointer)
{
	void *given = lookup->foreign ? pointer : tl_closure_for(lookup->shim, pointer);

	if (given == pointer && !lookup->foreign)
		bypass_note(lookup, pointer);
	return lookup_answer(lookup, given);
}

bool tl_lookup_is_of_linked_loader(const struct tl_lookup *lookup)
{
	const struct tl_known_library *asking = tl_roles_at(lookup->caller);

	return asking && asking->role == TL_ROLE_LINKED;
}

static void *answer_handle(const struct tl_lookup *lookup)
{
	void *pointer =
		tl_question_ask(&lookup->real->next, lookup->question, lookup->question->handle);

	if (!pointer)
		return lookup_answer(lookup, NULL);
	if (tl_roles_is_own_at(pointer))
		return answer_past_us(lookup, pointer);
	if (lookup_is_for_own(lookup, pointer))
		return lookup_give_own(lookup, pointer);
	if (!lookup->foreign && tl_resolve_is_loaders(lookup->shim, pointer))
		return lookup_give(lookup, pointer);
	/* What it asks another library for is a driver's. */
	if (tl_lookup_is_of_linked_loader(lookup)) {
		tl_roles_note_driver(pointer);
		return lookup_answer(lookup, pointer);
	}
	if (tl_shim_flags_are_drivers_getproc(lookup->shim->function->flags))
		return answer_drivers_getproc(lookup, pointer);
	if (lookup->foreign)
		tl_roles_note_driver(pointer);
	else
		bypass_note(lookup, pointer);
	return lookup_answer(lookup, pointer);
}

/*
 * Names that are answered even before the runtime has started. A tool's constructor runs before
 * ours: it must not get one part of the tracing interface from the loader and the other from us.
 */
static bool name_is_ours(const char *name)
{
	return tl_elf_begins(name, "zel") || tl_shim_names_is_builtin(name);
}

/*
 * Called by the assembly above. Returns the function to jump to, with the question's arguments,
 * which this may change; or NULL: return the question's answer. A name without a shim costs its
 * hash.
 */
static void *question_answer(struct tl_question *question, const void *caller, bool is_deep)
{
	struct tl_lookup lookup = {.question = question, .real = tl_real_dl(), .caller = caller};
	const struct tl_known_library *asking;
	int saved = errno;

	/*
	 * A sanitizer asks for the functions that it intercepts. Until it has them, no function of
	 * libc may be called.
	 */
	if (tl_process_is_confined() ||
	    (!tl_process_is_started() && !(question->name && name_is_ours(question->name))))
		return lookup_jump(&lookup);
	tl_process_start();
	tl_deep_bound_look(question->handle);
	lookup.shim = question->name ? tl_shim_names_find(question->name) : NULL;
	if (!lookup.shim) {
		void *ours = tl_zel_lookup(&lookup);

		tl_zel_notice_linked_loader(&lookup);
		bypass_note_unshimmed(&lookup);
		errno = saved;
		return ours ? lookup_answer(&lookup, ours) : lookup_jump(&lookup);
	}
	tl_roles_look();
	tl_zel_tell_linked_loader_apart(&lookup);
	asking = tl_lookup_asking_library(caller);
	lookup.foreign = asking && asking->role != TL_ROLE_OWN;
	void *next;

	if (asking && asking->role == TL_ROLE_OWN)
		next = lookup_jump(&lookup);
	else if (question->handle == RTLD_DEFAULT)
		next = is_deep ? answer_deep_default(&lookup) : answer_default(&lookup);
	else if (question->handle == RTLD_NEXT && is_deep)
		next = lookup_jump(&lookup);
	else if (question->handle == RTLD_NEXT)
		next = answer_next(&lookup);
	else
		next = answer_handle(&lookup);
	errno = saved;
	return next;
}

__attribute__((used, visibility("hidden"))) void *tl_dlsym_hook(struct tl_question *question,
								const void *caller)
{
	return question_answer(question, caller, false);
}

__attribute__((used, visibility("hidden"))) void *tl_dlsym_deep_hook(struct tl_question *question,
								     const void *caller)
{
	return question_answer(question, caller, true);
}

/*
 * The real dlerror's message, without the DEL that lookup_fail() put behind the name. The message
 * is libc's own copy, which may be changed.
 */
char *tl_dlerror(void)
{
	char *message = tl_real_dl()->next.dlerror ? tl_real_dl()->next.dlerror() : NULL;
	char *mark = message ? strchr(message, ABSENT) : NULL;

	if (mark)
		memmove(mark, mark + 1, strlen(mark));
	return message;
}
