/* SPDX-License-Identifier: MIT */
/*
 * trace-context.c: each call of Glow's "Device Trace Events", and the call that does the same here.
 *
 *	cc -o trace-context trace-context.c && tracelayer run -- ./trace-context [FILE]		(./glow-trace.json)
 *
 * A comment above each call shows the call of the document. doc/tracelayer-contexts.7 has the same
 * as a table.
 */
#include <stdio.h>
#include <unistd.h>

#include <tracelayer/trace_context.h>

/* ExecutionContext: what a run is given. It has a trace context, or none. */
struct execution {
	struct tl_context *trace;
};

/*
 * A made-up device. It counts ticks of 4 ns. A program that it executes can store them in an array.
 */
static uint64_t device_ticks(void)
{
	return tl_context_now() / 4 + 77777;
}

static void execute(uint64_t *trace_backing, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		usleep(200);
		trace_backing[i] = device_ticks();
	}
}

/*
 *	size_t numEvents = 2; Placeholder *traceBacking =
 *	module.createPlaceholder(ElemKind::Int64Ty, {numEvents, 1}, "traceBacking", false);
 *	F->createTraceEvent("functionName", "B", traceBacking, 0);
 *	F->createTraceEvent("functionName", "E", traceBacking, 1);
 */
static const struct tl_trace_slot manual[] = {
	{"functionName", 'B', TL_TRACE_OPERATOR, 0, 0, 0, NULL},
	{"functionName", 'E', TL_TRACE_OPERATOR, 1, 0, 0, NULL},
};

/*
 * cctx.backendOpts.autoInstrument = true: one slot more than there are operators, and each operator
 * from its slot to the next.
 */
static const struct tl_context_arg conv_kind[] = {{"kind", "conv"}},
				   relu_kind[] = {{"kind", "relu"}};
static const struct tl_trace_slot instrumented[] = {
	{"conv1", 'X', TL_TRACE_OPERATOR, 0, 1, 1, conv_kind},
	{"relu1", 'X', TL_TRACE_OPERATOR, 1, 2, 1, relu_kind},
};

static void run(struct execution *ctx)
{
	/* Before and after: what time it is on both clocks. */
	struct tl_marker markers[2] = {{device_ticks(), tl_context_now()}};
	uint64_t trace_backing[2], instrumentation[3];
	struct tl_device_clock clock;
	/* A lane for the device. */
	uint32_t lane = tl_context_lane(ctx->trace, "Device");

	execute(trace_backing, 2);
	execute(instrumentation, 3);
	markers[1].device = device_ticks();
	markers[1].host = tl_context_now();
	/*
	 * The two-marker fit. The one offset that the OpenCL device manager uses: one marker, and
	 * the length of a tick.
	 */
	if (tl_device_clock_fit(&clock, markers, 2, 0))
		tl_device_clock_fit(&clock, &markers[1], 1, 4);
	tl_context_slots(ctx->trace, manual, 2, trace_backing, 2, &clock, lane);
	tl_context_slots(ctx->trace, instrumented, 2, instrumentation, 3, &clock, lane);
}

static void log_on_the_host(struct execution *ctx)
{
	uint64_t start = tl_context_now();
	const struct tl_context_arg args[] = {{"key", "value"}};

	/* TraceEvent ev("operator", TraceEvent::now(), "B", 1213); events.push_back(ev); */
	struct tl_context_event ev = {.name = "operator",
				      .type = 'B',
				      .level = TL_TRACE_OPERATOR,
				      .time = tl_context_now(),
				      .lane = 1213};
	tl_context_log_event(ctx->trace, &ev);
	ev.type = 'E';
	ev.time = tl_context_now();
	tl_context_log_event(ctx->trace, &ev);
	tl_context_name_lane(ctx->trace, 1213, "lane 1213");

	/*
	 * ctx.getTraceContext()->logTraceEvent("operator", TraceLevel::RUNTIME, "B",
	 * TraceEvent::now()); the time may be left out.
	 */
	tl_context_log_at(ctx->trace, TL_TRACE_RUNTIME, 'B', "operator", tl_context_now());
	tl_context_log(ctx->trace, TL_TRACE_RUNTIME, 'E', "operator");

	/* logCompleteTraceEvent("operator", TraceLevel::RUNTIME, start, {{"key", "value"}}); */
	tl_context_complete(ctx->trace, TL_TRACE_RUNTIME, "operator", start, args, 1);
}

