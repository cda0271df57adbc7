/* SPDX-License-Identifier: MIT */
/*
 * process_facts.c: see process_facts.h.
 */
#include "layer/write/process_facts.h"

#include <config.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "common/launcher.h"
#include "common/output.h"
#include "common/proc.h"
#include "common/text.h"
#include "layer/buffers/clock.h"
#include "layer/base/environment.h"
#include "layer/resolve/api_table.h"
#include "layer/resolve/mpi_world.h"

#define AFTER_COMMAND 4096 /* room for what follows the command line */

static void put_quoted(struct tl_text *text, const char *string, size_t size)
{
	tl_text_string(text, "\"");
	tl_text_escape(text, string, size);
	tl_text_string(text, "\"");
}

/*
 * Adds the command line as an array of strings, as many as fit. It lies in the program's memory, so
 * it may have any form.
 */
static void put_command(struct tl_text *args)
{
	static char line[4096];
	size_t size = tl_proc_read("/proc/self/cmdline", line, sizeof(line));

	tl_text_string(args, "[");
	for (size_t at = 0; at < size;) {
		size_t length = strnlen(line + at, size - at);
		struct tl_text word = {args->at, args->end - AFTER_COMMAND, false};
		tl_text_string(&word, at ? "," : "");
		put_quoted(&word, line + at, length);
		if (word.cut)
			break;
		args->at = word.at;
		at += length + 1;
	}
	tl_text_string(args, "]");
}

#define CLOCK_READINGS 8 /* a reading that an interruption lengthens is not the best of so many */

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec time = {0};

	syscall(SYS_clock_gettime, clock, &time);
	return time.tv_sec * 1000000000ull + time.tv_nsec;
}

void tl_clock_pair_read(struct tl_clock_pair *pair)
{
	pair->error_ns = UINT64_MAX;
	for (int i = 0; i < CLOCK_READINGS; i++) {
		uint64_t before = clock_ns(CLOCK_MONOTONIC), real = clock_ns(CLOCK_REALTIME),
			 after = clock_ns(CLOCK_MONOTONIC), error = (after - before + 1) / 2;
		if (error < pair->error_ns)
			*pair = (struct tl_clock_pair){before + (after - before) / 2, real, error};
	}
}

/* The kernel keeps both errors, in microseconds, for who disciplines its clock: NTP or PTP. */
void tl_time_of_day_read(struct tl_time_of_day *time)
{
	struct timex kernel = {.modes = 0};

	*time = (struct tl_time_of_day){.known = TL_TIME_UNKNOWN};
	if (syscall(SYS_adjtimex, &kernel) < 0)
		return;
	*time = (struct tl_time_of_day){
		.error_ns = kernel.maxerror > 0 ? (uint64_t)kernel.maxerror * 1000 : 0,
		.estimate_ns = kernel.esterror > 0 ? (uint64_t)kernel.esterror * 1000 : 0,
		.known = kernel.status & STA_UNSYNC ? TL_TIME_ALONE : TL_TIME_SYNCHRONIZED};
}

/* CLOCK_BOOTTIME at that time. It also runs while the machine sleeps, and other tracers use it. */
static uint64_t boottime_at(uint64_t monotonic_ns)
{
	struct timespec boot = {0}, monotonic = {0};

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &monotonic);
	syscall(SYS_clock_gettime, CLOCK_BOOTTIME, &boot);
	uint64_t boot_ns = boot.tv_sec * 1000000000ull + boot.tv_nsec,
		 now = monotonic.tv_sec * 1000000000ull + monotonic.tv_nsec;
	return boot_ns > now ? monotonic_ns + (boot_ns - now) : monotonic_ns;
}

static void put_time_of_day(struct tl_text *args)
{
	struct tl_time_of_day time;

	tl_time_of_day_read(&time);
	if (time.known == TL_TIME_UNKNOWN)
		return;
	tl_text_string(args, ",\"time_synchronized\":");
	tl_text_string(args, time.known == TL_TIME_SYNCHRONIZED ? "true" : "false");
	tl_text_string(args, ",\"time_error_ns\":");
	tl_text_unsigned(args, time.error_ns);
	tl_text_string(args, ",\"time_estimate_ns\":");
	tl_text_unsigned(args, time.estimate_ns);
}

static void put_clock(struct tl_text *args, const struct tl_facts *facts, uint64_t error_ns)
{
	tl_text_string(args, ",\"clock\":\"CLOCK_MONOTONIC\",\"source\":");
	tl_text_string(args, tl_clock_is_counter() ? "\"counter\"" : "\"clock_gettime\"");
	tl_text_string(args, ",\"boottime_ns\":");
	tl_text_unsigned(args, boottime_at(facts->monotonic_ns));
	tl_text_string(args, ",\"monotonic_ns\":");
	tl_text_unsigned(args, facts->monotonic_ns);
	tl_text_string(args, ",\"realtime_ns\":");
	tl_text_unsigned(args, facts->realtime_ns);
	tl_text_string(args, ",\"clock_error_ns\":");
	tl_text_unsigned(args, error_ns);
	put_time_of_day(args);
}

/* Two libraries of one name may be traced. A JSON object has each name once. */
static bool api_is_named_before(const struct tl_api *api, uint32_t number)
{
	for (uint32_t i = 0; i < number; i++)
		if (!strcmp(tl_api_by_number(i)->name, api->name))
			return true;
	return false;
}

