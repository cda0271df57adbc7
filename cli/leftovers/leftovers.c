/* SPDX-License-Identifier: MIT */
/*
 * leftovers.c: see leftovers.h.
 *
 * A buffers file is live for as long as its own process maps it. Children that the process forked
 * may map it too, and outlive it; they do not count. So /proc/PID/maps decides. A pid that another
 * process has now does no harm: that process does not map the file.
 *
 * Where the pid means nothing here (another pid namespace, an unfinished header), or the maps
 * cannot be read (the process cannot be traced, or has another user now), the kernel is asked for
 * a lease on the file. It refuses the lease while any process has the file open for writing or
 * mapped so. It cannot tell a process from its children, so children count then.
 *
 * A file is claimed by flock: the claim ends with the claimant, however that ends, and the file's
 * own process never asks for it.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/leftovers/leftovers.h"
#include "common/places.h"
#include "common/proc.h"
#include "common/run_protocol.h"

enum life { LIFE_DEAD, LIFE_LIVE, LIFE_UNCLEAR };

/* ---- who maps it ---- */

/*
 * Who opens the file for writing while the lease lasts makes the kernel send a signal, which would
 * end this process if it were SIGIO, as without F_SETSIG. SIGURG is ignored.
 */
int leftover_unwritten(int fd)
{
	fcntl(fd, F_SETSIG, SIGURG);
	if (fcntl(fd, F_SETLEASE, F_RDLCK))
		return errno == EAGAIN || errno == EBUSY ? 0 : -1;
	fcntl(fd, F_SETLEASE, F_UNLCK);
	return 1;
}

static enum life life_by_lease(const struct leftover *leftover)
{
	switch (leftover_unwritten(leftover->fd)) {
	case 0:
		return LIFE_LIVE;
	case 1:
		return LIFE_DEAD;
	default:
		return LIFE_UNCLEAR;
	}
}

/*
 * A line of maps: is it of this file? Some file systems (btrfs, overlayfs) show another device in
 * maps than stat does, so there the name has to do.
 */
static bool line_is_of(char *line, const struct leftover *leftover)
{
	const char *name = strrchr(leftover->path, '/');
	unsigned major_number, minor_number;
	unsigned long long inode;
	int path = 0;

	if (sscanf(line, "%*s %*s %*s %x:%x %llu %n", &major_number, &minor_number, &inode,
		   &path) != 3 ||
	    inode != leftover->stat.st_ino)
		return false;
	if (makedev(major_number, minor_number) == leftover->stat.st_dev)
		return true;
	return path && strstr(line + path, name ? name : leftover->path);
}

/*
 * 1: the thread's memory has the file mapped; 0: it has not; -1: the thread has no memory any more;
 * -2: we may not see it.
 */
static int thread_maps(const char *thread, const struct leftover *leftover)
{
	FILE *maps = fopen(thread, "re");
	char *line = NULL;
	size_t room = 0, lines = 0;
	int mapped = 0;

	if (!maps)
		return errno == ENOENT || errno == ESRCH ? -1 : -2;
	while (!mapped && getline(&line, &room, maps) > 0) {
		lines++;
		mapped = line_is_of(line, leftover);
	}
	if (!lines)
		mapped = ferror(maps) && errno != ESRCH ? -2 : -1;
	free(line);
	fclose(maps);
	return mapped;
}

/*
 * Reads the maps of any thread that has some: the first thread may have ended before the others,
 * and then has none.
 */
static enum life life_by_maps(const struct leftover *leftover, uint32_t pid)
{
	char path[64];
	struct dirent *thread;
	int mapped = -1;

	if (pid > INT_MAX || (kill((pid_t)pid, 0) && errno == ESRCH))
		return LIFE_DEAD;
	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	DIR *threads = opendir(path);

