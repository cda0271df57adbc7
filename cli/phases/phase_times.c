/* SPDX-License-Identifier: MIT */
/*
 * phase_times.c: see phase_times.h. Times are added in the order of Android's tool, so that the
 * last digits are the same.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/phases/phase_times.h"

/* ---- trees ---- */

static enum run_fault run_tree_fault(struct run *run, const struct tracker *tracker,
				     enum tree_fault why, uint32_t node)
{
	static const enum run_fault faults[] = {[TREE_PHASE] = RUN_PHASE,
						[TREE_LAYER] = RUN_LAYER,
						[TREE_UNSPECIFIED] = RUN_UNSPECIFIED};

	return run_set_fault(run, faults[why], tracker, run->pool.nodes[node].offset, node);
}

static enum run_fault run_arrange(struct run *run)
{
	uint32_t node = NO_NODE;
	enum tree_fault why;

	for (size_t i = 0; i < run->ntrackers; i++)
		if (run->trackers[i].is_left_out)
			tracker_clear(&run->trackers[i]);
	for (size_t i = 0; i < run->ntrackers; i++) {
		memset(&run->trackers[i].own, 0, sizeof(run->trackers[i].own));
		if (run->trackers[i].root &&
		    (why = tree_arrange(&run->pool, run->trackers[i].root, run->limits,
					&run->trackers[i].own, &node)))
			return run_tree_fault(run, &run->trackers[i], why, node);
	}
	for (size_t i = 0; i < run->ntrackers; i++)
		if (run->trackers[i].root &&
		    (why = tree_check(&run->pool, run->trackers[i].root, run->is_ours, &node)))
			return run_tree_fault(run, &run->trackers[i], why, node);
	for (size_t i = 0; i < run->ntrackers; i++) {
		memset(&run->trackers[i].sums, 0, sizeof(run->trackers[i].sums));
		if (run->trackers[i].root)
			tree_add_up(&run->pool, run->trackers[i].root, &run->trackers[i].sums);
	}
	return RUN_SOUND;
}

/* ---- execution, which is added up from single calls ---- */

/* How much of a span counts, ms. */
static double span_length(const struct run *run, double start, double end, bool is_named)
{
	const struct mark_limits *limits = run->limits;

	if (!limits)
		return end - start;
	if ((limits->by_name && !is_named) || end - start < 1000 * limits->shortest)
		return 0;
	start = start < 1000 * limits->from ? 1000 * limits->from : start;
	end = end > 1000 * limits->to ? 1000 * limits->to : end;
	return end > start ? end - start : 0;
}

/* How many of the calls lie in what is selected. */
static uint64_t spans_taken(const struct run *run, const struct spans *spans)
{
	const struct mark_limits *limits = run->limits;
	uint64_t count = 0;

	for (size_t i = 0; i < spans->count; i++) {
		const struct span *span = &spans->list[i];

		count += !limits ||
			 ((span->is_named || !limits->by_name) &&
			  span->end - span->start >= 1000 * limits->shortest &&
			  span->start <= 1000 * limits->to && span->end >= 1000 * limits->from);
	}
	return count;
}

/* Execution of one thread: from each start to the end of its wait, and the calls around these. */
static enum run_fault add_runtime_execution(struct run *run, const struct tracker *tracker,
					    enum overall overall, double *sum)
{
	const struct spans *calls = tracker->calls[overall];
	const struct spans *starts = &calls[TIMED_START], *waits = &calls[TIMED_WAIT];
	static const enum timed_function around[] = {
		TIMED_CREATE,	 TIMED_FREE,	   TIMED_EVENT_CREATE,	   TIMED_EVENT_FREE,
		TIMED_SET_INPUT, TIMED_SET_OUTPUT, TIMED_SET_INPUT_MEMORY, TIMED_SET_OUTPUT_MEMORY};
	double time = 0;

	if (waits->count < starts->count) {
		run->fault.overall = overall;
		run->fault.begun = starts->count;
		run->fault.ended = waits->count;
		return run_set_fault(run, RUN_WAITS, tracker, 0, NO_NODE);
	}
	for (size_t i = 0; i < starts->count; i++)
		time += span_length(run, starts->list[i].start, waits->list[i].end,
				    starts->list[i].is_named);
	for (size_t f = 0; f < sizeof(around) / sizeof(*around); f++)
		for (size_t i = 0; i < calls[around[f]].count; i++) {
			const struct span *call = &calls[around[f]].list[i];

			time += span_length(run, call->start, call->end, call->is_named);
		}
	*sum += time;
	return RUN_SOUND;
}

static int by_start(const void *a, const void *b)
{
	double one = ((const struct span *)a)->start, other = ((const struct span *)b)->start;

	return one < other ? -1 : one > other;
}

/* All threads' calls of a function, in the order of time. */
static struct spans all_calls(const struct run *run, enum overall overall,
			      enum timed_function function)
{
	struct spans all = {0};

