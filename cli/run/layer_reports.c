/* SPDX-License-Identifier: MIT */
/*
 * layer_reports.c: see layer_reports.h. Each report is a symbolic link, of which the name and the
 * target are the message.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/leftovers/leftovers.h"
#include "cli/run/layer_reports.h"
#include "common/places.h"
#include "common/run_protocol.h"
#include "format/file/trace_file.h"

/* ---- the folder ---- */

static char outer[PATH_MAX]; /* where `folder` lies; "": in a public place */
static char folder[PATH_MAX];
static const char *place; /* the folder that both lie in */
static bool hidden;

/*
 * Only root's programs can become another user. They need a folder that such a user can write. No
 * other user may know its name, so it lies in a folder that can be passed through but not listed.
 */
static bool folder_open_to_others(void)
{
	unsigned char secret[16];
	char *at = folder + strlen(folder);

	if (getrandom(secret, sizeof(secret), 0) != sizeof(secret))
		return false;
	strcpy(outer, folder);
	*at++ = '/';
	for (size_t i = 0; i < sizeof(secret); i++)
		at += sprintf(at, "%02x", secret[i]);
	/* By chmod, because the umask would cut mkdir's mode. */
	if (!mkdir(folder, 0700) && !chmod(folder, 01733) && !chmod(outer, 0711))
		return true;
	rmdir(folder);
	strcpy(folder, outer);
	*outer = '\0';
	return false;
}

/* A lock on a file in the folder tells others that it is in use: see leftover_remove. */
static int folder_lock(void)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/" LEFTOVER_LOCK, outer[0] ? outer : folder) >=
	    (int)sizeof(path))
		return -1;
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd >= 0)
		flock(fd, LOCK_EX | LOCK_NB);
	return fd;
}

static void folder_unlock(void)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/" LEFTOVER_LOCK, outer[0] ? outer : folder) <
	    (int)sizeof(path))
		unlink(path);
}

/*
 * In memory, unless TMPDIR says otherwise: on a disk, each report takes twenty times as long, and the
 * program waits for it. Buffers that --buffers has put on a disk outlive a reboot. Then the folder is on
 * a disk, too, since it says where they are.
 */
int reports_make_folder(void)
{
	const char *wanted = getenv("TMPDIR"), *buffers = getenv(TL_PLACES_VARIABLE);
	const char *first = buffers && *buffers ? "/tmp" : "/dev/shm";
	const char *places[] = {wanted && *wanted == '/' ? wanted : first, "/tmp", "/dev/shm"};

	unsetenv(TL_REPORT_VARIABLE);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (snprintf(folder, sizeof(folder), "%s/" LEFTOVER_RUN "XXXXXX", places[i]) >= 200)
			continue; /* longer than the layer accepts */
		if (mkdtemp(folder)) {
			if (!geteuid())
				folder_open_to_others();
			setenv(TL_REPORT_VARIABLE, folder, 1);
			place = places[i];
			return folder_lock();
		}
	}
	folder[0] = '\0';
	return -1;
}

bool reports_have_folder(void)
{
	return folder[0];
}

const char *reports_place(void)
{
	return place;
}

bool reports_are_hidden(void)
{
	return hidden;
}

/* ---- reading ---- */

struct trace *reports_trace(struct reports *reports, pid_t pid, const char *path,
			    unsigned long long number)
{
	for (size_t i = 0; i < reports->count; i++) {
		struct trace *known = &reports->traces[i];
		if (known->pid != pid || strcmp(known->path, path))
			continue;
		if (number < known->created)
			known->created = number;
		return known;
	}
	reports->traces =
		need(reallocarray(reports->traces, reports->count + 1, sizeof(struct trace)));
	struct trace *trace = &reports->traces[reports->count++];

	*trace = (struct trace){.pid = pid, .path = need(strdup(path)), .created = number};
	return trace;
}

