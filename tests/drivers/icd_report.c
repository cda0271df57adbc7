/* SPDX-License-Identifier: MIT */
/*
 * icd_report.c: settings of the OpenCL test driver, and what it reports to a test: counts of calls,
 * a log of commands with the true times, misuse. Its clocks are here too.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <time.h>
#include <unistd.h>

#include "tests/drivers/icd_driver.h"

extern struct count __start_icd_counts[] __attribute__((visibility("hidden")));
extern struct count __stop_icd_counts[] __attribute__((visibility("hidden")));

__thread unsigned icd_inside;

static pid_t first_process;
static int log_file = -1, misuse_file = -1;
static _Atomic bool ended;

/* --- settings */

const char *icd_setting(const char *name)
{
	char whole[64];
	const char *value = NULL;

	if (INSTANCE == 'b') {
		snprintf(whole, sizeof(whole), "TEST_ICD_B_%s", name);
		value = getenv(whole);
	}
	snprintf(whole, sizeof(whole), "TEST_ICD_%s", name);
	return value ? value : getenv(whole);
}

bool icd_setting_is(const char *name, const char *value)
{
	const char *is = icd_setting(name);

	return is && !strcmp(is, value);
}

bool icd_is_old(void)
{
	return icd_setting_is("VERSION", "1.2");
}

cl_int icd_wished_failure(const char *function)
{
	const char *wish = icd_setting("FAIL");
	size_t length = strlen(function);

	for (; wish && *wish; wish = strchr(wish, ',') ? strchr(wish, ',') + 1 : NULL)
		if (!strncmp(wish, function, length) && wish[length] == '=')
			return atoi(wish + length + 1);
	return CL_SUCCESS;
}

/* The file that a setting names, for this process; false if there is none. */
static bool file_of(const char *name, char *path, size_t room)
{
	const char *pattern = icd_setting(name), *pid = pattern ? strstr(pattern, "%p") : NULL;
	const char *end = INSTANCE == 'b' ? ".b" : "";

	if (!pattern || !*pattern || (!pid && getpid() != first_process))
		return false;
	if (pid)
		snprintf(path, room, "%.*s%d%s%s", (int)(pid - pattern), pattern, getpid(), pid + 2,
			 end);
	else
		snprintf(path, room, "%s%s", pattern, end);
	return true;
}

/* --- counts */

void icd_called(struct count *count)
{
	atomic_fetch_add(icd_inside ? &count->own : &count->outside, 1);
	if (!icd_inside && atomic_load(&ended))
		icd_misuse(count->name, "called after the driver's end");
}

EXPORT uint64_t test_icd_count(const char *function)
{
	uint64_t sum = 0;

	for (struct count *it = __start_icd_counts; it < __stop_icd_counts; it++)
		if (!function || !strcmp(it->name, function))
			sum += it->outside;
	return sum;
}

static void write_counts(void)
{
	char path[4096];
	FILE *file = file_of("COUNTS", path, sizeof(path)) ? fopen(path, "we") : NULL;

	for (struct count *it = __start_icd_counts; file && it < __stop_icd_counts; it++) {
		if (it->outside)
			fprintf(file, "%s %llu\n", it->name, (unsigned long long)it->outside);
		if (it->own)
			fprintf(file, "%s/own %llu\n", it->name, (unsigned long long)it->own);
	}
	if (file)
		fclose(file);
}

/* --- lines, each written at once, so that they stay if the process is killed */