static void use_scopes(struct execution *ctx)
{
	/*
	 * ScopedTraceBlock ev(ctx.getTraceContext(), TraceLevel::RUNTIME, "operator");
	 * ev.addArg("key", "value"); ev.end();
	 */
	TL_TRACE_SCOPE_NAMED(ctx->trace, TL_TRACE_RUNTIME, "operator", ev);
	tl_trace_scope_arg(&ev, "key", "value");
	tl_trace_scope_end(&ev);

	/*
	 * TRACE_EVENT_BEGIN(ctx.getTraceContext(), TraceLevel::REQUEST, "stage1");
	 * TRACE_EVENT_END(…);
	 */
	TL_TRACE_BEGIN(ctx->trace, TL_TRACE_REQUEST, "stage1");
	TL_TRACE_INSTANT(ctx->trace, TL_TRACE_REQUEST, "half way");
	TL_TRACE_LOG(ctx->trace, TL_TRACE_REQUEST, "as of now", 'I', tl_context_now());
	TL_TRACE_END(ctx->trace, TL_TRACE_REQUEST, "stage1");

	/*
	 * TRACE_EVENT_SCOPE(ctx.getTraceContext(), TraceLevel::REQUEST, "stage2");
	 * TRACE_EVENT_SCOPE_END();
	 */
	TL_TRACE_SCOPE(ctx->trace, TL_TRACE_REQUEST, "stage2");
	/* TRACE_EVENT_SCOPE_NAMED(…, "inner", inner); TRACE_EVENT_SCOPE_END_NAMED(inner); */
	TL_TRACE_SCOPE_NAMED(ctx->trace, TL_TRACE_REQUEST, "inner", inner);
	TL_TRACE_SCOPE_END_NAMED(inner);
	TL_TRACE_SCOPE_END();
}

/* ctx.getTraceContext(), where no ctx was handed down: of the request that this thread works on. */
static void deep_down(void)
{
	TL_TRACE_INSTANT(tl_context_entered(), TL_TRACE_RUNTIME, "deep down");
	/* Not logged: DEBUG is not among the context's levels. */
	TL_TRACE_INSTANT(tl_context_entered(), TL_TRACE_DEBUG, "deeper");
}

static void handle_request(struct execution *ctx)
{
	/* A ScopedTraceBlock that does not end with a block. */
	struct tl_trace_scope kept = tl_trace_scope_begin(ctx->trace, TL_TRACE_RUNTIME, "kept");

	/* The driver calls that the thread makes from here on belong to the request, too. */
	tl_context_set_request(ctx->trace, 1);
	tl_context_enter(ctx->trace);
	deep_down();
	tl_context_leave(ctx->trace);
	tl_trace_scope_end(&kept);
}

/* for (TraceEvent &event : ctx.getTraceContext()->getTraceEvents()) { … } */
static int inspect(const struct tl_context_event *event, void *unused)
{
	(void)unused;
	printf("%c %-13s %llu us\n", event->type, event->name,
	       (unsigned long long)event->duration / 1000);
	return 0;
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "glow-trace.json";
	/* ctx.setTraceContext(llvm::make_unique<TraceContext>(TraceLevel::STANDARD)); */
	struct execution ctx = {tl_context_create(TL_TRACE_STANDARD)};
	/* A context for what several runs did. */
	struct tl_context *all = tl_context_create(TL_TRACE_NONE);

	/* ctx.getTraceContext()->setThreadName("main") */
	tl_context_name_thread(ctx.trace, "main");
	/*
	 * setTraceLevel(getTraceLevel() | TraceLevel::REQUEST), if not
	 * shouldLog(TraceLevel::REQUEST)
	 */
	if (!tl_context_wants(ctx.trace, TL_TRACE_REQUEST))
		tl_context_set_level(ctx.trace, tl_context_level(ctx.trace) | TL_TRACE_REQUEST);
	/* executionEngine.run(ctx); */
	run(&ctx);
	log_on_the_host(&ctx);
	use_scopes(&ctx);
	handle_request(&ctx);
	tl_context_each(ctx.trace, inspect, NULL);
	/* A run without a trace. */
	struct execution silent = {NULL};
	use_scopes(&silent);
	/* all->copy(ctx.getTraceContext()); all->merge(ctx.getTraceContext()); */
	tl_context_copy(all, ctx.trace);
	tl_context_clear(all);
	tl_context_merge(all, ctx.trace);
	/* TraceEvent::dumpTraceEvents(events, "glow-trace.json", "glow"); */
	if (tl_context_dump(all, path, "glow"))
		perror(path);
	else
		printf("%zu events\n", tl_context_count(all));
	tl_context_destroy(ctx.trace);
	tl_context_destroy(all);
	return 0;
}