	for (size_t i = 0; i < run->ntrackers; i++) {
		const struct spans *calls = &run->trackers[i].calls[overall][function];

		for (size_t j = 0; j < calls->count; j++)
			spans_add(&all, calls->list[j]);
	}
	if (all.count)
		qsort(all.list, all.count, sizeof(*all.list), by_start);
	return all;
}

/* Execution in drivers: from the start of each execution to the start of its notification. */
static enum run_fault add_driver_execution(struct run *run, enum overall overall, double *sum)
{
	struct spans begun = all_calls(run, overall, TIMED_DRIVER_EXECUTE),
		     ended = all_calls(run, overall, TIMED_DRIVER_NOTIFY);
	enum run_fault why = RUN_SOUND;

	if (begun.count != ended.count) {
		run->fault.overall = overall;
		run->fault.begun = begun.count;
		run->fault.ended = ended.count;
		why = run_set_fault(run, RUN_NOTIFIES, NULL, 0, NO_NODE);
	} else {
		double time = 0;

		for (size_t i = 0; i < begun.count; i++)
			time += span_length(run, begun.list[i].start, ended.list[i].start,
					    begun.list[i].is_named);
		*sum += time;
	}
	free(begun.list);
	free(ended.list);
	return why;
}

/* ---- tables ---- */

/* Whether some thread has the calls whose sum is a layer's execution. */
static bool run_has_calls(const struct run *run, enum timed_function function)
{
	for (size_t i = 0; i < run->ntrackers; i++)
		for (enum overall overall = 0; overall < OVERALLS; overall++)
			if (run->trackers[i].calls[overall][function].count)
				return true;
	return false;
}

static bool is_by_calls(const struct run *run, enum nn_layer nn_layer, enum nn_phase nn_phase)
{
	if (nn_phase != NN_PHASE_PE)
		return false;
	if (nn_layer == NN_LAYER_LR)
		return !run->is_ours || run_has_calls(run, TIMED_START);
	return nn_layer == NN_LAYER_LD &&
	       (!run->is_ours || run_has_calls(run, TIMED_DRIVER_EXECUTE));
}

static enum run_fault layer_time(struct run *run, enum overall overall, enum nn_layer nn_layer,
				 enum nn_phase nn_phase, double *time)
{
	enum run_fault why = RUN_SOUND;

	bool by_calls = is_by_calls(run, nn_layer, nn_phase);

	*time = 0;
	if (by_calls && nn_layer == NN_LAYER_LD)
		return add_driver_execution(run, overall, time);
	for (size_t i = 0; i < run->ntrackers && !why; i++)
		if (by_calls)
			why = add_runtime_execution(run, &run->trackers[i], overall, time);
		else
			*time += run->trackers[i].sums.times[overall][nn_layer][nn_phase];
	return why;
}

/* A time of 0 may mean here that nothing was measured. */
static bool may_be_missing(unsigned nn_layer, unsigned nn_phase)
{
	return nn_layer == NN_LAYER_LA ||
	       (nn_layer == NN_LAYER_LD && nn_phase_is_of_execution((uint16_t)nn_phase));
}

static double known_or_zero(double time)
{
	return isnan(time) ? 0 : time;
}

/* Adds up the overall time of layers that have no marks for it. */
static void fill_overall(struct phase_table *table)
{
	static const enum nn_phase parts[] = {NN_PHASE_PI, NN_PHASE_PP, NN_PHASE_PC, NN_PHASE_PE,
					      NN_PHASE_PT};

	for (unsigned nn_layer = 0; nn_layer < NN_LAYERS; nn_layer++) {
		double *overall = &table->of[NN_PHASE_PO][nn_layer];

		if (*overall != 0)
			continue;
		for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
			*overall += known_or_zero(table->of[parts[i]][nn_layer]);
	}
}

static void fill_totals(struct phase_table *table)
{
	for (unsigned nn_phase = 0; nn_phase < NN_PHASES; nn_phase++) {
		double longest = 0;

		for (unsigned nn_layer = 0; nn_layer < NN_LAYERS; nn_layer++)
			if (known_or_zero(table->of[nn_phase][nn_layer]) > longest)
				longest = table->of[nn_phase][nn_layer];
		table->of[nn_phase][NN_LAYER_LT] = longest;
	}
}

/* Sums the times from `first` to `last`. */
static enum run_fault fill_table(struct run *run, struct phase_table *table, enum overall first,
				 enum overall last)
{
	for (unsigned nn_phase = 0; nn_phase < NN_PHASES; nn_phase++)
		for (unsigned nn_layer = 0; nn_layer < NN_LAYERS; nn_layer++) {
			double *sum = &table->of[nn_phase][nn_layer], time;

			*sum = 0;
			for (enum overall overall = first; overall <= last; overall++) {
				enum run_fault why =
					layer_time(run, overall, nn_layer, nn_phase, &time);

				if (why)
					return why;
				*sum += time;
			}
			if (*sum == 0 && may_be_missing(nn_layer, nn_phase))
				*sum = NAN;
		}
	if (first == OVERALL_PO)
		fill_overall(table);
	fill_totals(table);
	return RUN_SOUND;
}