	if (!threads)
		return kill((pid_t)pid, 0) && errno == ESRCH ? LIFE_DEAD : life_by_lease(leftover);
	while (mapped == -1 && (thread = readdir(threads))) {
		if (*thread->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%u/task/%.20s/maps", pid, thread->d_name);
		mapped = thread_maps(path, leftover);
	}
	closedir(threads);
	if (mapped == -2)
		return life_by_lease(leftover);
	return mapped == 1 ? LIFE_LIVE : LIFE_DEAD;
}

/* The flag in a thread's stat that says that it has begun to end: PF_EXITING. */
#define EXITING 4u

static bool thread_is_dying(uint32_t pid, const char *thread)
{
	unsigned long long pending = 0;
	char path[80], line[1024];

	snprintf(path, sizeof(path), "/proc/%u/task/%.20s/stat", pid, thread);
	if (!tl_proc_line(path, line, sizeof(line)))
		return true;
	uint64_t flags = tl_proc_stat_number(line, 9);
	snprintf(path, sizeof(path), "/proc/%u/task/%.20s/status", pid, thread);
	FILE *file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "SigPnd: %llx", &pending) == 1)
			break;
	if (file)
		fclose(file);
	return flags & EXITING || pending >> (SIGKILL - 1) & 1;
}

bool leftover_is_dying(uint32_t pid)
{
	struct dirent *thread;
	bool dying = true;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	DIR *threads = opendir(path);
	while (threads && dying && (thread = readdir(threads)))
		if (*thread->d_name != '.')
			dying = thread_is_dying(pid, thread->d_name);
	if (threads)
		closedir(threads);
	return dying;
}

/* ---- where and when it was made ---- */

static bool same_namespace(const struct tl_file_header *header)
{
	return header->pid_namespace && header->pid_namespace == tl_proc_namespace();
}

static bool same_boot(const struct tl_file_header *header)
{
	char ours[TL_PROC_BOOT];

	tl_proc_boot(ours);
	return !*ours || !*header->boot || !strncmp(ours, header->boot, sizeof(ours));
}

static enum life life_of(struct leftover *leftover)
{
	if (!leftover->sound) {
		/* The process died while it made the file, or is making it now. */
		enum life life = leftover->pid ? life_by_maps(leftover, leftover->pid) : LIFE_DEAD;
		return life == LIFE_DEAD ? life_by_lease(leftover) : life;
	}
	/*
	 * A process cannot outlive a reboot. But the file may be of another machine that shares the
	 * disk.
	 */
	leftover->elsewhere = !same_boot(&leftover->header);
	if (leftover->elsewhere)
		return life_by_lease(leftover) == LIFE_LIVE ? LIFE_LIVE : LIFE_UNCLEAR;
	if (!same_namespace(&leftover->header))
		return life_by_lease(leftover);
	return life_by_maps(leftover, leftover->header.pid);
}

/*
 * The file has only pieces that the process makes before it stores the kind. So nothing was
 * recorded, and the kind is not damaged.
 */
static bool file_is_blank(int fd)
{
	uint64_t at = TL_FILE_PAGE;
	struct tl_piece piece;

	while (pread(fd, &piece, sizeof(piece), (off_t)at) == sizeof(piece) && piece.magic) {
		if (piece.magic != TL_PIECE_MAGIC || piece.kind > TL_PIECE_CLOCK ||
		    piece.size < sizeof(piece))
			return false;
		at += piece.size;
	}
	return true;
}

static void read_header(struct leftover *leftover)
{
	struct tl_file_header *header = &leftover->header;
	const char *name = strrchr(leftover->path, '/');

	if (!tl_places_is_buffers(name ? name + 1 : leftover->path, &leftover->pid))
		leftover->pid = 0;
	bool carries = pread(leftover->fd, header, sizeof(*header), 0) == sizeof(*header) &&
		       !memcmp(header->magic, TL_FILE_MAGIC, sizeof(header->magic)) &&
		       header->byte_order == TL_FILE_BYTE_ORDER &&
		       header->version == TL_FILE_VERSION;
	leftover->sound = carries && header->kind == TL_FILE_BUFFERS;
	/* Its process died between making the file and writing to it. */
	bool empty = !leftover->stat.st_size && leftover->pid;
	leftover->unbegun = empty || (carries && header->kind == TL_FILE_UNBEGUN &&
				      file_is_blank(leftover->fd));
	if (!leftover->sound)
		return;
	header->boot[sizeof(header->boot) - 1] = 0;
	header->session[sizeof(header->session) - 1] = 0;
	leftover->pid = header->pid;
}

/* ---- claiming ---- */

