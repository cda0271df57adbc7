/* SPDX-License-Identifier: MIT */
/*
 * interposer_elf.c: the parts of an interposer as a shared library: dynamic symbols with their
 * versions, hash table, relocations, dynamic section, segments and section headers.
 *
 * Four segments, as linkers make them: what is only read, code, what is read-only after relocation,
 * and data. Each begins on a page of its own. The tables have no relocations: their pointers are late
 * words, which the layer makes pointers of (common/interposer_library.h).
 *
 * A function whose library compares its address has two symbols. The first is undefined: the dynamic
 * linker takes an undefined symbol with a value for pointers, and not for calls (as in a program that
 * has an entry of its own for a library's function). Its value is 0 in the file, and then the symbol is
 * passed over. layer/resolve/function_identity.c sets it to the library's function. An undefined symbol
 * must not have a version that the file defines: linkers refuse that. Without a version it serves
 * references to all versions, so a function that the library has in several has no such symbol.
 *
 * Documents: "System V Application Binary Interface", chapters 4 and 5; "Linux Standard Base Core",
 * 10 (versions), GNU hash tables as binutils write them.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/interposer_library.h"
#include "gen/allocate.h"
#include "gen/interposer.h"

/* What differs between machines. */
struct machine {
	uint16_t number; /* EM_* */
	uint32_t page;	 /* the largest that its kernels have */
	uint32_t relative, got;
};

static const struct machine machines[] = {
	{EM_X86_64, 0x1000, R_X86_64_RELATIVE, R_X86_64_GLOB_DAT},
	{EM_AARCH64, 0x10000, R_AARCH64_RELATIVE, R_AARCH64_GLOB_DAT},
};

struct section {
	const char *name;
	uint32_t type;
	uint64_t flags, align, entry;
	enum part link; /* PART_NOTE: none */
};

