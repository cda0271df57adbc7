/* SPDX-License-Identifier: MIT */
/*
 * dlsym.c: see dlsym.h.
 *
 * The exported dlsym and dlvsym are a few instructions: keep the arguments, ask tl_dlsym_hook, and
 * either return its answer or jump to the function it names with the arguments and the return
 * address as they came. The hook answers only for names that have a shim.
 *
 *	caller's library	question		answer
 *	-------------------------------------------------------------------------------------
 *	any			name without a shim	the real dlsym's
 *	program			a loader's handle, and	ours
 *				zelTracerCreate or
 *				its kin
 *	loader or driver	handle			the real one's; the library it lies in
 *							becomes a driver
 *	loader or driver	RTLD_DEFAULT, or us	what it would be if we weren't there
 *	program			handle, into a loader	the shim (or a closure, for a second
 *							loader)
 *	program			handle, elsewhere	the real one's: a driver's own function
 *							stays itself
 *	program			RTLD_DEFAULT, or us	the shim, if there would be something
 *							without us
 *	program			RTLD_NEXT		the same, looking behind the caller; but
 *							a library that itself defines the name
 *							is another interposer, and gets what is
 *							next
 *
 * "Nothing without us" must fail as it fails without us, dlerror and all. So the real dlsym is
 * asked for the name with a DEL behind it, which nobody defines, and our dlerror takes that out of
 * the message again.
 */
#include "layer/resolve/dlsym.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer/base/loaded_libraries.h"
#include "layer/resolve/library_roles.h"
#include "layer/resolve/shim_names.h"
#include "layer/resolve/real_function.h"
#include "layer/process/runtime.h"

#define ABSENT '\177'

/* What dlsym was called with, as the assembly below lays it out on the stack. The hook may change
 * it. */
struct question {
	void *handle;
	const char *name;
	const char *version; /* NULL: dlsym */
	void *answer;	     /* used where the hook returns NULL */
};

TL_EXPORT char *tl_dlerror(void) __asm__("dlerror");
void *tl_dlsym_hook(struct question *question, const void *caller);

#if defined(__x86_64__)
#define ENTRY(name, version)                                                                       \
	__asm__(".text\n.globl " name "\n.type " name ", @function\n.p2align 4\n" name ":\n"       \
		".cfi_startproc\n endbr64\n"                                                       \
		" sub $40, %rsp\n .cfi_adjust_cfa_offset 40\n"                                     \
		" mov %rdi, (%rsp)\n mov %rsi, 8(%rsp)\n mov" version                              \
		", 16(%rsp)\n movq $0, 24(%rsp)\n"                                                 \
		" mov %rsp, %rdi\n mov 40(%rsp), %rsi\n call tl_dlsym_hook\n mov %rax, %r11\n"     \
		" mov (%rsp), %rdi\n mov 8(%rsp), %rsi\n mov 16(%rsp), %rdx\n mov 24(%rsp), "      \
		"%rax\n"                                                                           \
		" add $40, %rsp\n .cfi_adjust_cfa_offset -40\n"                                    \
		" test %r11, %r11\n je 1f\n jmp *%r11\n1: ret\n"                                   \
		".cfi_endproc\n.size " name ", . - " name "\n")
ENTRY("dlsym", "q $0");
ENTRY("dlvsym", " %rdx");
#elif defined(__aarch64__)
#define ENTRY(name, version)                                                                       \
	__asm__(".text\n.globl " name "\n.type " name ", %function\n.p2align 4\n" name ":\n"       \
		".cfi_startproc\n hint #34\n"                                                      \
		" stp x29, x30, [sp, #-48]!\n .cfi_def_cfa_offset 48\n .cfi_offset 29, -48\n "     \
		".cfi_offset 30, -40\n"                                                            \
		" mov x29, sp\n stp x0, x1, [sp, #16]\n stp " version ", xzr, [sp, #32]\n"         \
		" add x0, sp, #16\n mov x1, x30\n bl tl_dlsym_hook\n mov x16, x0\n"                \
		" ldp x0, x1, [sp, #16]\n ldp x2, x3, [sp, #32]\n ldp x29, x30, [sp], #48\n"       \
		" .cfi_restore 29\n .cfi_restore 30\n .cfi_def_cfa_offset 0\n"                     \
		" cbz x16, 1f\n br x16\n1: mov x0, x3\n ret\n"                                     \
		".cfi_endproc\n.size " name ", . - " name "\n")
ENTRY("dlsym", "xzr");
ENTRY("dlvsym", "x2");
#endif

