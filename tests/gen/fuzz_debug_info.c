/* SPDX-License-Identifier: MIT */
/*
 * fuzz_debug_info.c: changes bytes of a library's debug information and makes interposers of it:
 *
 *	fuzz_debug_info LIBRARY FOLDER FIRST COUNT
 *
 * Each change is a process of its own, numbered from FIRST; the number decides what is changed. The
 * sections are those of LIBRARY, which must not be compressed. Prints how the processes ended:
 * "COUNT made, COUNT refused, COUNT crashed, COUNT hung". What sanitizers find is in their logs.
 */
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gen/allocate.h"
#include "gen/debug_info.h"
#include "gen/exports.h"
#include "gen/guess.h"
#include "gen/interposer.h"

struct span {
	size_t at, size;
};

struct input {
	unsigned char *bytes;
	size_t size;
	struct span *spans;
	size_t nspans;
};

static void input_read(struct input *input, const char *path)
{
	int file = open(path, O_RDONLY);
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(file, ELF_C_READ, NULL);
	const char *raw = elf ? elf_rawfile(elf, &input->size) : NULL;
	if (!raw || elf_getshdrstrndx(elf, &names) != 0)
		exit(2);
	input->bytes = (unsigned char *)copy_bytes(raw, input->size);
	while ((section = elf_nextscn(elf, section)) && gelf_getshdr(section, &header)) {
		const char *name = elf_strptr(elf, names, header.sh_name);

		if (name && (!strcmp(name, ".debug_info") || !strcmp(name, ".debug_abbrev") ||
			     !strcmp(name, ".debug_line") || !strcmp(name, ".debug_str") ||
			     !strcmp(name, ".debug_types")))
			*APPEND(input->spans, input->nspans) =
				(struct span){header.sh_offset, header.sh_size};
	}
	elf_end(elf);
	close(file);
}

/* Few bytes of .debug_info or .debug_abbrev mostly: others lead to less code. */
static void input_change(const struct input *input, unsigned char *bytes, unsigned number)
{
	unsigned changes;

	srandom(number);
	changes = 1 + (unsigned)random() % 4;
	for (unsigned i = 0; i < changes; i++) {
		const struct span *span = &input->spans[(size_t)random() % input->nspans];
		size_t at = span->at + (size_t)random() % span->size;

		switch (random() % 3) {
		case 0:
			bytes[at] ^= (unsigned char)(1u << random() % 8);
			break;
		case 1:
			bytes[at] = (unsigned char)random();
			break;
		default:
			/* A reference or a length of a neighbour's. */
			memmove(bytes + at, bytes + span->at + (size_t)random() % span->size,
				span->size - (at - span->at) < 4 ? 1 : 4);
			break;
		}
	}
}

static int interposer_try(const char *library, const char *output)
{
	struct exports *exports = allocate(sizeof *exports);

	if (exports_read(library, exports) != 0)
		return 1;
	struct model *model = model_from_debug_info(exports, false, stdout);
	struct guesses guesses = model_guess(model);
	model_apply_guesses(&guesses);
	return interposer_write(model, library, output) == 0 ? 0 : 1;
}

static void change_run(const struct input *input, const char *folder, unsigned number)
{
	const char *library = format_text("%s/lib%u.so", folder, number),
		   *output = format_text("%s/out%u.so", folder, number);
	unsigned char *bytes = (unsigned char *)copy_bytes((char *)input->bytes, input->size);
	FILE *to = fopen(library, "w");

	input_change(input, bytes, number);
	if (!to || fwrite(bytes, 1, input->size, to) != input->size || fclose(to) != 0)
		exit(2);
	free(bytes);
	freopen("/dev/null", "w", stdout);
	alarm(150);
	int result = interposer_try(library, output);
	unlink(library);
	unlink(output);
	exit(result);
}

int main(int argc, char **argv)
{
	struct input input = {0};
	unsigned made = 0, refused = 0, crashed = 0, hung = 0;

	if (argc != 5)
		return 2;
	input_read(&input, argv[1]);
	unsigned first = (unsigned)strtoul(argv[3], NULL, 10),
		 count = (unsigned)strtoul(argv[4], NULL, 10);
	for (unsigned i = first; i < first + count; i++) {
		int status;

		fflush(stdout);
		pid_t child = fork();
		if (child == 0)
			change_run(&input, argv[2], i);
		if (child < 0 || waitpid(child, &status, 0) < 0)
			return 2;
		if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
			fprintf(stderr, "%u hung\n", i), hung++;
		else if (WIFSIGNALED(status) || WEXITSTATUS(status) > 2)
			fprintf(stderr, "%u crashed\n", i), crashed++;
		else if (WEXITSTATUS(status))
			refused++;
		else
			made++;
	}
	printf("%u made, %u refused, %u crashed, %u hung\n", made, refused, crashed, hung);
	return 0;
}
