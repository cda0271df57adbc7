/* SPDX-License-Identifier: MIT */
/*
 * output.c: see output.h.
 *
 * The path is walked one component at a time, each opened without following links, so that nobody
 * can put a link of his own into a folder that all may write to (/tmp) and have us write through
 * it. The kernel's RESOLVE_NO_SYMLINKS would refuse the user's own links too, and those are in use.
 */
#include "common/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "common/digits.h"
#include "common/output_formats.h"

#define LINKS_MAX 40
#define PROCFS	  0x9fa0 /* PROC_SUPER_MAGIC */
#define TAKEN_MAX 100000

/* syscall() leaves the error in errno; this puts it into the result. */
#define KERNEL(...) kernel_result(syscall(__VA_ARGS__))
static int kernel_result(long answer)
{
	return answer < 0 ? -errno : (int)answer;
}

/* Looks at a file by name, or with "" at the descriptor itself. Follows a link only if `follow`. */
static int file_look(int folder, const char *name, struct stat *stat, bool follow)
{
	return KERNEL(SYS_newfstatat, folder, name, stat,
		      (follow ? 0 : AT_SYMLINK_NOFOLLOW) | (*name ? 0 : AT_EMPTY_PATH));
}

static bool file_is_foreign(const struct stat *stat)
{
	return stat->st_uid && stat->st_uid != (uid_t)KERNEL(SYS_geteuid);
}

const char *tl_output_words(int error)
{
	switch (error) {
	case TL_OUTPUT_LINK:
		return "a symbolic link on the way belongs to somebody else";
	case ENOENT:
		return "its folder is not there";
	case ENXIO:
		return "nobody reads it";
	case EISDIR:
		return "it is a folder";
	case TL_OUTPUT_FOREIGN:
		return "it is a pipe of somebody else, who would get the trace";
	case TL_OUTPUT_SHARED:
		return "it leads to a file that others write, too";
	default:
		return NULL;
	}
}

/* A path that is being made. */
struct name {
	char *start, *at, *end;
	bool cut;
};

static void name_add(struct name *name, const char *bytes, size_t size)
{
	if (size >= (size_t)(name->end - name->at)) {
		name->cut = true;
		return;
	}
	memcpy(name->at, bytes, size);
	name->at += size;
	*name->at = 0;
}

static bool name_is_at_front(const struct name *name)
{
	return name->at == name->start || name->at[-1] == '/';
}

/*
 * Adds a text as part of a file's name: without slashes and characters that terminals or shells
 * interpret, and neither hidden nor a folder above.
 */
static void name_add_plain(struct name *name, const char *string)
{
	for (; *string; string++) {
		char c = *string;
		bool odd = c <= ' ' || c == 0x7f || strchr("/\\\"'`$*?<>|;&", c) ||
			   (c == '.' && name_is_at_front(name));
		name_add(name, odd ? "_" : &c, 1);
	}
}

static void name_add_number(struct name *name, uint64_t value, unsigned digits)
{
	char text[TL_DECIMAL_ROOM];
	unsigned size = tl_digits_decimal(text, value) - text;

	for (; digits > size; digits--)
		name_add(name, "0", 1);
	name_add(name, text, size);
}

/* 20260102T030405Z. Days to a date by Howard Hinnant's civil_from_days. */
static void name_add_time(struct name *name, uint64_t seconds)
{
	uint64_t days = seconds / 86400 + 719468, second = seconds % 86400;
	uint64_t era = days / 146097, day = days % 146097;
	uint64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
	day -= 365 * year + year / 4 - year / 100;
	uint64_t month = (5 * day + 2) / 153;
	day -= (153 * month + 2) / 5;
	name_add_number(name, era * 400 + year + (month >= 10), 4);
	name_add_number(name, month < 10 ? month + 3 : month - 9, 2);
	name_add_number(name, day + 1, 2);
	name_add(name, "T", 1);
	name_add_number(name, second / 3600, 2);
	name_add_number(name, second / 60 % 60, 2);
	name_add_number(name, second % 60, 2);
	name_add(name, "Z", 1);
}

