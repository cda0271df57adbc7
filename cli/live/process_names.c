/* SPDX-License-Identifier: MIT */
/*
 * process_names.c: see process_names.h.
 */
#include "config.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/live/process_names.h"
#include "format/file/describe.h"

#define TEXT_MOST 256u

void process_names_describe(struct process_names *names, const struct tl_piece *piece,
			    uint64_t size)
{
	names->descriptions = need(reallocarray(names->descriptions, names->ndescriptions + 1,
						sizeof(*names->descriptions)));
	names->descriptions[names->ndescriptions++] = (struct description){
		(const struct tl_api_piece *)piece, size - sizeof(struct tl_api_piece)};
}

static struct known_text *text_place(struct known_text *texts, size_t room, uint64_t address)
{
	size_t at = (size_t)(address * 0x9e3779b97f4a7c15u >> 20) & (room - 1);

	while (texts[at].address && texts[at].address != address)
		at = (at + 1) & (room - 1);
	return &texts[at];
}

static struct known_text *known_text(struct process_names *names, uint64_t address)
{
	if (2 * names->ntexts >= names->text_room) {
		size_t room = names->text_room ? 2 * names->text_room : 256;
		struct known_text *texts = need(calloc(room, sizeof(*texts)));
		for (size_t i = 0; i < names->text_room; i++)
			if (names->texts[i].address)
				*text_place(texts, room, names->texts[i].address) = names->texts[i];
		free(names->texts);
		names->texts = texts;
		names->text_room = room;
	}
	return text_place(names->texts, names->text_room, address);
}

/* Reads bytes of a mapped file, by the file's line in the process's maps. */
static ssize_t read_mapped(const struct process_names *names, const char *line, uint64_t address,
			   char *to, size_t size)
{
	unsigned long long from, until, offset, inode;
	char path[PATH_MAX];
	int place = 0;
	struct stat stat;

	if (sscanf(line, "%llx-%llx %*s %llx %*s %llu %n", &from, &until, &offset, &inode,
		   &place) != 4 ||
	    address < from || address >= until || !place || line[place] != '/')
		return 0;
	snprintf(path, sizeof(path), "/proc/%u/root%.*s", names->pid,
		 (int)strcspn(line + place, "\n"), line + place);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	/* We may have no access to /proc/PID/root. Mostly it is our own root. */
	if (fd < 0)
		fd = open(strchr(path + 6, '/') + 5, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return 0;
	ssize_t got = 0;
	if (!fstat(fd, &stat) && S_ISREG(stat.st_mode) && stat.st_ino == inode)
		got = pread(fd, to, until - address < size ? until - address : size,
			    (off_t)(offset + address - from));
	close(fd);
	return got;
}

static ssize_t read_from_files(const struct process_names *names, uint64_t address, char *to,
			       size_t size)
{
	char path[64], *line = NULL;
	size_t room = 0;
	ssize_t got = 0;

	snprintf(path, sizeof(path), "/proc/%u/maps", names->pid);
	FILE *maps = fopen(path, "re");

	while (maps && got <= 0 && getline(&line, &room, maps) > 0)
		got = read_mapped(names, line, address, to, size);
	if (maps)
		fclose(maps);
	free(line);
	return got;
}

static ssize_t read_from_memory(const struct process_names *names, uint64_t address, char *to,
				size_t size)
{
	uint64_t page = TL_FILE_PAGE - address % TL_FILE_PAGE;
	const struct iovec here = {to, size < page ? size : page};
	const struct iovec there = {(void *)(uintptr_t)address, here.iov_len};

	return process_vm_readv((pid_t)names->pid, &here, 1, &there, 1, 0);
}

/* A new copy. */
static char *read_text(const struct process_names *names, uint64_t address)
{
	char text[TEXT_MOST + 1];
	ssize_t got = read_from_files(names, address, text, TEXT_MOST);

	if (got <= 0)
		got = read_from_memory(names, address, text, TEXT_MOST);
	if (got <= 0)
		snprintf(text, sizeof(text), "(label at 0x%llx)", (unsigned long long)address);
	else
		text[got] = 0;
	return need(strdup(text));
}

const char *process_names_label(struct process_names *names, uint64_t address)
{
	struct known_text *known = known_text(names, address);

	if (!known->address) {
		*known = (struct known_text){address, read_text(names, address)};
		names->ntexts++;
	}
	return known->text;
}

/* NULL: not known yet. */
static const struct tl_api *api_of(struct process_names *names, uint32_t number)
{
	char why[256];

	for (size_t i = 0; number < PROCESS_APIS && !names->api[number] && i < names->ndescriptions;
	     i++) {
		const struct tl_api_piece *piece = names->descriptions[i].piece;
		/*
		 * Acquire: pairs with the release of the process, which has stored all else before.
		 */
		uint32_t size = __atomic_load_n(&piece->size, __ATOMIC_ACQUIRE);
		if (size && size <= names->descriptions[i].room && piece->number == number)
			names->api[number] = tl_describe_read(piece + 1, size, why, sizeof(why));
	}
	return number < PROCESS_APIS ? names->api[number] : NULL;
}

const struct tl_function *process_names_described(struct process_names *names, uint32_t function)
{
	const struct tl_api *api = api_of(names, function >> 16);

	return api && (function & 0xffff) < api->count ? &api->functions[function & 0xffff] : NULL;
}

const char *process_names_function(struct process_names *names, uint32_t function)
{
	/* It is no address of a process. */
	uint64_t key = UINT64_C(1) << 63 | function;
	struct known_text *known = known_text(names, key);
	const struct tl_function *described;
	char *text;

	if (known->address)
		return known->text;
	described = process_names_described(names, function);
	if (!described)
		return NULL;
	text = need(strdup(described->name));
	*known = (struct known_text){key, text};
	names->ntexts++;
	return text;
}

void process_names_forget(struct process_names *names)
{
	for (size_t i = 0; i < names->text_room; i++)
		if (names->texts[i].address)
			free((char *)names->texts[i].text);
	process_names_free(names);
}

void process_names_free(struct process_names *names)
{
	for (size_t i = 0; i < PROCESS_APIS; i++)
		if (names->api[i])
			tl_describe_free(names->api[i]);
	free(names->descriptions);
	free(names->texts);
}