/* --- the real ones */

/* libc's, and the next after us, which is another interposer's where there is one. */
struct real {
	struct tl_dl libc, next;
};

static struct real real;
static _Atomic int real_found;

static void *defined(const struct tl_elf *elf, const char *name)
{
	const ElfW(Sym) *symbol = tl_elf_lookup(elf, name, tl_elf_hash(name), NULL);

	return symbol ? (void *)(elf->base + symbol->st_value) : NULL;
}

static void dl_take(struct tl_dl *from, const struct tl_elf *elf)
{
	if (!from->dlsym)
		from->dlsym = defined(elf, "dlsym");
	if (!from->dlvsym)
		from->dlvsym = defined(elf, "dlvsym");
	if (!from->dlerror)
		from->dlerror = defined(elf, "dlerror");
}

/* Before glibc 2.34 they were in a library of their own; musl has them in its only one. */
static bool is_libc(const struct tl_elf *elf)
{
	return tl_elf_is_named(elf, "libc.so.6") || tl_elf_is_named(elf, "libdl.so.2") ||
	       (elf->soname && tl_elf_begins(elf->soname, "libc.musl"));
}

/* Before any constructor of ours: what is loaded then is there from the start. */
struct early {
	struct real *found;
	bool behind; /* us */
};

static bool find_real_early(const struct tl_elf *elf, void *closure)
{
	struct early *early = closure;

	if (is_libc(elf))
		dl_take(&early->found->libc, elf);
	if (early->behind)
		dl_take(&early->found->next, elf);
	early->behind |= defined(elf, "dlsym") == (void *)dlsym;
	return false;
}

static void find_real(const struct tl_loaded *loaded, void *closure)
{
	struct real *found = closure;
	const struct tl_elf *own = tl_loaded_at(loaded, (void *)tl_dlsym_hook);

	for (unsigned i = 0; i < loaded->count; i++) {
		const struct tl_elf *elf = &loaded->elf[i];

		if (is_libc(elf))
			dl_take(&found->libc, elf);
		if (own && elf > own && i < loaded->startup)
			dl_take(&found->next, elf);
	}
}

static void complete(struct real *found)
{
	if (!found->next.dlsym)
		found->next.dlsym = found->libc.dlsym;
	if (!found->next.dlvsym)
		found->next.dlvsym = found->libc.dlvsym;
	if (!found->next.dlerror)
		found->next.dlerror = found->libc.dlerror;
}

/* Threads that come here at the same time all store the same. */
static const struct real *real_functions(void)
{
	if (atomic_load_explicit(&real_found, memory_order_acquire))
		return &real;
	struct real found = {.libc = {0}};

	if (tl_runtime_is_started())
		tl_loaded_with(find_real, &found);
	else
		tl_loaded_each_early(find_real_early, &(struct early){.found = &found});
	complete(&found);
	real = found;
	atomic_store_explicit(&real_found, found.libc.dlsym != NULL, memory_order_release);
	return &real;
}

const struct tl_dl *tl_dl(void)
{
	return &real_functions()->libc;
}

void *tl_dlsym_next(const char *name)
{
	const struct tl_dl *dl = tl_dl();
	void *function = dl->dlsym(RTLD_NEXT, name);

	if (!function && dl->dlerror)
		dl->dlerror();
	return function;
}

/* Asked by us: the scope of RTLD_DEFAULT and RTLD_NEXT is ours, so the call must not become a jump.
 */
static void *ask(const struct tl_dl *dl, const struct question *question, void *handle)
{
	void *answer = question->version ? dl->dlvsym(handle, question->name, question->version)
					 : dl->dlsym(handle, question->name);

	__asm__ volatile("" : "+r"(answer));
	return answer;
}

/* --- what there would be without us */

enum finding { FOUND_NOT, FOUND_LOADER, FOUND_OTHER };

struct search {
	const struct question *question;
	const struct tl_shim *shim;
	const void *caller;
	uint32_t hash;
	bool caller_defines; /* the caller's library defines the name itself */
	bool we_are_next;  /* it stands before us in the global scope, and nobody between defines it
			    */
	struct tl_elf elf; /* where it was found */
	const ElfW(Sym) *symbol;
	enum finding finding;
};