void tl_output_program(char *name, size_t room)
{
	static const char deleted[] = " (deleted)";
	static char path[TL_OUTPUT_PATH];
	int size = KERNEL(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, sizeof(path) - 1);

	if (size <= 0)
		memcpy(path, "unknown", size = 7);
	path[size] = 0;
	size_t ending = sizeof(deleted) - 1;
	if ((size_t)size > ending && !strcmp(path + size - ending, deleted))
		path[size - ending] = 0;
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t length = strlen(base) < room ? strlen(base) : room - 1;
	memcpy(name, base, length);
	name[length] = 0;
}

/* NULL: this process's program. */
static void name_add_program(struct name *name, const char *program)
{
	char own[256];

	if (!program)
		tl_output_program(own, sizeof(own));
	name_add_plain(name, program ? program : own);
}

/* A process without a rank must not look like one with a rank. */
static void name_add_rank(struct name *name, int64_t rank)
{
	if (rank >= 0)
		name_add_number(name, (uint64_t)rank, 1);
	else if (name_is_at_front(name))
		name_add(name, "none", 4);
	else if (strchr(".-_", name->at[-1]))
		*--name->at = 0;
}

/* The file of a process in a job's folder. */
static void name_add_member(struct name *name, const struct tl_output_names *names)
{
	if (names->rank >= 0) {
		name_add_number(name, (uint64_t)names->rank, 1);
		return;
	}
	name_add(name, "none.", 5);
	name_add_number(name, names->pid, 1);
}

static void name_fill_in(struct name *name, const char *pattern,
			 const struct tl_output_names *names)
{
	for (; *pattern; pattern++) {
		if (*pattern != '%' || !pattern[1]) {
			name_add(name, pattern, 1);
			continue;
		}
		switch (*++pattern) {
		case 'p':
			name_add_number(name, names->pid, 1);
			break;
		case 'e':
			name_add_program(name, names->program);
			break;
		case 'h':
			name_add_plain(name, names->host);
			break;
		case 'r':
			name_add_rank(name, names->rank);
			break;
		case 'R':
			name_add_member(name, names);
			break;
		case 'j':
			name_add_plain(name, names->step ? names->step : "%j");
			break;
		case 't':
			name_add_time(name, names->seconds);
			break;
		case '%':
			name_add(name, "%", 1);
			break;
		default:
			name_add(name, pattern - 1, 2);
		}
	}
}

bool tl_output_expand_for(char *path, size_t room, const char *pattern,
			  const struct tl_output_names *names)
{
	struct name name = {path, path, path + room, false};
	struct stat stat;

	*path = 0;
	name_fill_in(&name, pattern, names);
	if (!names->standard || name.cut || name.at == path)
		return !name.cut;
	if (name.at[-1] != '/') {
		if (file_look(AT_FDCWD, path, &stat, true) < 0 || !S_ISDIR(stat.st_mode))
			return true;
		/* As in /here/., from "." in the user's path. */
		if (name.at - path > 1 && name.at[-1] == '.' && name.at[-2] == '/')
			name.at--;
		else
			name_add(&name, "/", 1);
	}
	name_fill_in(&name, names->standard, names);
	return !name.cut;
}

/* As part of a pattern. */
static void name_add_doubled(struct name *name, const char *text)
{
	for (; *text; text++)
		name_add(name, *text == '%' ? "%%" : text, *text == '%' ? 2 : 1);
}

bool tl_output_expand_step(char *pattern, size_t room, const char *from, const char *step)
{
	struct name name = {pattern, pattern, pattern + room, false};

	*pattern = 0;
	for (; *from; from++) {
		if (from[0] == '%' && from[1] == 'j') {
			name_add_doubled(&name, step);
			from++;
			continue;
		}
		name_add(&name, from, 1);
		if (from[0] == '%' && from[1])
			name_add(&name, ++from, 1);
	}
	return !name.cut;
}