static void read_finished(struct reports *reports, pid_t pid, unsigned long long number,
			  const char *message)
{
	unsigned long long events, lost;
	int path = 0;

	if (sscanf(message, "%llu %llu %n", &events, &lost, &path) != 2 || !path)
		return;
	struct trace *trace = reports_trace(reports, pid, message + path, number);

	if (trace->finished && number < trace->number)
		return;
	trace->finished = true;
	trace->number = number;
	trace->events = events;
	trace->lost = lost;
}

static void note_buffers(struct reports *reports, const char *path)
{
	for (size_t i = 0; i < reports->buffers_count; i++)
		if (!strcmp(reports->buffers[i], path))
			return;
	reports->buffers =
		need(reallocarray(reports->buffers, reports->buffers_count + 1, sizeof(char *)));
	reports->buffers[reports->buffers_count++] = need(strdup(path));
}

/* A process may report several times; its last report has the largest number. */
static void read_no_memory(struct reports *reports, pid_t pid, const char *message)
{
	uint64_t lost = strtoull(message, NULL, 10);

	reports->no_memory = true;
	for (size_t i = 0; i < reports->short_count; i++)
		if (reports->shorts[i].pid == pid) {
			reports->shorts[i].lost =
				lost > reports->shorts[i].lost ? lost : reports->shorts[i].lost;
			return;
		}
	reports->shorts = need(
		reallocarray(reports->shorts, reports->short_count + 1, sizeof(*reports->shorts)));
	reports->shorts[reports->short_count++] = (struct short_of_memory){pid, lost};
}

static void read_tools(struct reports *reports, pid_t pid, unsigned long long number,
		       const char *program, bool ended)
{
	struct tooled *tooled = reports->tooled;
	size_t at = 0;

	while (at < reports->tooled_count && tooled[at].pid != pid)
		at++;
	if (at == reports->tooled_count) {
		reports->tooled = need(
			reallocarray(tooled, reports->tooled_count + 1, sizeof(struct tooled)));
		reports->tooled[reports->tooled_count++] = (struct tooled){.pid = pid};
	}
	tooled = &reports->tooled[at];
	if (ended && number > tooled->ended)
		tooled->ended = number;
	if (ended || number < tooled->loaded)
		return;
	tooled->loaded = number;
	free(tooled->program);
	tooled->program = need(strdup(program));
}

static void keep_first(char **to, const char *message)
{
	if (!*to)
		*to = need(strdup(message));
}

static void read_report(struct reports *reports, const char *name, const char *message)
{
	char kind[16];
	unsigned long long number;
	int pid;

	if (sscanf(name, "%15[a-z].%d.%llu", kind, &pid, &number) != 3)
		return;
	if (!strcmp(kind, TL_REPORT_LOADED)) {
		reports->loaded = true;
		images_loaded(&reports->images, pid, number, message);
	} else if (!strcmp(kind, TL_REPORT_WITHOUT)) {
		images_without(&reports->images, pid, number, message);
	} else if (!strcmp(kind, TL_REPORT_NO_MEMORY)) {
		read_no_memory(reports, pid, message);
	} else if (!strcmp(kind, TL_REPORT_CONFINED)) {
		reports->confined = true;
	} else if (!strcmp(kind, TL_REPORT_CALLED)) {
		keep_first(&reports->called, message);
	} else if (!strcmp(kind, TL_REPORT_RECORDED)) {
		reports->recorded = true;
	} else if (!strcmp(kind, TL_REPORT_UNSHIMMED)) {
		keep_first(&reports->unshimmed, message);
	} else if (!strcmp(kind, TL_REPORT_BYPASSED)) {
		keep_first(&reports->bypassed, message);
	} else if (!strcmp(kind, TL_REPORT_PRECEDED)) {
		keep_first(&reports->preceded, message);
	} else if (!strcmp(kind, TL_REPORT_UNREADABLE)) {
		keep_first(&reports->unreadable, message);
	} else if (!strcmp(kind, TL_REPORT_TOOLS) || !strcmp(kind, TL_REPORT_ENDED)) {
		read_tools(reports, pid, number, message, !strcmp(kind, TL_REPORT_ENDED));
	} else if (!strcmp(kind, TL_REPORT_BUFFERS)) {
		note_buffers(reports, message);
	} else if (!strcmp(kind, TL_REPORT_TRACE)) {
		reports_trace(reports, pid, message, number);
	} else if (!strcmp(kind, TL_REPORT_FINISHED)) {
		read_finished(reports, pid, number, message);
	} else if (!strcmp(kind, TL_REPORT_FAILED) && strchr(message, ' ')) {
		reports->error = atoi(message);
		keep_first(&reports->failed, strchr(message, ' ') + 1);
	}
}