static void open_file(const char *name, int *file)
{
	char path[4096];

	if (file_of(name, path, sizeof(path)))
		*file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

__attribute__((format(printf, 2, 3))) static void say(int file, const char *format, ...)
{
	char line[1024];
	va_list values;

	if (file < 0)
		return;
	va_start(values, format);
	int length = vsnprintf(line, sizeof(line), format, values);

	va_end(values);
	if (length > 0 && (size_t)length < sizeof(line) && write(file, line, (size_t)length) < 0)
		perror("the test driver's file");
}

void icd_misuse(const char *function, const char *what)
{
	say(misuse_file, "%s: %s\n", function, what);
}

#define TYPE(name)                                                                                 \
	{                                                                                          \
		CL_COMMAND_##name, #name                                                           \
	}
static const struct {
	cl_command_type type;
	const char *name;
} types[] = {
	TYPE(NDRANGE_KERNEL),
	TYPE(TASK),
	TYPE(NATIVE_KERNEL),
	TYPE(READ_BUFFER),
	TYPE(WRITE_BUFFER),
	TYPE(COPY_BUFFER),
	TYPE(READ_IMAGE),
	TYPE(WRITE_IMAGE),
	TYPE(COPY_IMAGE),
	TYPE(COPY_IMAGE_TO_BUFFER),
	TYPE(COPY_BUFFER_TO_IMAGE),
	TYPE(MAP_BUFFER),
	TYPE(MAP_IMAGE),
	TYPE(UNMAP_MEM_OBJECT),
	TYPE(MARKER),
	TYPE(READ_BUFFER_RECT),
	TYPE(WRITE_BUFFER_RECT),
	TYPE(COPY_BUFFER_RECT),
	TYPE(BARRIER),
	TYPE(MIGRATE_MEM_OBJECTS),
	TYPE(FILL_BUFFER),
	TYPE(FILL_IMAGE),
	TYPE(SVM_FREE),
	TYPE(SVM_MEMCPY),
	TYPE(SVM_MEMFILL),
	TYPE(SVM_MAP),
	TYPE(SVM_UNMAP),
	TYPE(SVM_MIGRATE_MEM),
	TYPE(MEMCPY_INTEL),
	TYPE(MEMFILL_INTEL),
	TYPE(MIGRATEMEM_INTEL),
	TYPE(MEMADVISE_INTEL),
	TYPE(ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR),
	TYPE(RELEASE_EXTERNAL_MEM_OBJECTS_KHR),
	TYPE(SEMAPHORE_WAIT_KHR),
	TYPE(SEMAPHORE_SIGNAL_KHR),
};

static const char *name_of(cl_command_type type)
{
	for (size_t i = 0; i < COUNT_OF(types); i++)
		if (types[i].type == type)
			return types[i].name;
	return "UNKNOWN";
}

void icd_log_enqueued(cl_event event)
{
	say(log_file, "+ %u %s %u %llu %llu %s\n", event->number, name_of(event->type),
	    event->queue_number, (unsigned long long)event->at[QUEUED].ticks,
	    (unsigned long long)event->at[QUEUED].ns, event->kernel);
}

void icd_log_ended(cl_event event, cl_int status)
{
	unsigned long long ticks[MOMENTS], ns[MOMENTS];

	for (int i = 0; i < MOMENTS; i++) {
		ticks[i] = event->at[i].ticks;
		ns[i] = event->at[i].ns;
	}
	say(log_file, "- %u %s %u %d %llu %llu %llu %llu %llu %llu %llu %llu %s\n", event->number,
	    name_of(event->type), event->queue_number, status, ticks[0], ticks[1], ticks[2],
	    ticks[3], ns[0], ns[1], ns[2], ns[3], event->kernel);
}

/* Memory grows or shrinks. */
void icd_log_memory(int64_t bytes)
{
	static int64_t total;

	pthread_mutex_lock(&icd_lock);
	total += bytes;
	say(log_file, "~ %lld\n", (long long)total);
	pthread_mutex_unlock(&icd_lock);
}

static void log_what_is_left(void)
{
	for (int kind = CONTEXT; kind < KINDS; kind++) {
		unsigned objects, references;
		const char *name = icd_left(kind, &objects, &references);

		say(log_file, "= %s %u %u\n", name, objects, references);
	}
}

/* --- clocks */

static uint64_t clock_offset = 987654321000, clock_start, step_after = UINT64_MAX;
static int64_t step_ticks;
static double clock_drift;
static clockid_t host_clock = CLOCK_MONOTONIC;

static uint64_t nanoseconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t icd_host_timer(void)
{
	return nanoseconds(host_clock);
}

struct stamp icd_now(void)
{
	uint64_t now = nanoseconds(CLOCK_MONOTONIC), run = now - clock_start;
	int64_t gained = (int64_t)((double)run * clock_drift / 1e6);

	if (run >= step_after)
		gained += step_ticks;
	return (struct stamp){now + clock_offset + (uint64_t)gained, now};
}

static void set_up_clocks(void)
{
	const char *offset = icd_setting("CLOCK_OFFSET"), *drift = icd_setting("CLOCK_DRIFT_PPM"),
		   *step = icd_setting("CLOCK_STEP");

	clock_start = nanoseconds(CLOCK_MONOTONIC);
	if (offset)
		clock_offset = strtoull(offset, NULL, 0);
	if (drift)
		clock_drift = strtod(drift, NULL);
	if (step && strchr(step, ':')) {
		step_after = strtoull(step, NULL, 0) * 1000000u;
		step_ticks = strtoll(strchr(step, ':') + 1, NULL, 0);
	}
	if (icd_setting_is("CLOCK_HOST", "raw"))
		host_clock = CLOCK_MONOTONIC_RAW;
}

/* --- beginning and end */

static void open_files(void)
{
	open_file("LOG", &log_file);
	open_file("MISUSE", &misuse_file);
}

/* A child has no thread that would give the lock back. */
static void fork_begins(void)
{
	pthread_mutex_lock(&icd_lock);
}

static void fork_is_over(void)
{
	pthread_mutex_unlock(&icd_lock);
}

static void be_a_child(void)
{
	fork_is_over();
	log_file = misuse_file = -1;
	for (struct count *it = __start_icd_counts; it < __stop_icd_counts; it++)
		it->outside = it->own = 0;
	open_files();
}

__attribute__((constructor)) static void set_up(void)
{
	first_process = getpid();
	set_up_clocks();
	open_files();
	pthread_atfork(fork_begins, fork_is_over, be_a_child);
}

__attribute__((destructor)) static void tear_down(void)
{
	write_counts();
	log_what_is_left();
}

/*
 * As drivers do it: a handler that is registered when the driver is first used, and after which it
 * must not be called.
 */
static void end(void)
{
	atomic_store(&ended, true);
}

static void notice_end(void)
{
	atexit(end);
}

void icd_begin(void)
{
	static pthread_once_t begun = PTHREAD_ONCE_INIT;

	pthread_once(&begun, notice_end);
}