/* A machine may have no name. */
static const char *host_named(const struct utsname *host)
{
	return KERNEL(SYS_uname, host) < 0 || !*host->nodename ? "unknown" : host->nodename;
}

void tl_output_host(char *to, size_t room)
{
	struct name name = {to, to, to + room, false};
	struct utsname host;

	*to = 0;
	name_add_plain(&name, host_named(&host));
}

bool tl_output_job_pattern(char *pattern, size_t room, const char *folder)
{
	static const char rest[] = "%j/%h/%R.tlt";
	struct name name = {pattern, pattern, pattern + room, false};

	*pattern = 0;
	name_add_doubled(&name, folder);
	if (*folder && name.at > pattern && name.at[-1] != '/')
		name_add(&name, "/", 1);
	name_add(&name, rest, sizeof(rest) - 1);
	return !name.cut;
}

int tl_output_make_job_folders(const char *path)
{
	static char folder[TL_OUTPUT_PATH];
	size_t length = strlen(path), ends[2];

	for (int i = 1; i >= 0; i--) {
		while (length && path[length - 1] != '/')
			length--;
		if (!length--)
			return 0;
		ends[i] = length;
	}
	if (length >= sizeof(folder))
		return -ENAMETOOLONG;
	for (int i = 0; i < 2; i++) {
		memcpy(folder, path, ends[i]);
		folder[ends[i]] = 0;
		int error = KERNEL(SYS_mkdirat, AT_FDCWD, folder, 0777);
		if (error < 0 && error != -EEXIST)
			return error;
	}
	return 0;
}

bool tl_output_expand(char *path, size_t room, const char *pattern, int64_t rank)
{
	struct utsname host;
	struct timespec now = {0};

	syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
	const struct tl_output_names names = {
		.pid = (uint32_t)KERNEL(SYS_getpid),
		.rank = rank,
		.seconds = (uint64_t)now.tv_sec,
		.host = host_named(&host),
		.standard = TL_OUTPUT_STANDARD,
	};
	return tl_output_expand_for(path, room, pattern, &names);
}

/*
 * The rest of a path to walk; a link's target is put before it. Static, since it is as large as a
 * path, and the writing thread may have a small stack. Only one thread writes at a time.
 */
static struct walk {
	int folder; /* AT_FDCWD, or a descriptor to close */
	unsigned links;
	char rest[TL_OUTPUT_PATH], target[TL_OUTPUT_PATH];
} the_walk, checking_walk;

static void walk_to(struct walk *walk, int folder)
{
	if (walk->folder != AT_FDCWD)
		KERNEL(SYS_close, walk->folder);
	walk->folder = folder;
}

static int walk_through_link(struct walk *walk, int link, const char *rest)
{
	char *path = walk->target;
	struct stat stat;
	int size = KERNEL(SYS_readlinkat, link, "", path, TL_OUTPUT_PATH);
	size_t left = strlen(rest) + 1;

	if (size <= 0)
		return size ? size : -ENOENT;
	if (fstat(link, &stat))
		return -errno;
	if (file_is_foreign(&stat))
		return -TL_OUTPUT_LINK;
	if (++walk->links > LINKS_MAX)
		return -ELOOP;
	if (size + 1 + left > TL_OUTPUT_PATH)
		return -ENAMETOOLONG;
	path[size] = '/';
	memcpy(path + size + 1, rest, left);
	memcpy(walk->rest, path, size + 1 + left);
	return 0;
}