static const struct section sections[NPARTS] = {
	[PART_NOTE] = {".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 4, 0, PART_NOTE},
	[PART_GNU_HASH] = {".gnu.hash", SHT_GNU_HASH, SHF_ALLOC, 8, 0, PART_DYNSYM},
	[PART_DYNSYM] = {".dynsym", SHT_DYNSYM, SHF_ALLOC, 8, sizeof(Elf64_Sym), PART_DYNSTR},
	[PART_DYNSTR] = {".dynstr", SHT_STRTAB, SHF_ALLOC, 1, 0, PART_NOTE},
	[PART_VERSYM] = {".gnu.version", SHT_GNU_versym, SHF_ALLOC, 2, 2, PART_DYNSYM},
	[PART_VERDEF] = {".gnu.version_d", SHT_GNU_verdef, SHF_ALLOC, 8, 0, PART_DYNSTR},
	[PART_RELA] = {".rela.dyn", SHT_RELA, SHF_ALLOC, 8, sizeof(Elf64_Rela), PART_DYNSYM},
	[PART_LATE_WORDS] = {".tl_late_words", SHT_PROGBITS, SHF_ALLOC, 4, 0, PART_NOTE},
	[PART_RODATA] = {".rodata", SHT_PROGBITS, SHF_ALLOC, 8, 0, PART_NOTE},
	[PART_EH_FRAME_HDR] = {".eh_frame_hdr", SHT_PROGBITS, SHF_ALLOC, 4, 0, PART_NOTE},
	[PART_EH_FRAME] = {".eh_frame", SHT_PROGBITS, SHF_ALLOC, 8, 0, PART_NOTE},
	[PART_TEXT] = {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 16, 0, PART_NOTE},
	[PART_INIT_ARRAY] = {".init_array", SHT_INIT_ARRAY, SHF_ALLOC | SHF_WRITE, 8, 8, PART_NOTE},
	[PART_RELRO] = {".data.rel.ro", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 8, 0, PART_NOTE},
	[PART_DYNAMIC] = {".dynamic", SHT_DYNAMIC, SHF_ALLOC | SHF_WRITE, 8, sizeof(Elf64_Dyn),
			  PART_DYNSTR},
	[PART_GOT] = {".got", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 8, 8, PART_NOTE},
	[PART_DATA] = {".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 64, 0, PART_NOTE},
	[PART_LATE] = {".tl_late", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 8, 0, PART_NOTE},
};

struct exported {
	unsigned stub;
	bool defined; /* false: the symbol for pointers */
};

struct file {
	struct image *image;
	const struct elf_input *input;
	const struct machine *machine;
	uint64_t address[NPARTS]; /* and place in the file: they are the same */
	uint32_t index[NPARTS];	  /* of the section's header; 0: there is no such section */
	struct exported *order;	  /* in .dynsym */
	size_t nexported;
};

static uint64_t size_of(const struct file *file, enum part part)
{
	return file->image->parts[part].size;
}

static uint64_t address_of(const struct file *file, struct spot spot)
{
	return file->address[spot.part] + spot.offset;
}

/* ---- symbols */

static uint32_t name_add(struct file *file, const char *text)
{
	return image_add(file->image, PART_DYNSTR, text, strlen(text) + 1, 1).offset;
}

static uint32_t gnu_hash(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

static uint32_t sysv_hash(const char *name)
{
	uint32_t hash = 0;

	for (; *name; name++) {
		hash = (hash << 4) + (unsigned char)*name;
		hash ^= hash >> 24 & 0xf0;
	}
	return hash & 0x0fffffff;
}

struct hashed {
	uint32_t hash, bucket;
	struct exported symbol;
};

static int by_bucket(const void *a, const void *b)
{
	const struct hashed *one = a, *other = b;

	if (one->bucket != other->bucket)
		return one->bucket < other->bucket ? -1 : 1;
	if (one->symbol.stub != other->symbol.stub)
		return one->symbol.stub < other->symbol.stub ? -1 : 1;
	return one->symbol.defined - other->symbol.defined;
}

/* .gnu.hash; and the order of symbols that it asks for. */
static void hash_write(struct file *file)
{
	const struct elf_input *input = file->input;
	uint32_t nbuckets = 1, nbloom = 1, first = 1 + (uint32_t)input->nimports;
	struct hashed *list = allocate((2 * input->nstubs + 1) * sizeof *list);
	size_t count = 0;

	for (unsigned i = 0; i < input->nstubs; i++) {
		uint32_t hash = input->stubs[i].name ? gnu_hash(input->stubs[i].name) : 0;

		if (input->stubs[i].name)
			list[count++] = (struct hashed){hash, 0, {i, true}};
		if (input->stubs[i].name && input->stubs[i].compared)
			list[count++] = (struct hashed){hash, 0, {i, false}};
	}
	while (2 * nbuckets < count)
		nbuckets *= 2;
	while (8 * nbloom < count)
		nbloom *= 2;
	nbuckets += nbuckets > 2; /* odd */
	for (size_t i = 0; i < count; i++)
		list[i].bucket = list[i].hash % nbuckets;
	qsort(list, count, sizeof *list, by_bucket);
	const uint32_t head[] = {nbuckets, first, nbloom, 26};
	image_add(file->image, PART_GNU_HASH, head, sizeof head, 8);
	struct spot bloom_at = image_reserve(file->image, PART_GNU_HASH, 8 * (size_t)nbloom, 8);
	struct spot buckets_at = image_reserve(file->image, PART_GNU_HASH, 4 * (size_t)nbuckets, 4);
	struct spot chains_at = image_reserve(file->image, PART_GNU_HASH, 4 * count, 4);
	uint64_t *bloom = image_at(file->image, bloom_at);
	uint32_t *buckets = image_at(file->image, buckets_at);
	uint32_t *chains = image_at(file->image, chains_at);
	file->order = allocate((count + 1) * sizeof *file->order);
	file->nexported = count;
	for (size_t i = 0; i < count; i++) {
		uint32_t hash = list[i].hash;

		bloom[hash / 64 & (nbloom - 1)] |= 1ull << hash % 64 | 1ull << (hash >> 26) % 64;
		if (!buckets[list[i].bucket])
			buckets[list[i].bucket] = first + (uint32_t)i;
		bool last = i + 1 == count || list[i + 1].bucket != list[i].bucket;
		chains[i] = (hash & ~1u) | last;
		file->order[i] = list[i].symbol;
	}
	free(list);
}

static void symbol_add(struct file *file, const Elf64_Sym *symbol, uint16_t version)
{
	image_add(file->image, PART_DYNSYM, symbol, sizeof *symbol, 8);
	if (file->input->library->has_versions)
		image_add(file->image, PART_VERSYM, &version, sizeof version, 2);
}

/* Values are filled in when addresses are known. */
static void symbols_write(struct file *file)
{
	const struct elf_input *input = file->input;

	symbol_add(file, &(Elf64_Sym){0}, 0);
	for (size_t i = 0; i < input->nimports; i++)
		symbol_add(file,
			   &(Elf64_Sym){.st_name = name_add(file, input->imports[i]),
					.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE)},
			   VER_NDX_GLOBAL);
	uint32_t name = 0;
	for (size_t i = 0; i < file->nexported; i++) {
		const struct exported *exported = &file->order[i];
		const struct code_stub *stub = &input->stubs[exported->stub];

		if (!i || exported[-1].stub != exported->stub)
			name = name_add(file, stub->name);
		symbol_add(file,
			   &(Elf64_Sym){.st_name = name,
					.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
					.st_size = exported->defined ? stub->size : 0},
			   exported->defined ? (uint16_t)stub->version : VER_NDX_GLOBAL);
	}
}

static void definition_add(struct file *file, const char *name, uint16_t number, bool last)
{
	Elf64_Verdef definition = {
		.vd_version = VER_DEF_CURRENT,
		.vd_flags = number == VER_NDX_GLOBAL ? VER_FLG_BASE : 0,
		.vd_ndx = number,
		.vd_cnt = 1,
		.vd_hash = sysv_hash(name),
		.vd_aux = sizeof definition,
		.vd_next = last ? 0 : sizeof(Elf64_Verdef) + sizeof(Elf64_Verdaux),
	};
	Elf64_Verdaux auxiliary = {.vda_name = name_add(file, name)};

	image_add(file->image, PART_VERDEF, &definition, sizeof definition, 4);
	image_add(file->image, PART_VERDEF, &auxiliary, sizeof auxiliary, 4);
}

static void versions_write(struct file *file)
{
	const struct library *library = file->input->library;

	if (!library->has_versions)
		return;
	definition_add(file, file->input->soname, VER_NDX_GLOBAL, !library->nversions);
	for (size_t i = 0; i < library->nversions; i++)
		definition_add(file, library->versions[i], (uint16_t)(i + 2),
			       i + 1 == library->nversions);
}

/* ---- addresses */

static bool begins_segment(enum part part)
{
	return part == PART_TEXT || part == PART_INIT_ARRAY || part == PART_DATA;
}

static uint64_t headers_size(void)
{
	return sizeof(Elf64_Ehdr) + 9 * sizeof(Elf64_Phdr);
}

/* The end of the file's parts. */
static uint64_t addresses_give(struct file *file)
{
	uint64_t at = headers_size();

	for (enum part part = 0; part < NPARTS; part++) {
		uint64_t align = begins_segment(part) ? file->machine->page : sections[part].align;

		at = (at + align - 1) / align * align;
		file->address[part] = at;
		at += size_of(file, part);
	}
	return at;
}

static void relocations_reserve(struct file *file)
{
	size_t count = file->image->npointers - image_late_words(file->image);

	image_reserve(file->image, PART_RELA, count * sizeof(Elf64_Rela), 8);
}

static int by_spot(const void *a, const void *b)
{
	const struct pointer *one = a, *other = b;

	if (one->at.part != other->at.part)
		return one->at.part < other->at.part ? -1 : 1;
	return one->at.offset < other->at.offset ? -1 : one->at.offset > other->at.offset;
}

/* In the order of their places, which is how the process walks them. */
static void pointers_sort(struct image *image)
{
	qsort(image->pointers, image->npointers, sizeof *image->pointers, by_spot);
}

static void late_words_write(struct file *file)
{
	struct image *image = file->image;
	int32_t *places = (int32_t *)image->parts[PART_LATE_WORDS].bytes;
	uint64_t place = file->address[PART_LATE_WORDS];

	for (size_t i = 0; i < image->npointers; i++) {
		const struct pointer *pointer = &image->pointers[i];

		if (pointer->at.part != PART_LATE)
			continue;
		uint64_t at = address_of(file, pointer->at);
		uint64_t word = address_of(file, pointer->to) - at + TL_LATE_MARK;
		memcpy(image_at(image, pointer->at), &word, sizeof word);
		*places++ = (int32_t)(at - place);
		place += sizeof *places;
	}
}

/* Relocations without a symbol come first, as DT_RELACOUNT counts them. Returns that count. */
static size_t relocations_write(struct file *file)
{
	struct image *image = file->image;
	Elf64_Rela *list = (Elf64_Rela *)image->parts[PART_RELA].bytes;
	size_t relative = 0, count = 0;

	for (size_t i = 0; i < image->npointers; i++) {
		const struct pointer *pointer = &image->pointers[i];

		if (pointer->symbol || pointer->at.part == PART_LATE)
			continue;
		uint64_t to = address_of(file, pointer->to);
		memcpy(image_at(image, pointer->at), &to, sizeof to);
		list[relative++] = (Elf64_Rela){.r_offset = address_of(file, pointer->at),
						.r_info = ELF64_R_INFO(0, file->machine->relative),
						.r_addend = (int64_t)to};
	}
	count = relative;
	for (size_t i = 0; i < image->npointers; i++)
		if (image->pointers[i].symbol)
			list[count++] = (Elf64_Rela){
				.r_offset = address_of(file, image->pointers[i].at),
				.r_info = ELF64_R_INFO((uint64_t)image->pointers[i].symbol,
						       file->machine->got)};
	return relative;
}

static void symbols_place(struct file *file)
{
	Elf64_Sym *symbols = (Elf64_Sym *)image_at(file->image, (struct spot){PART_DYNSYM, 0});

	for (size_t i = 0; i < file->nexported; i++) {
		Elf64_Sym *symbol = &symbols[1 + file->input->nimports + i];

		if (!file->order[i].defined)
			continue;
		symbol->st_value = address_of(file, file->input->stubs[file->order[i].stub].at);
		symbol->st_shndx = (uint16_t)file->index[PART_TEXT];
	}
}

/* ---- the dynamic section */

static void dynamic_write(struct file *file, uint32_t soname, uint32_t needed, size_t relative)
{
	bool versions = file->input->library->has_versions;
	const Elf64_Dyn entries[] = {
		{DT_NEEDED, {needed}},
		{DT_SONAME, {soname}},
		{DT_INIT_ARRAY, {file->address[PART_INIT_ARRAY]}},
		{DT_INIT_ARRAYSZ, {size_of(file, PART_INIT_ARRAY)}},
		{DT_GNU_HASH, {file->address[PART_GNU_HASH]}},
		{DT_STRTAB, {file->address[PART_DYNSTR]}},
		{DT_SYMTAB, {file->address[PART_DYNSYM]}},
		{DT_STRSZ, {size_of(file, PART_DYNSTR)}},
		{DT_SYMENT, {sizeof(Elf64_Sym)}},
		{DT_RELA, {file->address[PART_RELA]}},
		{DT_RELASZ, {size_of(file, PART_RELA)}},
		{DT_RELAENT, {sizeof(Elf64_Rela)}},
		{DT_RELACOUNT, {relative}},
		{DT_FLAGS, {DF_BIND_NOW}},
		{DT_FLAGS_1, {DF_1_NOW | DF_1_NODELETE}},
		{versions ? DT_VERSYM : DT_NULL, {versions ? file->address[PART_VERSYM] : 0}},
		{versions ? DT_VERDEF : DT_NULL, {versions ? file->address[PART_VERDEF] : 0}},
		{versions ? DT_VERDEFNUM : DT_NULL,
		 {versions ? file->input->library->nversions + 1 : 0}},
		{DT_NULL, {0}},
	};

	if (!size_of(file, PART_DYNAMIC))
		image_reserve(file->image, PART_DYNAMIC, sizeof entries, 8);
	memcpy(image_at(file->image, (struct spot){PART_DYNAMIC, 0}), entries, sizeof entries);
}

/* ---- the whole */

static Elf64_Phdr segment_of(const struct file *file, uint32_t type, uint32_t flags,
			     enum part first, enum part last, uint64_t align)
{
	uint64_t from = file->address[first], to = file->address[last] + size_of(file, last);

	return (Elf64_Phdr){.p_type = type,
			    .p_flags = flags,
			    .p_offset = from,
			    .p_vaddr = from,
			    .p_paddr = from,
			    .p_filesz = to - from,
			    .p_memsz = to - from,
			    .p_align = align};
}

static void segments_write(const struct file *file, uint8_t *bytes)
{
	uint64_t page = file->machine->page;
	Elf64_Phdr list[9] = {
		segment_of(file, PT_LOAD, PF_R, PART_NOTE, PART_EH_FRAME, page),
		segment_of(file, PT_LOAD, PF_R | PF_X, PART_TEXT, PART_TEXT, page),
		segment_of(file, PT_LOAD, PF_R | PF_W, PART_INIT_ARRAY, PART_GOT, page),
		segment_of(file, PT_LOAD, PF_R | PF_W, PART_DATA, PART_LATE, page),
		segment_of(file, PT_DYNAMIC, PF_R | PF_W, PART_DYNAMIC, PART_DYNAMIC, 8),
		segment_of(file, PT_NOTE, PF_R, PART_NOTE, PART_NOTE, 4),
		segment_of(file, PT_GNU_EH_FRAME, PF_R, PART_EH_FRAME_HDR, PART_EH_FRAME_HDR, 4),
		{.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W, .p_align = 16},
		segment_of(file, PT_GNU_RELRO, PF_R, PART_INIT_ARRAY, PART_GOT, 1),
	};

	/* The headers are in the first. */
	list[0].p_filesz += list[0].p_offset;
	list[0].p_memsz = list[0].p_filesz;
	list[0].p_offset = list[0].p_vaddr = list[0].p_paddr = 0;
	memcpy(bytes + sizeof(Elf64_Ehdr), list, sizeof list);
}

static uint64_t sections_write(struct file *file, FILE *to, uint64_t end)
{
	Elf64_Shdr list[NPARTS + 2] = {{0}};
	char names[1024] = "";
	uint32_t count = 1, at = 1;

	for (enum part part = 0; part < NPARTS; part++) {
		if (!file->index[part])
			continue;
		const struct section *section = &sections[part];

		list[count] = (Elf64_Shdr){
			.sh_name = at,
			.sh_type = section->type,
			.sh_flags = section->flags,
			.sh_addr = file->address[part],
			.sh_offset = file->address[part],
			.sh_size = size_of(file, part),
			.sh_link = section->link != PART_NOTE ? file->index[section->link] : 0,
			.sh_info = part == PART_DYNSYM ? 1
				   : part == PART_VERDEF
					   ? (uint32_t)file->input->library->nversions + 1
					   : 0,
			.sh_addralign = section->align,
			.sh_entsize = section->entry,
		};
		memcpy(names + at, section->name, strlen(section->name) + 1);
		at += (uint32_t)strlen(section->name) + 1;
		count++;
	}
	list[count++] = (Elf64_Shdr){
		.sh_name = at, .sh_type = SHT_STRTAB, .sh_offset = end, .sh_addralign = 1};
	memcpy(names + at, ".shstrtab", sizeof ".shstrtab");
	at += (uint32_t)sizeof ".shstrtab";
	list[count - 1].sh_size = at;
	fwrite(names, 1, at, to);
	for (end += at; end % 8; end++)
		fputc(0, to);
	fwrite(list, sizeof *list, count, to);
	return end;
}

static uint32_t sections_number(struct file *file)
{
	uint32_t count = 0;

	for (enum part part = 0; part < NPARTS; part++)
		if (size_of(file, part))
			file->index[part] = ++count;
	return count;
}

static void header_write(const struct file *file, uint8_t *bytes, uint64_t sections_at,
			 uint32_t nsections)
{
	Elf64_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = file->machine->number,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof header,
		.e_shoff = sections_at,
		.e_ehsize = sizeof header,
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 9,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (uint16_t)(nsections + 2),
		.e_shstrndx = (uint16_t)(nsections + 1),
	};

	memcpy(bytes, &header, sizeof header);
}

/* The build id is a hash of the bytes, so that equal interposers have equal ids. */
static void build_id_write(uint8_t *note, const uint8_t *bytes, uint64_t size)
{
	uint64_t id[2] = {0xcbf29ce484222325u, 0x84222325cbf29ce4u};
	const Elf64_Nhdr head = {4, sizeof id, NT_GNU_BUILD_ID};

	for (uint64_t i = 0; i < size; i++) {
		id[0] = (id[0] ^ bytes[i]) * 0x100000001b3u;
		id[1] = (id[1] ^ bytes[size - 1 - i]) * 0x100000001b3u;
	}
	memcpy(note, &head, sizeof head);
	memcpy(note + sizeof head, "GNU", 4);
	memcpy(note + sizeof head + 4, id, sizeof id);
}

static int file_failed(const char *path)
{
	fprintf(stderr, "tracegen: %s: %s; choose another place with -o\n", path, strerror(errno));
	return -1;
}

/* What relocations don't reach: distances from code and unwinding tables. */
static void distances_write(const struct file *file)
{
	const struct image *image = file->image;

	for (size_t i = 0; i < image->ndistances; i++) {
		const struct distance *distance = &image->distances[i];
		uint8_t *at = image_at(image, distance->at);

		distance->apply(at, address_of(file, distance->at), address_of(file, distance->to));
	}
}

static int bytes_save(struct file *file, const uint8_t *bytes, uint64_t end, const char *output)
{
	/*
	 * Write to another name and rename: no program sees half a file, and programs may have the
	 * previous file mapped.
	 */
	const char *path = format_text("%s.%ld", output, (long)getpid());
	FILE *to = fopen(path, "w");

	if (!to)
		return file_failed(output);
	fwrite(bytes, 1, end, to);
	sections_write(file, to, end);
	bool failed = ferror(to);
	failed |= fclose(to) != 0;
	if (failed || rename(path, output) != 0) {
		file_failed(output);
		unlink(path);
		return -1;
	}
	return 0;
}

int elf_write(struct image *image, const struct elf_input *input, const char *output)
{
	struct file file = {.image = image,
			    .input = input,
			    .machine = &machines[input->library->machine == EM_AARCH64]};

	image_reserve(image, PART_NOTE, sizeof(Elf64_Nhdr) + 4 + 16, 4);
	image_reserve(image, PART_DYNSTR, 1, 1);
	uint32_t soname = name_add(&file, input->soname);
	uint32_t needed = name_add(&file, "libtracelayer.so.0");
	hash_write(&file);
	symbols_write(&file);
	versions_write(&file);
	relocations_reserve(&file);
	dynamic_write(&file, soname, needed, 0);
	uint64_t end = addresses_give(&file);
	uint32_t nsections = sections_number(&file);
	pointers_sort(image);
	late_words_write(&file);
	size_t relative = relocations_write(&file);
	symbols_place(&file);
	dynamic_write(&file, soname, needed, relative);
	distances_write(&file);
	uint8_t *bytes = allocate(end);
	for (enum part part = 0; part < NPARTS; part++)
		if (size_of(&file, part))
			memcpy(bytes + file.address[part], image->parts[part].bytes,
			       size_of(&file, part));
	segments_write(&file, bytes);
	/* Names take the bytes up to the next multiple of 8. */
	uint64_t names = 1;
	for (enum part part = 0; part < NPARTS; part++)
		names += file.index[part] ? strlen(sections[part].name) + 1 : 0;
	names += sizeof ".shstrtab";
	header_write(&file, bytes, (end + names + 7) / 8 * 8, nsections);
	build_id_write(bytes + file.address[PART_NOTE], bytes, end);
	return bytes_save(&file, bytes, end, output);
}
