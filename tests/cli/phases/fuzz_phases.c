/* SPDX-License-Identifier: MIT */
/*
 * fuzz_phases.c: tracelayer phases, whole, on traces that are put together from a systrace's parts
 * as the input's bytes say: whatever stands in a trace, all of it is read safely, the exit code is
 * one of the documented ones, and JSON is JSON.
 *
 * With clang -fsanitize=fuzzer a libFuzzer target; with FUZZ_STANDALONE it makes inputs itself.
 */
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/phases/phases.h"
#include "cli/read/chrome_reader.h"
#include "cli/read/event_members.h"
#include "cli/read/lane_filter.h"
#include "cli/read/record_file.h"
#include "cli/read/shown_names.h"
#include "cli/read/trace_events.h"
#include "cli/systrace/systrace.h"
#include "common/text.h"
#include "tests/lib/random.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

/* What commands say is of no interest here, and must be text once it is shown (common/message_line.c). */
void say(const char *format, ...)
{
	char line[4096], shown[4 * sizeof(line)];
	struct tl_text text = {shown, shown + sizeof(shown) - 1, false};
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	tl_text_shown(&text, line, strlen(line));
	*text.at = '\0';
	if (strpbrk(shown, "\n\033"))
		abort();
}

void say_output_failed(const char *what)
{
	say("%s", what);
}

void *need(void *allocated)
{
	if (!allocated)
		abort();
	return allocated;
}

/* Traces of ours have readers of their own, and tests of these. */
int systrace_write_events(const char *path, const char *where, FILE *to)
{
	(void)path;
	(void)where;
	(void)to;
	return EXIT_BROKEN;
}

int lane_filter_read(struct lane_filter *filter, char *const *paths, size_t count)
{
	(void)filter;
	(void)paths;
	(void)count;
	abort();
}

bool lane_filter_has_thread(struct lane_filter *filter, const char *pid, const char *tid)
{
	(void)filter;
	(void)pid;
	(void)tid;
	abort();
}

void lane_filter_free(struct lane_filter *filter)
{
	(void)filter;
}

bool record_file_is(const char *path)
{
	(void)path;
	abort();
}

int trace_walk(const char *path, const struct trace_visitor *visitor, void *user)
{
	(void)path;
	(void)visitor;
	(void)user;
	abort();
}

int trace_listen(const char *path, const char *where, const struct trace_listener *listener,
		 void *user, struct trace_totals *totals)
{
	(void)path;
	(void)where;
	(void)listener;
	(void)user;
	(void)totals;
	abort();
}

struct tl_trace *record_file_open(const char *path)
{
	(void)path;
	abort();
}

void tl_trace_close(struct tl_trace *trace)
{
	(void)trace;
	abort();
}

const char *name_of_made(const char *made)
{
	return made;
}

long long event_nanoseconds(const json_t *event, const char *member, long long missing)
{
	(void)event;
	(void)member;
	(void)missing;
	abort();
}