/* Walks one component; walk->rest becomes what is left. */
static int walk_step(struct walk *walk, size_t size)
{
	char name[256];
	const char *rest = walk->rest + size + strspn(walk->rest + size, "/");
	struct stat stat;

	if (size >= sizeof(name))
		return -ENAMETOOLONG;
	memcpy(name, walk->rest, size);
	name[size] = 0;
	int next = KERNEL(SYS_openat, walk->folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (next < 0)
		return next;
	if (fstat(next, &stat)) {
		KERNEL(SYS_close, next);
		return -EIO;
	}
	if (S_ISLNK(stat.st_mode)) {
		int error = walk_through_link(walk, next, rest);
		KERNEL(SYS_close, next);
		return error;
	}
	walk_to(walk, next);
	memmove(walk->rest, rest, strlen(rest) + 1);
	return 0;
}

/* Opens the folder of a path's last component, and leaves that component in walk->rest. */
static int walk_path(struct walk *walk, const char *path)
{
	walk->folder = AT_FDCWD;
	walk->links = 0;
	size_t size = strlen(path);
	if (size >= sizeof(walk->rest))
		return -ENAMETOOLONG;
	memcpy(walk->rest, path, size + 1);
	for (;;) {
		if (walk->rest[0] == '/') {
			int root = KERNEL(SYS_openat, AT_FDCWD, "/", O_PATH | O_CLOEXEC);
			if (root < 0)
				return root;
			walk_to(walk, root);
			size_t slashes = strspn(walk->rest, "/");
			memmove(walk->rest, walk->rest + slashes, strlen(walk->rest + slashes) + 1);
		}
		size = strcspn(walk->rest, "/");
		if (!walk->rest[size])
			return *walk->rest ? 0 : -EISDIR;
		int error = walk_step(walk, size);
		if (error < 0)
			return error;
	}
}

static bool ends_with(const char *text, size_t size, const char *ending)
{
	size_t length = strlen(ending);

	return size > length && !memcmp(text + size - length, ending, length);
}

/*
 * Where a name's ending begins: .json.gz is one ending, and so is .pftrace.gz; a dot at the front
 * begins none.
 */
static size_t ending_of(const char *name)
{
	size_t size = strlen(name);

	struct tl_output_ending ending = tl_output_ending(name);

	if (ending.known && ending.gzip && ending.size < size)
		return size - ending.size;
	if (ends_with(name, size, ".speedscope.json"))
		return size - 16;
	const char *dot = strrchr(name, '.');
	return dot && dot != name ? (size_t)(dot - name) : size;
}

static bool file_is_special(mode_t mode)
{
	return S_ISCHR(mode) || S_ISFIFO(mode);
}

/* Opens a file that was checked, and makes sure that it is still the same file. */
static int open_judged(int folder, const char *name, const struct stat *judged, int flags)
{
	struct stat stat;
	int fd = KERNEL(SYS_openat, folder, name, O_WRONLY | O_CLOEXEC | O_NOCTTY | flags);

	if (fd < 0 || (file_look(fd, "", &stat, false) == 0 && stat.st_dev == judged->st_dev &&
		       stat.st_ino == judged->st_ino))
		return fd;
	KERNEL(SYS_close, fd);
	return -ESTALE;
}

/*
 * A link of procfs is a descriptor that its process has open. Who made the file behind it does not
 * matter, since the descriptor was handed over.
 */
static int open_descriptor(int folder, const char *name, int flags)
{
	struct stat stat;

	if (file_look(folder, name, &stat, true) < 0)
		return -EEXIST;
	if (S_ISREG(stat.st_mode))
		return -TL_OUTPUT_SHARED;
	return file_is_special(stat.st_mode) ? open_judged(folder, name, &stat, flags) : -EEXIST;
}

/*
 * Opens a link like /dev/stdout, which leads to /proc/self/fd/1. Any other link counts as a taken
 * name, unless it leads to a device.
 */
static int open_through_link(int folder, const char *name, int flags)
{
	static const char procfs[] = "/proc/";
	char path[64];
	struct statfs system;
	struct stat stat;

	if (!KERNEL(SYS_fstatfs, folder, &system) && system.f_type == PROCFS)
		return open_descriptor(folder, name, flags);
	int size = KERNEL(SYS_readlinkat, folder, name, path, sizeof(path) - 1);
	if (size <= 0 || (size_t)size == sizeof(path) - 1)
		return -EEXIST;
	path[size] = 0;
	if (!strncmp(path, procfs, sizeof(procfs) - 1) && strstr(path, "/fd/"))
		return open_descriptor(AT_FDCWD, path, flags);
	if (file_look(folder, name, &stat, true) == 0 && S_ISCHR(stat.st_mode))
		return open_judged(folder, name, &stat, flags);
	return -EEXIST;
}

/* A device (/dev/null, /dev/full) is written to as it is, and so is a pipe that has a reader. */
int tl_output_special(int folder, const char *name, int flags)
{
	struct stat stat;

	if (file_look(folder, name, &stat, false) < 0)
		return -EEXIST;
	if (S_ISLNK(stat.st_mode))
		return file_is_foreign(&stat) ? -EEXIST : open_through_link(folder, name, flags);
	if (!file_is_special(stat.st_mode))
		return -EEXIST;
	/*
	 * Any user can make a pipe in a folder that all may write to, and wait there for data. Only
	 * root makes devices.
	 */
	if (S_ISFIFO(stat.st_mode) && file_is_foreign(&stat))
		return -TL_OUTPUT_FOREIGN;
	return open_judged(folder, name, &stat, O_NOFOLLOW | flags);
}

bool tl_output_number(char *name, size_t room, uint32_t number)
{
	char ending[256];
	size_t dot = ending_of(name), length = strlen(name + dot);
	struct name numbered = {name, name + dot, name + room, false};

	if (length >= sizeof(ending))
		return false;
	memcpy(ending, name + dot, length + 1);
	name_add(&numbered, ".", 1);
	name_add_number(&numbered, number, 1);
	name_add(&numbered, ending, length);
	return !numbered.cut;
}

/* The name with that number is taken. `plain` is the name without one. */
static bool number_is_taken(int folder, const char *plain, uint32_t number)
{
	char name[sizeof(the_walk.rest)];
	struct stat stat;

	strcpy(name, plain);
	return tl_output_number(name, sizeof(name), number) &&
	       file_look(folder, name, &stat, false) != -ENOENT;
}

/*
 * A job may leave thousands of traces of one name. So behind the near numbers, steps double until one
 * is free, and halve back to one whose predecessor is taken.
 */
uint32_t tl_output_free_number(int folder, const char *plain, uint32_t number)
{
	uint32_t step = 1, last = number + TAKEN_MAX;

	for (int near = 0; near < 8; near++, number++)
		if (!number_is_taken(folder, plain, number))
			return number;
	for (; number < last && number_is_taken(folder, plain, number); step *= 2)
		number += step;
	for (step /= 4; step; step /= 2)
		if (!number_is_taken(folder, plain, number - step))
			number -= step;
	return number;
}

/*
 * Creates `name`, or one of name.1.json, name.2.json … from *number on that is free. `name` becomes
 * the file's name, and *number its number. Other processes may take a name that was free.
 */
static int create_in(int folder, char *name, size_t room, uint32_t *number)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY;
	size_t size = strlen(name);
	char plain[256];

	if (size >= sizeof(plain))
		return -ENAMETOOLONG;
	memcpy(plain, name, size + 1);
	int fd = *number ? -EEXIST : KERNEL(SYS_openat, folder, name, flags, 0600);
	if (fd == -EEXIST)
		fd = tl_output_special(folder, name, O_NONBLOCK);
	uint32_t first = *number ? *number : 1;
	for (uint32_t n = first; fd == -EEXIST && n - first < TAKEN_MAX; n++) {
		n = tl_output_free_number(folder, plain, n);
		*number = n;
		memcpy(name, plain, size + 1);
		fd = tl_output_number(name, room, n) ? KERNEL(SYS_openat, folder, name, flags, 0600)
						     : -ENAMETOOLONG;
	}
	return fd;
}

