/* SPDX-License-Identifier: MIT */
/*
 * Command queues: a worker thread for each, that takes submissions in order, waits for each
 * command's events, runs it on the engine, writes the log and signals.
 *
 * A queue that is destroyed with work left gives it up: waiting commands and kernels that spin end,
 * the rest is not run. The same when the device is lost.
 */
#include "ze_device.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct queue *queues; /* device_lock */
static uint32_t last_number; /* device_lock */
static char *log_path;
static bool may_overlap;

/* Once when the library is loaded, and in a forked child, while there is one thread. */
void queues_configure(void)
{
	log_path = config_file("LOG");
	may_overlap = config_number("OVERLAP", 0) != 0;
}

/* ---- the log */

/* Control characters and backslashes as \xNN, so that a line stays a line. */
static void escape(char *to, size_t size, const char *from)
{
	size_t at = 0;

	for (; *from && at + 5 < size; from++) {
		if ((unsigned char)*from < ' ' || *from == '\\')
			at += (size_t)sprintf(to + at, "\\x%02x", (unsigned char)*from);
		else
			to[at++] = *from;
	}
	to[at] = 0;
}

/* Opened for each line: the program may close every descriptor it finds, and use the number for a
 * file of its own. */
static void log_command(const struct queue *queue, const struct command *command, uint64_t amount,
			struct stamp start, struct stamp end)
{
	char name[512], line[1024];
	int fd = log_path ? open(log_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;

	if (fd < 0)
		return;
	escape(name, sizeof(name), command_name(command));
	int length =
		snprintf(line, sizeof(line), "%u\t%u\t%u\t%u\t%s\t%llu\t%llu\t%llu\t%llu\t%llu\n",
			 queue->device->number, queue->engine->group, queue->engine->index,
			 queue->number, name, (unsigned long long)amount,
			 (unsigned long long)start.ticks, (unsigned long long)end.ticks,
			 (unsigned long long)start.ns, (unsigned long long)end.ns);
	if (write(fd, line, (size_t)length) != length)
		fprintf(stderr, "ze_driver: TEST_ZE_LOG: a line could not be written\n");
	close(fd);
}

/* ---- the worker */

bool queue_is_closing(struct queue *queue)
{
	pthread_mutex_lock(&device_lock);
	bool closing = queue->closing;
	pthread_mutex_unlock(&device_lock);
	return closing;
}

struct wait {
	struct queue *queue;
	ze_event_handle_t event;
};

static bool wait_is_over(void *arg)
{
	const struct wait *wait = arg;

	return event_is_signaled(wait->event) || wait->queue->closing;
}

/* Returns false when the queue gives up. */
static bool wait_for_events(struct queue *queue, const struct command *command)
{
	ze_result_t result = ZE_RESULT_SUCCESS;

	pthread_mutex_lock(&device_lock);
	for (uint32_t i = 0; i < command->wait_count && result == ZE_RESULT_SUCCESS; i++) {
		struct wait wait = {queue, command->waits[i]};

		result = device_wait(queue->device, wait_is_over, &wait, UINT64_MAX);
	}
	bool closing = queue->closing;
	pthread_mutex_unlock(&device_lock);
	return result == ZE_RESULT_SUCCESS && !closing && !device_is_lost(queue->device);
}

/*
 * The time of a command with a steady clock. Only launches advance that clock, so commands that a
 * tool adds to a list change nothing.
 */
static uint64_t steady_ticks(const struct command *command, uint64_t amount)
{
	if (command->kind != COMMAND_LAUNCH)
		return 21 + amount;
	const struct launch *launch = &command->launches[0];
	return launch->builtin->argument_count == 1 && launch->builtin->arguments[0].size == 8 &&
			       launch->builtin->arguments[0].kind == ARGUMENT_VALUE
		       ? launch->arguments[0].u64
		       : 1000 + amount;
}

static void make_steady(struct queue *queue, const struct command *command, uint64_t amount,
			struct stamp *start, struct stamp *end)
{
	start->ticks = queue->steady;
	end->ticks = start->ticks + steady_ticks(command, amount);
	if (command->kind == COMMAND_LAUNCH)
		queue->steady = end->ticks + 3;
}

static bool execute(struct queue *queue, struct command *command)
{
	bool alone = !may_overlap;
	uint64_t amount;

	if (!wait_for_events(queue, command))
		return false;
	struct stamp began = clock_now(queue->device);
	for (uint32_t i = 0; i < command->list_count; i++)
		for (struct command *one = command->lists[i]->first; one; one = one->next)
			if (!execute(queue, one))
				return false;
	if (alone)
		pthread_mutex_lock(&queue->engine->lock);
	struct stamp start = clock_now(queue->device);
	command_run(command, queue, &amount);
	struct stamp end = clock_now(queue->device);
	if (clock_steady)
		make_steady(queue, command, amount, &start, &end);
	if (alone)
		pthread_mutex_unlock(&queue->engine->lock);

	if (device_is_lost(queue->device))
		return false;
	pthread_mutex_lock(&device_lock);
	queue->engine->busy_ns += end.ns - start.ns;
	pthread_mutex_unlock(&device_lock);
	if (command->kind == COMMAND_GRAPH && !clock_steady)
		start = began;
	if (command->kind != COMMAND_LISTS)
		log_command(queue, command, amount, start, end);
	if (command->signal)
		event_signal_by(command, start, end);
	return true;
}

/* Returns whether all of it was done. */
static bool run_submission(struct queue *queue, struct submission *submission)
{
	struct command *first = submission->list ? submission->list->first : submission->commands;

	for (struct command *command = first; submission->list && command; command = command->next)
		event_submitted(command, false);
	for (struct command *command = first; command; command = command->next)
		if (!execute(queue, command))
			return false;
	return true;
}

static void submission_free(struct submission *submission)
{
	if (submission->commands)
		command_free(submission->commands);
	free(submission);
}

static struct submission *next_submission(struct queue *queue)
{
	pthread_mutex_lock(&device_lock);
	while (!queue->first && !queue->closing)
		pthread_cond_wait(&device_changed, &device_lock);
	struct submission *submission = queue->first;
	if (submission) {
		queue->first = submission->next;
		if (!queue->first)
			queue->last = &queue->first;
	}
	queue->current = submission;
	pthread_mutex_unlock(&device_lock);
	return submission;
}

static void submission_end(struct queue *queue, struct submission *submission, bool done)
{
	pthread_mutex_lock(&device_lock);
	if (submission->list)
		submission->list->running--;
	if (submission->fence && done)
		submission->fence->signaled = true;
	queue->current = NULL;
	queue->completed++;
	pthread_cond_broadcast(&device_changed);
	pthread_mutex_unlock(&device_lock);
	submission_free(submission);
}

static void *work(void *arg)
{
	struct queue *queue = arg;
	struct submission *submission;

	while ((submission = next_submission(queue)))
		submission_end(queue, submission, run_submission(queue, submission));
	return NULL;
}

/* With device_lock held. Workers block the program's signals. */
static bool start_worker(struct queue *queue)
{
	sigset_t all, before;

	if (queue->started)
		return true;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	queue->started = pthread_create(&queue->thread, NULL, work, queue) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return queue->started;
}

/* ---- opening, closing, submitting */

ze_result_t queue_open(struct queue *queue, ze_device_handle_t device,
		       const ze_command_queue_desc_t *desc)
{
	if (desc->ordinal >= GROUPS || desc->index >= ENGINES)
		return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	if (desc->mode > ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS)
		return ZE_RESULT_ERROR_INVALID_ENUMERATION;
	queue->device = device;
	queue->engine = &device->engines[desc->ordinal][desc->index];
	queue->synchronous = desc->mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
	queue->last = &queue->first;
	pthread_mutex_lock(&device_lock);
	queue->number = last_number++;
	queue->steady = 1000000u * (queue->number + 1);
	queue->next = queues;
	queues = queue;
	pthread_mutex_unlock(&device_lock);
	return ZE_RESULT_SUCCESS;
}

void queue_close(struct queue *queue)
{
	pthread_mutex_lock(&device_lock);
	queue->closing = true;
	bool started = queue->started;
	pthread_cond_broadcast(&device_changed);
	for (struct queue **link = &queues; *link; link = &(*link)->next)
		if (*link == queue) {
			*link = queue->next;
			break;
		}
	pthread_mutex_unlock(&device_lock);
	if (started)
		pthread_join(queue->thread, NULL);
}

struct ticket {
	struct queue *queue;
	uint64_t number;
};

static bool ticket_done(void *arg)
{
	const struct ticket *ticket = arg;

	return ticket->queue->completed >= ticket->number;
}

ze_result_t queue_submit(struct queue *queue, struct submission *submission)
{
	ze_result_t result = ZE_RESULT_SUCCESS;

	if (device_is_lost(queue->device)) {
		submission_free(submission);
		return ZE_RESULT_ERROR_DEVICE_LOST;
	}
	pthread_mutex_lock(&device_lock);
	if (!start_worker(queue)) {
		pthread_mutex_unlock(&device_lock);
		submission_free(submission);
		return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	}
	*queue->last = submission;
	queue->last = &submission->next;
	if (submission->list)
		submission->list->running++;
	struct ticket ticket = {queue, ++queue->submitted};
	pthread_cond_broadcast(&device_changed);
	if (queue->synchronous)
		result = device_wait(queue->device, ticket_done, &ticket, UINT64_MAX);
	pthread_mutex_unlock(&device_lock);
	return result;
}

static bool all_are_done(void *device)
{
	for (struct queue *queue = queues; queue; queue = queue->next)
		if (queue->device == device && queue->completed < queue->submitted)
			return false;
	return true;
}

ze_result_t queues_wait(ze_device_handle_t device)
{
	pthread_mutex_lock(&device_lock);
	ze_result_t result = device_wait(device, all_are_done, device, UINT64_MAX);
	pthread_mutex_unlock(&device_lock);
	return result;
}

/* In a forked child there are no workers: what was under way is gone, and new work starts new ones.
 */
void queues_forked(void)
{
	pthread_condattr_t attr;

	pthread_mutex_init(&device_lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&device_changed, &attr);
	queues_configure();
	for (struct queue *queue = queues; queue; queue = queue->next) {
		if (queue->current && queue->current->list)
			queue->current->list->running--;
		for (struct submission *s = queue->first; s; s = s->next)
			if (s->list)
				s->list->running--;
		queue->started = false;
		queue->current = queue->first = NULL;
		queue->last = &queue->first;
		queue->completed = queue->submitted;
		pthread_mutex_init(&queue->engine->lock, NULL);
	}
}

/* ---- the API */

ze_result_t zeCommandQueueCreate(ze_context_handle_t context, ze_device_handle_t device,
				 const ze_command_queue_desc_t *desc,
				 ze_command_queue_handle_t *queue)
{
	ENTER(zeCommandQueueCreate);
	NEED_HANDLE(context && device);
	NEED_POINTER(desc && queue);
	ze_command_queue_handle_t made = calloc(1, sizeof(*made));
	ze_result_t result =
		made ? queue_open(&made->queue, device, desc) : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	if (result != ZE_RESULT_SUCCESS) {
		free(made);
		return result;
	}
	*queue = made;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandQueueDestroy(ze_command_queue_handle_t queue)
{
	ENTER(zeCommandQueueDestroy);
	NEED_HANDLE(queue);
	queue_close(&queue->queue);
	free(queue);
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandQueueExecuteCommandLists(ze_command_queue_handle_t queue, uint32_t count,
					      ze_command_list_handle_t *lists,
					      ze_fence_handle_t fence)
{
	ze_result_t result = ZE_RESULT_SUCCESS;

	ENTER(zeCommandQueueExecuteCommandLists);
	NEED_HANDLE(queue);
	NEED_POINTER(lists);
	if (count == 0)
		return ZE_RESULT_ERROR_INVALID_SIZE;
	for (uint32_t i = 0; i < count; i++) {
		NEED_HANDLE(lists[i]);
		if (!lists[i]->closed || lists[i]->queue)
			return ZE_RESULT_ERROR_INVALID_ARGUMENT;
		if (lists[i]->group != queue->queue.engine->group)
			return ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE;
	}
	for (uint32_t i = 0; i < count && result == ZE_RESULT_SUCCESS; i++) {
		struct submission *submission = calloc(1, sizeof(*submission));

		if (!submission)
			return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
		submission->list = lists[i];
		submission->fence = i + 1 == count ? fence : NULL;
		result = queue_submit(&queue->queue, submission);
	}
	return result;
}

ze_result_t zeCommandQueueSynchronize(ze_command_queue_handle_t queue, uint64_t timeout)
{
	ENTER(zeCommandQueueSynchronize);
	NEED_HANDLE(queue);
	pthread_mutex_lock(&device_lock);
	struct ticket ticket = {&queue->queue, queue->queue.submitted};
	ze_result_t result = device_wait(queue->queue.device, ticket_done, &ticket, timeout);
	pthread_mutex_unlock(&device_lock);
	return device_is_lost(queue->queue.device) ? ZE_RESULT_ERROR_DEVICE_LOST : result;
}