/* Each ends where the next one may begin; "%T" is a time that goes on. */
static const char *const parts[] = {
	"\n",
	"#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION\n",
	"#           TASK-PID   CPU#  ||||    TIMESTAMP  FUNCTION\n",
	"  app-12    (   12) [000] ...1   %T: tracing_mark_write: ",
	"  app-13    (   12) [000] ...1   %T: tracing_mark_write: ",
	"  HwBinder:77_1-78  (   77) [000] ...1   %T: tracing_mark_write: ",
	"  app-12  [000] ...1   %T: tracing_mark_write: ",
	"  app-14  (-----) [000] ...1   %T: tracing_mark_write: ",
	"E|12\n",
	"E\n",
	"E|77\n",
	"E|12\n  app-12    (   12) [000] ...1   %T: tracing_mark_write: B|12|",
	"\n  app-12    (   12) [000] ...1   %T: tracing_mark_write: B|12|",
	"\n  app-12    (   12) [000] ...1   %T: tracing_mark_write: E|12\n",
	"\n  app-13    (   12) [000] ...1   %T: tracing_mark_write: B|12|",
	"\n  HwBinder:77_1-78  (   77) [000] ...1   %T: tracing_mark_write: B|77|",
	"\n  HwBinder:77_1-78  (   77) [000] ...1   %T: tracing_mark_write: E|77\n",
	"B|12|",
	"B|77|",
	"[NN_LA_PO]",
	"[NN_LA_PWU]",
	"[NN_LA_PBM]",
	"[NN_LA_PE]",
	"[NN_LA_PP]",
	"[NN_LA_PC]",
	"[NN_LR_PE]",
	"[NN_LR_PP]",
	"[NN_LR_PC]",
	"[NN_LR_PI]",
	"[NN_LR_PT]",
	"[NN_LR_PIO]",
	"[NN_LI_PE]",
	"[NN_LI_PC]",
	"[NN_LI_PI]",
	"[NN_LD_PE]",
	"[NN_LD_PCO]",
	"[NN_LC_PE]",
	"[NN_LC_PCO]",
	"[NN_LC_PTR]",
	"[NN_LU_PU]",
	"[NN_LX_P9]",
	"[NN_",
	"[SW]",
	"[SUB]",
	"[",
	"]",
	"_",
	"|",
	"f\n",
	"name",
	"ANeuralNetworksExecution_create",
	"ANeuralNetworksExecution_startCompute",
	"ANeuralNetworksEvent_wait",
	"ANeuralNetworksEvent_free",
	"ANeuralNetworksExecution_free",
	"executeWithCompilation",
	"HIDL::IDevice::getCapabilities::server",
	"HIDL::IDevice::prepareModel::client",
	"HIDL::IPreparedModel::execute::server",
	"HIDL::IExecutionCallback::notify::client",
	"HIDL::IAllocator::allocate::client",
	"HIDL::IMapper::lock::passthrough",
	"</script>",
	"99999999999999999999.5",
	"1e-05",
	"-",
	" ",
	"\t",
	"\r",
	"\xc3\xa9",
	"\xff",
	"tracing_mark_write: ",
	": tracing_mark_write: B",
	"H4sIAAAAAAAA",
	"\x1f\x8b\x08",
};

#define PARTS (sizeof(parts) / sizeof(*parts))

static void write_part(FILE *to, const char *part, unsigned *now)
{
	const char *time = strstr(part, "%T");

	if (!time) {
		fputs(part, to);
		return;
	}
	*now += 1 + *now % 7;
	fprintf(to, "%.*s%u.%06u%s", (int)(time - part), part, 100 + *now / 1000000, *now % 1000000,
		time + 2);
}

static int make_trace(const uint8_t *input, size_t size)
{
	int file = memfd_create("trace", 0);
	FILE *to = fdopen(dup(file), "w");
	unsigned now = 0;

	/* Most begin with a header: without one there is little to read. */
	if (size && input[0] < 240)
		fputs(parts[1], to);
	for (size_t i = 1; i < size; i++)
		if (input[i] < PARTS)
			write_part(to, parts[input[i]], &now);
		else if (input[i] < 2 * PARTS)
			write_part(to, parts[input[i] - PARTS], &now);
		else
			fputc(input[i] & 0x7f, to);
	fclose(to);
	return file;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	static char *const options[] = {"--json", "--print-detail", "--per-execution",
					"--total-times"};
	/* The first selects everything. */
	static char *const parts_selected[] = {
		"--longer-than=0ns", "--time=5us:40us", "--time=@name",	  "--time=:@f",
		"--thread=app,78",   "--process=77",	"--name=*NN_LR*", "--longer-than=9us"};
	int file = make_trace(input, size), code;
	char path[64], *printed = NULL,
		       *arguments[] = {"tracelayer phases", options[size % 4],
				       parts_selected[size / 4 % 8], path, NULL};
	size_t printed_size;
	FILE *terminal = stdout;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	stdout = open_memstream(&printed, &printed_size);
	code = command_phases(4, arguments);
	fclose(stdout);
	stdout = terminal;
	close(file);
	/* No mark of the name that the time is looked for by. */
	bool may_lack = !strncmp(arguments[2], "--time", 6);

	if (code != EXIT_DONE && code != EXIT_BROKEN && code != EXIT_INCOMPLETE &&
	    !(code == EXIT_USAGE && may_lack))
		abort();
	if (size % 4 == 0 && printed_size) {
		json_t *json = json_loadb(printed, printed_size, JSON_REJECT_DUPLICATES, NULL);

		if (!json_is_array(json))
			abort();
		json_decref(json);
	}
	free(printed);
	return 0;
}

#ifdef FUZZ_STANDALONE
int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) / 30 : 10000;
	uint8_t input[120];

	for (long round = 0; round < rounds; round++) {
		size_t size = (size_t)next_random() % (sizeof(input));

		for (size_t i = 0; i < size; i++)
			input[i] = (uint8_t)(next_random() % (2 * PARTS + 4));
		LLVMFuzzerTestOneInput(input, size);
	}
	return 0;
}
#endif
