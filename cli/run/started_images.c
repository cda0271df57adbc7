/* SPDX-License-Identifier: MIT */
/*
 * started_images.c: see started_images.h.
 */
#include "config.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/run/started_images.h"
#include "common/run_protocol.h"

struct image {
	pid_t pid;
	unsigned long long number;
	bool without;
	char *text; /* the report's message */
};

static void images_add(struct images *images, const struct image *image, const char *text)
{
	images->list = need(reallocarray(images->list, images->count + 1, sizeof(struct image)));
	images->list[images->count] = *image;
	images->list[images->count++].text = need(strdup(text));
}

void images_loaded(struct images *images, pid_t pid, unsigned long long number, const char *name)
{
	images_add(images, &(struct image){.pid = pid, .number = number}, name);
}

void images_without(struct images *images, pid_t pid, unsigned long long number,
		    const char *message)
{
	images_add(images, &(struct image){.pid = pid, .number = number, .without = true}, message);
}

/*
 * The layer came back into the process: what it tried to start did not start, or became another
 * program.
 */
static bool image_is_past(const struct images *images, const struct image *image)
{
	for (size_t i = 0; i < images->count; i++)
		if (!images->list[i].without && images->list[i].pid == image->pid &&
		    images->list[i].number > image->number)
			return true;
	return false;
}

/* The last one that the process started; of other processes, any. */
static const struct image *images_choose(const struct images *images, pid_t pid, bool any)
{
	const struct image *chosen = NULL;

	for (size_t i = 0; i < images->count; i++) {
		const struct image *one = &images->list[i];
		if (!one->without || image_is_past(images, one) || (one->pid != pid && !any))
			continue;
		if (!chosen || (one->pid == pid) > (chosen->pid == pid) ||
		    ((one->pid == pid) == (chosen->pid == pid) && one->number > chosen->number))
			chosen = one;
	}
	return chosen;
}

static void image_say(const char *head, const char *by, const char *why, const char *path)
{
	if (!strcmp(why, TL_WITHOUT_CLEARED))
		say("%s%s took LD_PRELOAD away from %s, which therefore ran without libtracelayer.so; start tracelayer after it: %s … tracelayer run -- %s",
		    head, by, path, by, path);
	else if (!strcmp(why, TL_WITHOUT_PRIVILEGED))
		say("%s%s started %s, which is set-user-id or has file capabilities, so preloading is ignored; start tracelayer after it, or run a copy "
		    "without them",
		    head, by, path);
	else if (!strcmp(why, TL_WITHOUT_STATIC))
		say("%s%s started %s, which is statically linked, so nothing can be preloaded; link it dynamically",
		    head, by, path);
	else if (!strcmp(why, TL_WITHOUT_FOREIGN))
		say("%s%s started %s, which is for another architecture; use a tracelayer built for that",
		    head, by, path);
	else if (!strcmp(why, TL_WITHOUT_LIBC))
		say("%s%s started %s, which is linked with another C library than glibc, so it ran without libtracelayer.so; link it with glibc",
		    head, by, path);
	else
		say("%s%s started %s where libtracelayer.so can't be read; make it readable there, or start tracelayer after %s",
		    head, by, path, by);
}

bool images_say(const struct images *images, pid_t pid, bool none)
{
	const struct image *image = images_choose(images, pid, none);
	char why[16], path[PATH_MAX];
	const char *by = image ? strrchr(image->text, '\n') : NULL;

	if (!by || by - image->text >= (ptrdiff_t)sizeof(path) ||
	    sscanf(image->text, "%15[a-z] %[^\n]", why, path) != 2)
		return false;
	image_say(none ? "no trace: " : "", by + 1, why, path);
	return true;
}

/* What gives programs a root of their own. */
static const char *const sandboxes[] = {
	"bwrap",  "chroot", "crun", "firejail", "flatpak",	  "minijail0", "nsenter",
	"nsjail", "proot",  "runc", "schroot",	"systemd-nspawn", "unshare"};

/* The last that the layer came into. */
static const struct image *images_newest(const struct images *images)
{
	const struct image *newest = NULL;

	for (size_t i = 0; i < images->count; i++) {
		const struct image *one = &images->list[i];
		if (!one->without && (!newest || one->number > newest->number))
			newest = one;
	}
	return newest;
}

const char *images_sandbox(const struct images *images)
{
	const struct image *newest = images_newest(images);

	for (size_t i = 0; newest && i < sizeof(sandboxes) / sizeof(*sandboxes); i++)
		if (!strcmp(newest->text, sandboxes[i]))
			return sandboxes[i];
	return NULL;
}

bool images_mounted(const struct images *images)
{
	const struct image *newest = images_newest(images);

	return newest && (!strcmp(newest->text, "mount") || !strcmp(newest->text, "pivot_root"));
}

void images_forget(struct images *images)
{
	for (size_t i = 0; i < images->count; i++)
		free(images->list[i].text);
	free(images->list);
	*images = (struct images){0};
}