/*
 * Buffers of a process that became another user. Only that user can recover them. If there is
 * nothing to recover, they are deleted.
 */
static void leave_buffers(const char *path, uid_t user)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	const char *name = strrchr(path, '/');
	struct tl_file_header header;
	struct stat status;
	uint32_t pid;

	if (descriptor < 0 || !name || !tl_places_is_buffers(name + 1, &pid) ||
	    fstat(descriptor, &status) || !S_ISREG(status.st_mode) || status.st_uid != user ||
	    read(descriptor, &header, sizeof(header)) != sizeof(header) ||
	    memcmp(header.magic, TL_FILE_MAGIC, sizeof(header.magic)))
		user = geteuid();
	if (descriptor >= 0)
		close(descriptor);
	if (user == geteuid())
		return;
	if (header.state == TL_FILE_DONE)
		unlink(path);
	else if (kill((pid_t)pid, 0) && errno == ESRCH)
		say("%s: a process that became user %u left events in it; run `tracelayer recover` as that user",
		    path, (unsigned)user);
}

/*
 * A report of another user is printed, so it must not steer the terminal. That user's files are not
 * touched.
 */
static void read_foreign_report(struct reports *reports, const char *name, char *message,
				uid_t user)
{
	if (!strncmp(name, TL_REPORT_BUFFERS ".", strlen(TL_REPORT_BUFFERS "."))) {
		leave_buffers(message, user);
		return;
	}
	for (char *at = message; *at; at++)
		if (((unsigned char)*at < ' ' && *at != '\n') || *at == 127)
			*at = '?';
	read_report(reports, name, message);
}

/*
 * Whose the link is, is asked before what it says: others can take away and make again only what is
 * theirs.
 */
static void link_read(struct reports *reports, int links, const char *name)
{
	char message[PATH_MAX];
	struct stat status;

	if (fstatat(links, name, &status, AT_SYMLINK_NOFOLLOW))
		return;
	ssize_t length = readlinkat(links, name, message, sizeof(message) - 1);

	if (length < 0)
		return;
	message[length] = '\0';
	if (status.st_uid != geteuid())
		read_foreign_report(reports, name, message, status.st_uid);
	else
		read_report(reports, name, message);
	unlinkat(links, name, 0);
}

static void links_read(struct reports *reports)
{
	DIR *links = opendir(folder);
	struct dirent *link;

	while (links && (link = readdir(links)))
		link_read(reports, dirfd(links), link->d_name);
	if (links)
		closedir(links);
}

/* A process that the program left behind may report until the folder is gone. */
#define LATE_REPORTS 1000

void reports_read(struct reports *reports)
{
	hidden = folder[0] && access(folder, F_OK);
	for (int tries = 0; folder[0] && tries < LATE_REPORTS; tries++) {
		links_read(reports);
		folder_unlock();
		if (!rmdir(folder) || errno != ENOTEMPTY)
			break;
	}
	if (outer[0])
		rmdir(outer);
}

void reports_free(struct reports *reports)
{
	for (size_t i = 0; i < reports->count; i++)
		free(reports->traces[i].path);
	free(reports->traces);
	free(reports->shorts);
	for (size_t i = 0; i < reports->tooled_count; i++)
		free(reports->tooled[i].program);
	free(reports->tooled);
	images_forget(&reports->images);
	for (size_t i = 0; i < reports->buffers_count; i++)
		free(reports->buffers[i]);
	free(reports->buffers);
	free(reports->called);
	free(reports->unshimmed);
	free(reports->bypassed);
	free(reports->preceded);
	free(reports->unreadable);
	free(reports->failed);
}