bool leftover_open(const char *path, struct leftover *leftover)
{
	struct stat named;

	memset(leftover, 0, sizeof(*leftover));
	leftover->fd = -1;
	if (snprintf(leftover->path, sizeof(leftover->path), "%s", path) >=
	    (int)sizeof(leftover->path)) {
		leftover->error = ENAMETOOLONG;
		return false;
	}
	/*
	 * Another user of the folder may have put a pipe, a device or a link there. To open some of
	 * these has effects, so look first.
	 */
	if (lstat(path, &named)) {
		leftover->error = errno == ENOENT || errno == ENOTDIR ? 0 : errno;
		return false;
	}
	if (named.st_uid != geteuid() || !S_ISREG(named.st_mode))
		return false;
	leftover->fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (leftover->fd < 0) {
		leftover->error = errno == ENOENT || errno == ELOOP ? 0 : errno;
		return false;
	}
	if (fstat(leftover->fd, &leftover->stat))
		leftover->error = errno;
	if (leftover->error || leftover->stat.st_uid != geteuid() ||
	    !S_ISREG(leftover->stat.st_mode)) {
		leftover_release(leftover);
		return false;
	}
	read_header(leftover);
	return true;
}

bool leftover_is_live(const struct leftover *leftover)
{
	return leftover->sound && same_boot(&leftover->header) &&
	       same_namespace(&leftover->header) &&
	       life_by_maps(leftover, leftover->pid) == LIFE_LIVE;
}

bool leftover_is_file(const struct leftover *leftover, const struct stat *found)
{
	return found->st_dev == leftover->stat.st_dev && found->st_ino == leftover->stat.st_ino;
}

static enum leftover_state claim_open(struct leftover *leftover)
{
	struct stat now;

	if (!leftover->sound && !leftover->unbegun)
		return LEFTOVER_ALIEN;
	enum life life = life_of(leftover);

	if (life == LIFE_LIVE)
		return LEFTOVER_LIVE;
	if (flock(leftover->fd, LOCK_EX | LOCK_NB))
		return LEFTOVER_CLAIMED;
	/* The command that had the claim before has deleted the file. */
	if (lstat(leftover->path, &now) || !leftover_is_file(leftover, &now))
		return LEFTOVER_NONE;
	return life == LIFE_DEAD ? LEFTOVER_OURS : LEFTOVER_UNCLEAR;
}

enum leftover_state leftover_claim(const char *path, struct leftover *leftover)
{
	if (!leftover_open(path, leftover))
		return leftover->error ? LEFTOVER_UNREADABLE : LEFTOVER_NONE;
	enum leftover_state state = claim_open(leftover);

	if (state != LEFTOVER_OURS && state != LEFTOVER_UNCLEAR)
		leftover_release(leftover);
	return state;
}

void leftover_release(struct leftover *leftover)
{
	if (leftover->fd >= 0)
		close(leftover->fd);
	leftover->fd = -1;
}

/*
 * Opens the folder of the file, so that the check and the deletion use the same folder. -1: errno.
 */
static int folder_of(const char *path, char name[NAME_MAX + 1])
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path + 1) : 1,
		 slash ? path : ".");
	snprintf(name, NAME_MAX + 1, "%s", base);
	return open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int leftover_delete(struct leftover *leftover)
{
	char name[NAME_MAX + 1];
	int folder, error = 0;
	struct stat now;

	if (!leftover->sound && !leftover->unbegun)
		return EPERM;
	folder = folder_of(leftover->path, name);
	if (folder < 0)
		return errno == ENOENT ? 0 : errno;
	if (fstatat(folder, name, &now, AT_SYMLINK_NOFOLLOW))
		error = errno == ENOENT ? 0 : errno;
	else if (leftover_is_file(leftover, &now) && unlinkat(folder, name, 0))
		error = errno;
	close(folder);
	return error;
}

uint64_t leftover_size(const struct leftover *leftover)
{
	return (uint64_t)leftover->stat.st_blocks * 512;
}

/* ---- what the layer told runs: common/run_protocol.h ---- */

struct report {
	const char *name, *message;
	time_t when;
};

/* What to do with a report. True: that was enough. */
typedef bool report_visitor(void *user, const struct report *report);

static bool reports_visit(int folder, bool deeper, report_visitor *visit, void *user);