static bool matches(const struct tl_elf *elf, void *closure)
{
	struct search *search = closure;
	enum tl_role role = tl_roles_of(elf);

	if (role == TL_ROLE_OWN)
		return false;
	search->symbol =
		tl_elf_lookup(elf, search->question->name, search->hash, search->question->version);
	if (!search->symbol)
		return false;
	search->elf = *elf;
	search->finding = role == TL_ROLE_LOADER ? FOUND_LOADER : FOUND_OTHER;
	return true;
}

static bool is_it(const struct tl_elf *elf, void *closure)
{
	return elf == closure;
}

/* The scope that a library opened by dlopen has of its own: what it needs, and what those libraries
 * need that brought it. */
static bool search_local(const struct tl_loaded *loaded, const struct tl_elf *root,
			 struct search *search)
{
	if (!root)
		return false;
	if (tl_loaded_scope(loaded, root, matches, search))
		return true;
	for (unsigned i = loaded->startup; i < loaded->count; i++)
		if (&loaded->elf[i] != root &&
		    tl_loaded_scope(loaded, &loaded->elf[i], is_it, (void *)root) &&
		    tl_loaded_scope(loaded, &loaded->elf[i], matches, search))
			return true;
	return false;
}

static bool defines(const struct search *search, const struct tl_elf *elf)
{
	return tl_elf_lookup(elf, search->question->name, search->hash,
			     search->question->version) != NULL;
}

static bool are_next(const struct tl_loaded *loaded, const struct search *search,
		     const struct tl_elf *caller)
{
	const struct tl_elf *own = tl_loaded_at(loaded, search->shim->entry);

	if (!own || !defines(search, own) || own >= loaded->elf + loaded->startup)
		return false;
	for (const struct tl_elf *elf = caller + 1; elf < own; elf++)
		if (defines(search, elf))
			return false;
	return caller < own;
}

static void search_default(const struct tl_loaded *loaded, void *closure)
{
	struct search *search = closure;

	search_local(loaded, tl_loaded_at(loaded, search->caller), search);
}

static void search_next(const struct tl_loaded *loaded, void *closure)
{
	struct search *search = closure;
	const struct tl_elf *caller = tl_loaded_at(loaded, search->caller);

	if (!caller)
		return;
	search->caller_defines = defines(search, caller);
	search->we_are_next = are_next(loaded, search, caller);
	if (search->caller_defines || search->we_are_next)
		return;
	for (const struct tl_elf *elf = caller + 1; elf < loaded->elf + loaded->startup; elf++)
		if (matches(elf, search))
			return;
	if (caller >= loaded->elf + loaded->startup)
		tl_loaded_scope(loaded, caller, matches, search);
}

struct handle_search {
	struct search search;
	const ElfW(Dyn) *dynamic; /* of the library behind the handle */
};

static void search_handle(const struct tl_loaded *loaded, void *closure)
{
	struct handle_search *handle = closure;

	for (unsigned i = 0; i < loaded->count; i++)
		if (loaded->elf[i].dynamic == handle->dynamic)
			tl_loaded_scope(loaded, &loaded->elf[i], matches, &handle->search);
}

static void *found(const struct search *search)
{
	return search->finding ? tl_elf_address(&search->elf, search->symbol) : NULL;
}

/* --- answers */

struct hook {
	struct question *question;
	const struct real *real;
	struct tl_shim *shim;
	const void *caller;
	bool foreign; /* a loader or a driver asks */
};

static void *jump(const struct hook *hook)
{
	return hook->question->version ? (void *)hook->real->next.dlvsym
				       : (void *)hook->real->next.dlsym;
}

static void *answer(const struct hook *hook, void *pointer)
{
	hook->question->answer = pointer;
	return NULL;
}

/* A name with a DEL behind it, kept for the next time. */
struct absent {
	struct absent *next;
	char name[];
};

/* Only ever added to, at its head. */
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

static void *fail(const struct hook *hook)
{
	hook->question->name = absent_name(hook->question->name);
	return jump(hook);
}

/* The caller would have got `pointer` without us. */
static void *give(const struct hook *hook, void *pointer)
{
	if (!pointer)
		return fail(hook);
	return answer(hook, hook->foreign ? pointer : tl_resolve_closure(hook->shim, pointer));
}

static bool is_own(const void *pointer)
{
	const struct tl_known_library *there = tl_roles_at(pointer);

	return there && there->role == TL_ROLE_OWN;
}

static bool is_loaders(const void *pointer)
{
	const struct tl_known_library *there = tl_roles_at(pointer);

	return there && there->role == TL_ROLE_LOADER;
}