/*
 * A layer's own time in a phase is its time without the time of the layers below it, whichever
 * layer called them.
 */
static void fill_self(const struct phase_table *total, struct phase_table *self)
{
	static const enum nn_layer upwards[NN_LAYERS] = {NN_LAYER_LC, NN_LAYER_LD, NN_LAYER_LI,
							 NN_LAYER_LR, NN_LAYER_LA};

	for (unsigned nn_phase = 0; nn_phase < NN_PHASES; nn_phase++) {
		/* If the driver only initialises, the layers above did not call it. */
		bool only_initialises =
			nn_phase == NN_PHASE_PO && total->of[NN_PHASE_PE][NN_LAYER_LD] == 0;
		double below = 0;

		for (size_t i = 0; i < NN_LAYERS; i++) {
			enum nn_layer nn_layer = upwards[i];
			double time = total->of[nn_phase][nn_layer],
			       *own = &self->of[nn_phase][nn_layer];

			if (isnan(time) || time == 0) {
				*own = time;
			} else if (only_initialises && nn_layer == NN_LAYER_LD) {
				*own = time;
			} else if (only_initialises && nn_layer == NN_LAYER_LI) {
				*own = time - total->of[nn_phase][NN_LAYER_LD];
			} else {
				*own = time - below;
				below = time;
			}
		}
		self->of[nn_phase][NN_LAYER_LT] = total->of[nn_phase][NN_LAYER_LT];
	}
}

/* Adds the parts of execution to execution, and all phases to overall. */
static void fill_parts(struct phase_table *table)
{
	for (unsigned nn_phase = 0; nn_phase < NN_PHASES; nn_phase++) {
		bool is_part = nn_phase_is_of_execution((uint16_t)nn_phase);

		for (unsigned nn_layer = 0; nn_layer < NN_LAYERS; nn_layer++) {
			double time = table->of[nn_phase][nn_layer];

			if (is_part)
				table->of[NN_PHASE_PE][nn_layer] += time;
			if (nn_phase != NN_PHASE_PO)
				table->of[NN_PHASE_PO][nn_layer] += time;
		}
	}
}

/* Sums the own times by the call tree. */
static void fill_tree(const struct run *run, struct phase_table *table, enum overall first,
		      enum overall last)
{
	for (size_t i = 0; i < run->ntrackers; i++)
		for (enum overall overall = first; overall <= last; overall++)
			for (unsigned nn_layer = 0; nn_layer < NN_LAYERS; nn_layer++)
				for (unsigned nn_phase = 0; nn_phase < NN_PHASES; nn_phase++)
					table->of[nn_phase][nn_layer] +=
						run->trackers[i].root
							? run->trackers[i]
								  .own.times[overall][nn_layer]
									    [nn_phase]
							: 0;
	fill_parts(table);
	for (unsigned nn_phase = 0; nn_phase < NN_PHASES; nn_phase++)
		for (unsigned nn_layer = 0; nn_layer < NN_LAYERS; nn_layer++)
			table->of[nn_phase][NN_LAYER_LT] += table->of[nn_phase][nn_layer];
}

static void count_executions(const struct run *run, uint64_t *executions)
{
	for (enum overall overall = 0; overall < OVERALLS; overall++) {
		executions[overall] = 0;
		for (size_t i = 0; i < run->ntrackers; i++) {
			const struct tracker *tracker = &run->trackers[i];
			uint64_t count = spans_taken(run, &tracker->calls[overall][TIMED_CREATE]);

			if (!count)
				count = tracker->application_executions[overall];
			if (count > executions[overall])
				executions[overall] = count;
		}
	}
}

enum run_fault run_add_up(struct run *run, struct phase_times *times)
{
	enum run_fault why = run_arrange(run);

	if (why)
		return why;
	count_executions(run, times->executions);
	bool warmed_up = times->executions[OVERALL_PWU], measured = times->executions[OVERALL_PBM];

	times->is_benchmark = warmed_up && measured;
	times->is_half = warmed_up != measured;
	why = fill_table(run, &times->total[OVERALL_PO], OVERALL_PO,
			 warmed_up || measured ? OVERALL_PBM : OVERALL_PO);
	fill_tree(run, &times->tree[OVERALL_PO], OVERALL_PO, OVERALL_PBM);
	for (enum overall overall = OVERALL_PWU; overall < OVERALLS && !why && times->is_benchmark;
	     overall++) {
		why = fill_table(run, &times->total[overall], overall, overall);
		fill_tree(run, &times->tree[overall], overall, overall);
	}
	for (enum overall overall = 0;
	     overall < OVERALLS && !why && (!overall || times->is_benchmark); overall++)
		fill_self(&times->total[overall], &times->self[overall]);
	return why;
}