static void put_settings(struct tl_text *args)
{
	static const char *const whats[] = {"none", "scalars", "full"};

	tl_text_string(args, ",\"level\":");
	tl_text_unsigned(args, tl_config.level);
	tl_text_string(args, ",\"include\":");
	put_quoted(args, tl_config.include, strlen(tl_config.include));
	tl_text_string(args, ",\"exclude\":");
	put_quoted(args, tl_config.exclude, strlen(tl_config.exclude));
	tl_text_string(args, ",\"arguments\":\"");
	tl_text_string(args, whats[tl_config.args]);
	tl_text_string(args, "\"");
	if (tl_config_wants_stacks()) {
		tl_text_string(args, ",\"stack\":");
		put_quoted(args, tl_config.stack, strlen(tl_config.stack));
	}
	if (tl_config.gpu_tracks)
		tl_text_string(args, ",\"gpu_tracks\":\"perfetto\"");
	tl_text_string(args, ",\"apis\":{");
	const struct tl_api *api;
	for (uint32_t number = 0; (api = tl_api_by_number(number)); number++) {
		if (api_is_named_before(api, number))
			continue;
		tl_text_string(args, number ? "," : "");
		put_quoted(args, api->name, strlen(api->name));
		tl_text_string(args, ":");
		put_quoted(args, api->version, strlen(api->version));
	}
	tl_text_string(args, "}");
}

/* Adds a member completely or not at all, and leaves room for the members that must be there. */
static void put_member(struct tl_text *args, const char *key, const char *value, size_t size)
{
	struct tl_text whole = {args->at, args->end - AFTER_COMMAND, false};

	tl_text_string(&whole, key);
	put_quoted(&whole, value, size);
	if (!whole.cut)
		args->at = whole.at;
}

static void put_known(struct tl_text *args, const char *key, int64_t number)
{
	if (number < 0)
		return;
	tl_text_string(args, key);
	tl_text_unsigned(args, (uint64_t)number);
}

/* What the launcher told this process; nothing where none started it. */
static void put_launched(struct tl_text *args)
{
	const struct tl_launched *launched = &tl_launched;

	if (tl_config.rank < 0)
		return;
	put_known(args, ",\"rank\":", tl_config.rank);
	put_known(args, ",\"size\":", launched->size);
	/* The job's other ranks are not missing then. */
	if (strcmp(tl_config.ranks, "*"))
		put_member(args, ",\"ranks\":", tl_config.ranks, strlen(tl_config.ranks));
	put_known(args, ",\"local_rank\":", launched->local_rank);
	put_known(args, ",\"local_size\":", launched->local_size);
	put_known(args, ",\"node\":", launched->node);
	if (launched->launcher) {
		tl_text_string(args, ",\"launcher\":");
		put_quoted(args, launched->launcher, strlen(launched->launcher));
	}
	tl_text_string(args, ",\"job\":");
	put_quoted(args, launched->job, strlen(launched->job));
	tl_text_string(args, ",\"step\":");
	put_quoted(args, launched->step, strlen(launched->step));
	put_known(args, ",\"restart\":", launched->restart);
}

/* A job's timeline needs them: the ranks' other communicators are made from these. */
static void put_mpi_handles(struct tl_text *args)
{
	const struct tl_api *api;
	bool is_mpi = false;

	for (uint32_t number = 0; !is_mpi && (api = tl_api_by_number(number)); number++)
		is_mpi = tl_api_is_mpi(api);
	if (is_mpi && tl_launched.mpich_parts_hosts)
		tl_text_string(args, ",\"mpi_parted\":1");
	struct tl_mpi_handles handles = {0, 0};
	if (is_mpi)
		handles = tl_mpi_handles();
	if (!handles.world)
		return;
	tl_text_string(args, ",\"mpi_world\":");
	tl_text_unsigned(args, handles.world);
	tl_text_string(args, ",\"mpi_group_empty\":");
	tl_text_unsigned(args, handles.group_empty);
}

static void put_members(struct tl_text *args, const struct tl_facts *facts, uint64_t error_ns)
{
	static char executable[TL_OUTPUT_PATH];
	long size =
		syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", executable, sizeof(executable));

	tl_text_string(args, "\"version\":\"" PACKAGE_VERSION "\"");
	put_member(args, ",\"program\":", facts->program, strlen(facts->program));
	put_member(args, ",\"executable\":", executable, size > 0 ? size : 0);
	tl_text_string(args, ",\"command\":");
	put_command(args);
	tl_text_string(args, ",\"host\":");
	put_quoted(args, facts->host, strlen(facts->host));
	tl_text_string(args, ",\"pid\":");
	tl_text_unsigned(args, facts->pid);
	put_launched(args);
	put_mpi_handles(args);
	put_clock(args, facts, error_ns);
	struct tl_text whole = *args;
	put_settings(&whole);
	if (!whole.cut)
		*args = whole;
}

void tl_about_facts(struct tl_facts *facts)
{
	struct tl_text args = {facts->members, facts->members + sizeof(facts->members) - 1, false};
	struct tl_clock_pair clocks;
	struct utsname host;

	facts->pid = (uint32_t)syscall(SYS_getpid);
	facts->has_rank = tl_config.rank >= 0;
	facts->rank = tl_config.rank;
	tl_output_program(facts->program, sizeof(facts->program));
	strncpy(facts->host, syscall(SYS_uname, &host) ? "unknown" : host.nodename,
		sizeof(facts->host) - 1);
	tl_clock_pair_read(&clocks);
	facts->monotonic_ns = clocks.monotonic_ns;
	facts->realtime_ns = clocks.realtime_ns;
	put_members(&args, facts, clocks.error_ns);
	*args.at = 0;
	facts->members_size = (uint32_t)(args.at - facts->members);
}