/* NULL: the program. */
static const struct tl_known_library *who_asks(const void *caller)
{
	const struct tl_known_library *asking = tl_roles_at(caller);

	return asking && asking->role != TL_ROLE_LINKED ? asking : NULL;
}

static struct search search_of(const struct hook *hook)
{
	return (struct search){.question = hook->question,
			       .shim = hook->shim,
			       .caller = hook->caller,
			       .hash = tl_elf_hash(hook->question->name)};
}

static void *ask_default(const struct hook *hook)
{
	struct search search = search_of(hook);
	void *global = ask(&hook->real->libc, hook->question, RTLD_DEFAULT);

	if (is_own(global)) {
		void *behind = ask(&hook->real->libc, hook->question, RTLD_NEXT);

		if (!behind) {
			tl_loaded_with(search_default, &search);
			behind = found(&search);
		}
		return give(hook, behind);
	}
	if (!global) {
		tl_loaded_with(search_default, &search);
		global = found(&search);
	}
	return !hook->foreign && is_loaders(global) ? give(hook, global) : jump(hook);
}

static void *ask_next(const struct hook *hook)
{
	struct search search = search_of(hook);

	tl_loaded_with(search_next, &search);
	if (search.we_are_next)
		return give(hook, ask(&hook->real->libc, hook->question, RTLD_NEXT));
	return !hook->foreign && search.finding == FOUND_LOADER ? give(hook, found(&search))
								: jump(hook);
}

/* The handle led to our own function: it is the program's (dlopen of NULL), or that of a library
 * which needs us. */
static void *ask_past_us(const struct hook *hook, void *ours)
{
	struct link_map *library = NULL;
	struct handle_search handle = {.search = search_of(hook)};

	if (dlinfo(hook->question->handle, RTLD_DI_LINKMAP, &library) || !library)
		return answer(hook, ours);
	if (!library->l_name[0])
		return give(hook, ask(&hook->real->libc, hook->question, RTLD_NEXT));
	handle.dynamic = library->l_ld;
	tl_loaded_with(search_handle, &handle);
	return handle.search.finding ? give(hook, found(&handle.search)) : answer(hook, ours);
}

static void *ask_handle(const struct hook *hook)
{
	void *pointer = ask(&hook->real->next, hook->question, hook->question->handle);

	if (!pointer)
		return answer(hook, NULL);
	if (is_own(pointer))
		return ask_past_us(hook, pointer);
	if (hook->foreign)
		tl_roles_note_driver(pointer);
	else if (is_loaders(pointer))
		return give(hook, pointer);
	return answer(hook, pointer);
}

/* --- Level Zero's tracing interface */

struct own_search {
	const char *name;
	void *function;
};

static void search_own(const struct tl_loaded *loaded, void *closure)
{
	struct own_search *search = closure;
	const struct tl_elf *own = tl_loaded_at(loaded, (void *)tl_dlsym_hook);

	search->function = own ? defined(own, search->name) : NULL;
}

static void *own_symbol(const char *name)
{
	struct own_search search = {.name = name};

	tl_loaded_with(search_own, &search);
	return search.function;
}

#define REGISTER_BEGINS "zelTracer"
#define REGISTER_ENDS	"RegisterCallback"

static bool is_register(const char *name)
{
	size_t length = strlen(name), end = strlen(REGISTER_ENDS);

	return tl_elf_begins(name, REGISTER_BEGINS) && length > end &&
	       !strcmp(name + length - end, REGISTER_ENDS);
}

/* What it registers for is known by name only, so that ours only stands in the loader's place. */
static bool is_stand_in(const char *name)
{
	int length = (int)(strlen(name) - strlen(REGISTER_BEGINS REGISTER_ENDS));
	char function[128];
	const struct tl_shim *shim;

	snprintf(function, sizeof(function), "ze%.*s", length, name + strlen(REGISTER_BEGINS));
	shim = tl_shim_names_find(function);
	if (!shim) {
		snprintf(function, sizeof(function), "zer%.*s", length,
			 name + strlen(REGISTER_BEGINS));
		shim = tl_shim_names_find(function);
	}
	return shim && shim->function->passed;
}

/* What the question would be answered with, were it not ours to answer. */
static void *answer_without_us(const struct hook *hook)
{
	const struct question *question = hook->question;

	/* Asked by us, what is next is next after us. */
	return question->handle == RTLD_NEXT ? ask(&hook->real->libc, question, RTLD_NEXT)
					     : ask(&hook->real->next, question, question->handle);
}