/* A report, or the folder with the reports that a run by root has in its own. */
static bool report_visit(int folder, const char *name, bool deeper, report_visitor *visit,
			 void *user)
{
	char message[PATH_MAX];
	struct stat about;

	if (fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) || about.st_uid != geteuid())
		return false;
	if (S_ISDIR(about.st_mode) && deeper) {
		int inside = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		bool enough = inside >= 0 && reports_visit(inside, false, visit, user);

		if (inside >= 0)
			close(inside);
		return enough;
	}
	ssize_t length = S_ISLNK(about.st_mode)
				 ? readlinkat(folder, name, message, sizeof(message) - 1)
				 : -1;
	if (length < 0)
		return false;
	message[length] = '\0';
	return visit(user, &(struct report){name, message, about.st_mtime});
}

static bool reports_visit(int folder, bool deeper, report_visitor *visit, void *user)
{
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;
	bool enough = false;

	while (entries && !enough && (entry = readdir(entries)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			enough = report_visit(folder, entry->d_name, deeper, visit, user);
	if (entries)
		closedir(entries);
	return enough;
}

/* The buffers file that the report is about, if it is still there. NULL: it is not. */
static const char *report_buffers(const struct report *report, uint32_t *pid)
{
	const char *path = report->message, *slash = strrchr(path, '/');
	struct stat about;

	if (strncmp(report->name, TL_REPORT_BUFFERS ".", strlen(TL_REPORT_BUFFERS ".")) ||
	    *path != '/' || !tl_places_is_buffers(slash + 1, pid) || lstat(path, &about))
		return NULL;
	return path;
}

/* ---- finding ---- */

static void add_path(struct leftover_paths *paths, const char *folder, const char *name)
{
	char *path;

	if (asprintf(&path, "%s%s%s", folder, *folder ? "/" : "", name) < 0)
		need(NULL);
	paths->path = need(reallocarray(paths->path, paths->count + 1, sizeof(*paths->path)));
	paths->path[paths->count++] = path;
}

/* NULL: those are not looked for. */
struct sought {
	struct leftover_paths *buffers, *runs; /* `runs`: folders that runs made */
	uint32_t pid;			       /* 0: of all processes */
};

static void place_search(const struct sought *sought, const char *place)
{
	DIR *entries = opendir(place);
	struct dirent *entry;
	uint32_t of;

	while (entries && (entry = readdir(entries))) {
		if (sought->buffers && tl_places_is_buffers(entry->d_name, &of) &&
		    (!sought->pid || of == sought->pid))
			add_path(sought->buffers, place, entry->d_name);
		if (sought->runs && !strncmp(entry->d_name, LEFTOVER_RUN, strlen(LEFTOVER_RUN)))
			add_path(sought->runs, place, entry->d_name);
	}
	if (entries)
		closedir(entries);
}

/* Reads each place once, however much is sought: /tmp may have many files. */
static void places_search(const struct sought *sought)
{
	struct tl_places places;

	tl_places(&places);
	for (unsigned i = 0; i < places.count; i++)
		place_search(sought, places.folder[i]);
}

/* Calls with the open folder of each run of this user. */
static void runs_visit(const struct leftover_paths *runs,
		       void (*visit)(void *user, const char *path, int folder), void *user)
{
	struct stat about;

	for (size_t i = 0; i < runs->count; i++) {
		int folder = open(runs->path[i], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		if (folder < 0)
			continue;
		if (!fstat(folder, &about) && about.st_uid == geteuid())
			visit(user, runs->path[i], folder);
		close(folder);
	}
}

struct reported {
	struct leftover_paths *paths;
	uint32_t pid;
};

static bool reported_add(void *user, const struct report *report)
{
	const struct reported *reported = user;
	uint32_t of;
	const char *path = report_buffers(report, &of);
	bool wanted = path && (!reported->pid || of == reported->pid);

	for (size_t i = 0; wanted && i < reported->paths->count; i++)
		wanted = strcmp(reported->paths->path[i], path) != 0;
	if (wanted)
		add_path(reported->paths, "", path);
	return false;
}

static void run_find(void *user, const char *path, int folder)
{
	(void)path;
	reports_visit(folder, true, reported_add, user);
}

static int compare_paths(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

void leftover_find(struct leftover_paths *paths, const char *folder, uint32_t pid)
{
	struct leftover_paths runs = {0};

	memset(paths, 0, sizeof(*paths));
	if (folder)
		place_search(&(struct sought){.buffers = paths, .pid = pid}, folder);
	else
		places_search(&(struct sought){.buffers = paths, .runs = &runs, .pid = pid});
	/* Those that lie elsewhere, by --buffers. */
	runs_visit(&runs, run_find, &(struct reported){paths, pid});
	leftover_forget(&runs);
	if (paths->count)
		qsort(paths->path, paths->count, sizeof(*paths->path), compare_paths);
}

void leftover_forget(struct leftover_paths *paths)
{
	for (size_t i = 0; i < paths->count; i++)
		free(paths->path[i]);
	free(paths->path);
	memset(paths, 0, sizeof(*paths));
}

/*
 * The file's process has written all, and is dead. A first look at the header spares most files the
 * search for their processes.
 */
static void file_remove_done(const char *path)
{
	struct leftover leftover;
	bool done;

	if (!leftover_open(path, &leftover))
		return;
	done = leftover.sound && leftover.header.state == TL_FILE_DONE;
	leftover_release(&leftover);
	if (done && leftover_claim(path, &leftover) == LEFTOVER_OURS && leftover.sound &&
	    leftover.header.state == TL_FILE_DONE)
		leftover_delete(&leftover);
	leftover_release(&leftover);
}

/* ---- folders of `tracelayer run` ---- */

/* Deletes what the folder has, one level deep: reports are symbolic links. */
static void folder_empty(int folder, bool deeper)
{
	DIR *entries = fdopendir(dup(folder));
	struct dirent *entry;

	while (entries && (entry = readdir(entries))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (!unlinkat(folder, entry->d_name, 0) || !deeper)
			continue;
		int inside = openat(folder, entry->d_name,
				    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (inside < 0)
			continue;
		folder_empty(inside, false);
		close(inside);
		unlinkat(folder, entry->d_name, AT_REMOVEDIR);
	}
	if (entries)
		closedir(entries);
}

/* How long nothing may have happened in a folder that has no lock: a day. */
#define FOLDER_OLD 86400

static bool report_has_buffers(void *user, const struct report *report)
{
	uint32_t pid;

	(void)user;
	return report_buffers(report, &pid);
}

/* The report is new, or its process lives. */
static bool report_is_live(void *user, const struct report *report)
{
	int pid = 0;

	(void)user;
	if (time(NULL) - report->when < FOLDER_OLD)
		return true;
	return sscanf(report->name, "%*[a-z].%d", &pid) == 1 && pid > 0 &&
	       (!kill(pid, 0) || errno == EPERM);
}

/*
 * Whether the run has ended. Its lock decides. A folder has none where an older version made it, or
 * where its run was killed just before it locked it or just after it unlocked it.
 */
static bool run_is_dead(int folder)
{
	int lock = openat(folder, LEFTOVER_LOCK, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	struct stat about;
	bool dead;

	if (lock < 0)
		return errno == ENOENT && !fstat(folder, &about) &&
		       time(NULL) - about.st_mtime >= FOLDER_OLD &&
		       !reports_visit(folder, true, report_is_live, NULL);
	/* The lock follows the file's making at once. */
	dead = !fstat(lock, &about) && about.st_uid == geteuid() &&
	       time(NULL) - about.st_mtime > 5 && !flock(lock, LOCK_EX | LOCK_NB);
	close(lock);
	return dead;
}

/* The folder stays as long as it says where buffers lie. */
static void run_remove_dead(void *user, const char *path, int folder)
{
	(void)user;
	if (!run_is_dead(folder) || reports_visit(folder, true, report_has_buffers, NULL))
		return;
	folder_empty(folder, true);
	rmdir(path);
}

void leftover_remove(bool done)
{
	struct leftover_paths buffers = {0}, runs = {0};

	places_search(&(struct sought){.buffers = done ? &buffers : NULL, .runs = &runs});
	if (done)
		runs_visit(&runs, run_find, &(struct reported){&buffers, 0});
	for (size_t i = 0; i < buffers.count; i++)
		file_remove_done(buffers.path[i]);
	runs_visit(&runs, run_remove_dead, NULL);
	leftover_forget(&buffers);
	leftover_forget(&runs);
}
