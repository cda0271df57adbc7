/* SPDX-License-Identifier: MIT */
/*
 * mpi_groups.c: see mpi_groups.h.
 */
#include "config.h"

#include "cli/export/mpi_groups.h"

#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"

#define GROUPS_MOST 256 /* that a group is made of */

uint32_t mpi_group_add(struct mpi_groups *groups, struct mpi_group group)
{
	groups->list =
		need(reallocarray(groups->list, (size_t)groups->count + 1, sizeof(*groups->list)));
	groups->list[groups->count] = group;
	return groups->count++;
}

void mpi_groups_free(struct mpi_groups *groups)
{
	for (uint32_t i = 0; i < groups->count; i++)
		free(groups->list[i].ranges);
	free(groups->list);
}

/* --- which ranks these are */

struct look {
	const struct mpi_groups *groups;
	mpi_comm_ranks *comm_ranks;
	const void *context;
	unsigned groups_seen;
};

static struct mpi_ranks ranks_of_comm(const struct look *look, uint32_t comm)
{
	const int64_t *list;
	struct mpi_ranks ranks = {0};

	if (!look->comm_ranks(look->context, comm, &list, &ranks.count))
		return (struct mpi_ranks){0};
	ranks.list = need(calloc(ranks.count + 1, sizeof(*list)));
	memcpy(ranks.list, list, ranks.count * sizeof(*list));
	ranks.is_known = true;
	return ranks;
}

/* Places in a group of so many ranks. False: some are not in it, or they are more than it has. */
static bool range_add(const struct mpi_range *range, size_t most, struct mpi_ranks *places)
{
	int64_t first = range->first, last = range->last, stride = range->stride;
	int64_t count = stride ? (last - first) / stride + 1 : first == last;

	if (count < 0 || (uint64_t)count > most - places->count)
		return false;
	for (int64_t i = 0; i < count; i++) {
		int64_t place = first + i * stride;

		if (place < 0 || (uint64_t)place >= most)
			return false;
		places->list[places->count++] = place;
	}
	return true;
}

/* Where in the left group those ranks are that the call names. */
static struct mpi_ranks ranks_named(const struct mpi_ranks *left, const struct mpi_group *group)
{
	struct mpi_ranks places = {.list = need(calloc(left->count + 1, sizeof(*places.list))),
				   .is_known = true};

	for (size_t i = 0; i < group->count && places.is_known; i++)
		places.is_known = range_add(&group->ranges[i], left->count, &places);
	return places;
}

static struct mpi_ranks ranks_included(const struct mpi_ranks *left, const struct mpi_group *group)
{
	struct mpi_ranks ranks = ranks_named(left, group);

	for (size_t i = 0; i < ranks.count; i++)
		ranks.list[i] = left->list[ranks.list[i]];
	return ranks;
}

static struct mpi_ranks ranks_excluded(const struct mpi_ranks *left, const struct mpi_group *group)
{
	struct mpi_ranks named = ranks_named(left, group),
			 ranks = {.list = need(calloc(left->count + 1, sizeof(*ranks.list))),
				  .is_known = named.is_known};
	bool *is_out = need(calloc(left->count + 1, sizeof(*is_out)));

	for (size_t i = 0; i < named.count; i++)
		is_out[named.list[i]] = true;
	for (size_t i = 0; i < left->count; i++)
		if (!is_out[i])
			ranks.list[ranks.count++] = left->list[i];
	free(is_out);
	free(named.list);
	return ranks;
}

static int ranks_compare(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int64_t *ranks_sorted(const struct mpi_ranks *ranks)
{
	int64_t *sorted = need(calloc(ranks->count + 1, sizeof(*sorted)));

	if (ranks->count)
		memcpy(sorted, ranks->list, ranks->count * sizeof(*sorted));
	qsort(sorted, ranks->count, sizeof(*sorted), ranks_compare);
	return sorted;
}

/* Puts those of `from` to the end of `ranks` that are, or are not, in `other`. */
static void ranks_append(struct mpi_ranks *ranks, const struct mpi_ranks *from,
			 const struct mpi_ranks *other, bool wanted)
{
	int64_t *sorted = ranks_sorted(other);

	for (size_t i = 0; i < from->count; i++) {
		bool is_in = bsearch(&from->list[i], sorted, other->count, sizeof(*sorted),
				     ranks_compare);
		if (is_in == wanted)
			ranks->list[ranks->count++] = from->list[i];
	}
	free(sorted);
}

static struct mpi_ranks ranks_of_two(const struct mpi_ranks *left, const struct mpi_ranks *right,
				     enum mpi_group_way way)
{
	struct mpi_ranks none = {0}, ranks = {.list = need(calloc(left->count + right->count + 1,
								  sizeof(*ranks.list))),
					      .is_known = true};

	if (way == MPI_GROUP_UNION) {
		ranks_append(&ranks, left, &none, false);
		ranks_append(&ranks, right, left, false);
	} else {
		ranks_append(&ranks, left, right, way == MPI_GROUP_INTERSECTION);
	}
	return ranks;
}

static struct mpi_ranks ranks_look(struct look *look, uint32_t number)
{
	const struct mpi_group *group =
		number < look->groups->count ? &look->groups->list[number] : NULL;
	struct mpi_ranks left = {0}, right = {0}, ranks = {0};

	if (!group || look->groups_seen++ >= GROUPS_MOST)
		return ranks;
	if (group->way == MPI_GROUP_COMM)
		return ranks_of_comm(look, group->comm);
	if (group->way == MPI_GROUP_NONE)
		return (struct mpi_ranks){.is_known = true};
	left = ranks_look(look, group->left);
	if (left.is_known && group->way == MPI_GROUP_INCL) {
		ranks = ranks_included(&left, group);
	} else if (left.is_known && group->way == MPI_GROUP_EXCL) {
		ranks = ranks_excluded(&left, group);
	} else if (left.is_known) {
		right = ranks_look(look, group->right);
		if (right.is_known)
			ranks = ranks_of_two(&left, &right, group->way);
		free(right.list);
	}
	free(left.list);
	return ranks;
}

struct mpi_ranks mpi_group_ranks(const struct mpi_groups *groups, uint32_t group,
				 mpi_comm_ranks *comm_ranks, const void *context)
{
	struct look look = {.groups = groups, .comm_ranks = comm_ranks, .context = context};

	return ranks_look(&look, group);
}