static bool is_loaders_handle(void *handle)
{
	struct link_map *library = NULL;

	return handle != RTLD_DEFAULT && handle != RTLD_NEXT &&
	       !dlinfo(handle, RTLD_DI_LINKMAP, &library) && library && is_loaders(library->l_ld);
}

/*
 * A loader that is linked into a library, as oneAPI's adapters have it, first looks up what brings
 * the dynamic one up. What it calls by name after that is the loader's business.
 */
static void notice_linked_loader(const struct hook *hook)
{
	const char *name = hook->question->name;

	if (!name || strcmp(name, "zeLoaderInit"))
		return;
	tl_roles_look();
	if (is_loaders_handle(hook->question->handle))
		tl_roles_note_linked(hook->caller);
}

static void tell_linked_loader_apart(const struct hook *hook)
{
	const struct tl_known_library *asking = tl_roles_at(hook->caller);

	if (asking && asking->role == TL_ROLE_LINKED &&
	    tl_resolve_brings_loader_up(hook->shim->function))
		tl_runtime_caller(hook->shim);
}

/*
 * What has no shim, but is ours all the same: asked of a loader, zelTracerCreate and its kin would
 * be the loader's, which knows of no layer where none was asked for, or passes the handle of our
 * tracer on to another layer. NULL: it is none of these.
 *
 * A register function that came after the descriptor was written is in the loader only. It reaches
 * another layer with our handle when the program calls it, or when the loader, called by the
 * program, looks it up in that layer.
 */
static void *tracing_interface(const struct hook *hook)
{
	const char *name = hook->question->name;
	const struct tl_known_library *asking;

	if (!name || !tl_elf_begins(name, "zel"))
		return NULL;
	tl_roles_look();
	asking = who_asks(hook->caller);
	if (asking && asking->role != TL_ROLE_LOADER)
		return NULL;
	void *own = own_symbol(name);

	if (!own)
		return is_register(name) && answer_without_us(hook)
			       ? own_symbol("tl_zel_unsupported")
			       : NULL;
	if (asking || hook->question->handle == RTLD_DEFAULT)
		return NULL;
	if (is_loaders_handle(hook->question->handle) && !(is_register(name) && is_stand_in(name)))
		return own;
	return is_loaders(answer_without_us(hook)) ? own : NULL;
}

/*
 * Names that are answered from the first question on, and not only once the runtime has started. A
 * tool's constructor comes before ours: of the tracing interface it must not get one part from the
 * loader and the other from us.
 */
static bool is_ours(const char *name)
{
	return tl_elf_begins(name, "zel") || tl_shim_names_is_builtin(name);
}

/*
 * Called by the assembly above. Returns where to jump, with the question's (perhaps changed)
 * arguments; or NULL: return the question's answer. A name without a shim costs its hash.
 */
__attribute__((used, visibility("hidden"))) void *tl_dlsym_hook(struct question *question,
								const void *caller)
{
	struct hook hook = {.question = question, .real = real_functions(), .caller = caller};
	const struct tl_known_library *asking;
	int saved = errno;

	/*
	 * A sanitizer asks for what it stands before, and until it has that, nothing of libc can be
	 * called.
	 */
	if (tl_runtime_is_confined() ||
	    (!tl_runtime_is_started() && !(question->name && is_ours(question->name))))
		return jump(&hook);
	tl_runtime_start();
	hook.shim = question->name ? tl_shim_names_find(question->name) : NULL;
	if (!hook.shim) {
		void *ours = tracing_interface(&hook);

		notice_linked_loader(&hook);

		errno = saved;
		return ours ? answer(&hook, ours) : jump(&hook);
	}
	tl_roles_look();
	tell_linked_loader_apart(&hook);
	asking = who_asks(caller);
	hook.foreign = asking && asking->role != TL_ROLE_OWN;
	void *next;

	if (asking && asking->role == TL_ROLE_OWN)
		next = jump(&hook);
	else if (question->handle == RTLD_DEFAULT)
		next = ask_default(&hook);
	else if (question->handle == RTLD_NEXT)
		next = ask_next(&hook);
	else
		next = ask_handle(&hook);
	errno = saved;
	return next;
}

/* The real dlerror's message, without the DEL that fail() put behind the name. The message is
 * libc's own copy, which may be written. */
char *tl_dlerror(void)
{
	char *message = real_functions()->next.dlerror ? real_functions()->next.dlerror() : NULL;
	char *mark = message ? strchr(message, ABSENT) : NULL;

	if (mark)
		memmove(mark, mark + 1, strlen(mark));
	return message;
}