/*
 * For a caller that walks back to the path's own last component: what is left must be that, and not
 * the last component of a link's target.
 */
static const char *path_last(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int check_in(int folder, const char *name)
{
	struct stat stat;
	int error = file_look(folder, name, &stat, false), fd;

	if (error == -ENAMETOOLONG)
		return error;
	if (!error && S_ISFIFO(stat.st_mode))
		return file_is_foreign(&stat) ? -TL_OUTPUT_FOREIGN : 0;
	if (!error && S_ISCHR(stat.st_mode))
		return 0;
	if (!error && S_ISLNK(stat.st_mode)) {
		fd = tl_output_special(folder, name, O_NONBLOCK);
		if (fd >= 0)
			KERNEL(SYS_close, fd);
		if (fd != -EEXIST)
			return fd < 0 && fd != -ENXIO ? fd : 0;
	}
	/* This checks as the real user, so it can't tell if the effective one differs. */
	if (KERNEL(SYS_getuid) != KERNEL(SYS_geteuid))
		return 0;
	error = KERNEL(SYS_faccessat, folder, ".", W_OK | X_OK);
	return error < 0 ? error : 0;
}

int tl_output_check(const char *path)
{
	struct walk *walk = &checking_walk;
	int error = walk_path(walk, path);

	if (!error)
		error = strcmp(path_last(path), walk->rest) ? -EISDIR
							    : check_in(walk->folder, walk->rest);
	walk_to(walk, AT_FDCWD);
	return error;
}

int tl_output_folder(const char *path, char *name)
{
	struct walk *walk = &the_walk;
	int error = walk_path(walk, path), folder = -1;

	if (!error && (strcmp(path_last(path), walk->rest) || strlen(walk->rest) > 255))
		error = strlen(walk->rest) > 255 ? -ENAMETOOLONG : -EISDIR;
	if (!error) {
		strcpy(name, walk->rest);
		folder = KERNEL(SYS_openat, walk->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (folder == -EACCES)
			folder = KERNEL(SYS_openat, walk->folder, ".",
					O_PATH | O_DIRECTORY | O_CLOEXEC);
	}
	walk_to(walk, AT_FDCWD);
	return error ? error : folder;
}

int tl_output_create(struct tl_output *output)
{
	struct walk *walk = &the_walk;
	struct stat stat;
	int fd = walk_path(walk, output->path);

	if (!fd) {
		char *base = (char *)path_last(output->path);
		if (!strcmp(base, walk->rest)) {
			/*
			 * First the name in the folder that was found; then the path as the user
			 * wrote it, with that name.
			 */
			fd = create_in(walk->folder, walk->rest, sizeof(walk->rest),
				       &output->number);
			if (fd >= 0 && strlen(walk->rest) <
					       (size_t)(output->path + sizeof(output->path) - base))
				memcpy(base, walk->rest, strlen(walk->rest) + 1);
		} else {
			fd = -EISDIR;
		}
	}
	walk_to(walk, AT_FDCWD);
	if (fd < 0)
		return fd;
	if (fstat(fd, &stat)) {
		KERNEL(SYS_close, fd);
		return -EIO;
	}
	output->device = stat.st_dev;
	output->inode = stat.st_ino;
	output->regular = S_ISREG(stat.st_mode);
	output->stream = S_ISFIFO(stat.st_mode);
	output->gzip = ends_with(output->path, strlen(output->path), ".gz");
	return fd;
}

int tl_output_reopen(const struct tl_output *output)
{
	struct walk *walk = &the_walk;
	struct stat stat;
	int fd = walk_path(walk, output->path);

	if (!fd) {
		fd = KERNEL(SYS_openat, walk->folder, walk->rest,
			    O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
		/* /dev/stdout and the like. */
		if (fd == -ELOOP)
			fd = tl_output_special(walk->folder, walk->rest, O_NONBLOCK);
		fd = fd == -EEXIST ? -ELOOP : fd;
	}
	walk_to(walk, AT_FDCWD);
	if (fd < 0)
		return fd;
	if (fstat(fd, &stat) || stat.st_dev != output->device || stat.st_ino != output->inode) {
		KERNEL(SYS_close, fd);
		return -ESTALE;
	}
	return fd;
}
