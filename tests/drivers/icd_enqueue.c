/* SPDX-License-Identifier: MIT */
/*
 * icd_enqueue.c: the commands of the OpenCL test driver, except kernels. A command that moves bytes
 * copies a block of rows and slices from one view to another, or fills a view with a pattern.
 */
#include "tests/drivers/icd_driver.h"

/* --- moving bytes */

static char *place(const struct view *view, size_t slice, size_t row)
{
	char *memory = view->mem ? view->mem->memory : view->host;

	return memory + view->offset + slice * view->slice + row * view->row;
}

static cl_int run_copy(struct command *command)
{
	for (size_t slice = 0; slice < command->region[2]; slice++)
		for (size_t row = 0; row < command->region[1]; row++)
			memmove(place(&command->to, slice, row), place(&command->from, slice, row),
				command->region[0]);
	return CL_COMPLETE;
}

static cl_int run_fill(struct command *command)
{
	for (size_t slice = 0; slice < command->region[2]; slice++)
		for (size_t row = 0; row < command->region[1]; row++) {
			char *to = place(&command->to, slice, row);

			for (size_t at = 0; at < command->region[0]; at += command->pattern_bytes)
				memcpy(to + at, command->pattern, command->pattern_bytes);
		}
	return CL_COMPLETE;
}

static bool holds(const struct view *view, const size_t region[3], const char *function)
{
	size_t end = view->offset + (region[2] - 1) * view->slice + (region[1] - 1) * view->row +
		     region[0];

	if (!view->mem)
		return view->host;
	return icd_live(view->mem, MEM, function) && end <= view->mem->size && end >= view->offset;
}

/* One command that moves bytes, as its caller describes it. */
struct move {
	const char *function;
	cl_command_type type;
	struct view from, to;
	size_t region[3];
	bool blocking;
	const void *pattern; /* instead of `from` */
	size_t pattern_bytes;
	cl_uint nwaits;
	const cl_event *waits;
};

static cl_int move(cl_command_queue queue, const struct move *move, cl_event *event)
{
	struct command *command;
	cl_int error;

	if (queue && (!move->region[0] || !move->region[1] || !move->region[2] ||
		      !holds(&move->to, move->region, move->function) ||
		      (!move->pattern && !holds(&move->from, move->region, move->function))))
		return CL_INVALID_VALUE;
	command = icd_command(queue, move->type, move->function, move->nwaits, move->waits, &error);
	if (!command)
		return error;
	command->from = move->from;
	command->to = move->to;
	memcpy(command->region, move->region, sizeof(command->region));
	command->run = move->pattern ? run_fill : run_copy;
	if (move->pattern)
		memcpy(command->pattern, move->pattern, move->pattern_bytes);
	command->pattern_bytes = move->pattern_bytes;
	return icd_submit(command, move->function, move->blocking, event);
}

static struct view of_buffer(cl_mem mem, size_t offset)
{
	return (struct view){.mem = mem, .offset = offset};
}

static struct view of_host(const void *host)
{
	return (struct view){.host = (char *)host};
}

/* What a rectangle's caller leaves 0 follows from the region. */
static struct view rectangle(cl_mem mem, const void *host, const size_t *origin,
			     const size_t *region, size_t row, size_t slice)
{
	struct view view = {.mem = mem, .host = (char *)host};

	if (!origin || !region)
		return view;
	view.row = row ? row : region[0];
	view.slice = slice ? slice : region[1] * view.row;
	view.offset = origin[0] + origin[1] * view.row + origin[2] * view.slice;
	return view;
}

static struct view of_image(cl_mem image, const size_t *origin)
{
	if (!origin || !icd_live(image, MEM, "an image's command"))
		return (struct view){0};
	return (struct view){.mem = image,
			     .row = image->row,
			     .slice = image->slice,
			     .offset = origin[0] * image->element + origin[1] * image->row +
				       origin[2] * image->slice};
}

static size_t element(cl_mem image)
{
	return image ? image->element : 0;
}

#define BYTES(n)                                                                                   \
	{                                                                                          \
		n, 1, 1                                                                            \
	}
#define REGION(r)                                                                                  \
	{                                                                                          \
		(r) ? (r)[0] : 0, (r) ? (r)[1] : 0, (r) ? (r)[2] : 0                               \
	}
#define PIXELS(image, r)                                                                           \
	{                                                                                          \
		(r) ? (r)[0] * element(image) : 0, (r) ? (r)[1] : 0, (r) ? (r)[2] : 0              \
	}
#define WAITS .nwaits = nwaits, .waits = waits
#define MOVE(name, code, ...)                                                                      \
	move(queue, &(struct move){"clEnqueue" #name, CL_COMMAND_##code, WAITS, __VA_ARGS__}, event)

cl_int icd_clEnqueueReadBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking, size_t offset,
			       size_t bytes, void *host, cl_uint nwaits, const cl_event *waits,
			       cl_event *event)
{
	COUNT(clEnqueueReadBuffer);
	return MOVE(ReadBuffer, READ_BUFFER, .from = of_buffer(mem, offset), .to = of_host(host),
		    .region = BYTES(bytes), .blocking = blocking);
}
EXPORTED(clEnqueueReadBuffer);

cl_int icd_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking, size_t offset,
				size_t bytes, const void *host, cl_uint nwaits,
				const cl_event *waits, cl_event *event)
{
	COUNT(clEnqueueWriteBuffer);
	return MOVE(WriteBuffer, WRITE_BUFFER, .from = of_host(host), .to = of_buffer(mem, offset),
		    .region = BYTES(bytes), .blocking = blocking);
}
EXPORTED(clEnqueueWriteBuffer);

cl_int icd_clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
			       size_t to_offset, size_t bytes, cl_uint nwaits,
			       const cl_event *waits, cl_event *event)
{
	COUNT(clEnqueueCopyBuffer);
	return MOVE(CopyBuffer, COPY_BUFFER, .from = of_buffer(from, from_offset),
		    .to = of_buffer(to, to_offset), .region = BYTES(bytes));
}
EXPORTED(clEnqueueCopyBuffer);

cl_int icd_clEnqueueReadBufferRect(cl_command_queue queue, cl_mem mem, cl_bool blocking,
				   const size_t *origin, const size_t *host_origin,
				   const size_t *region, size_t row, size_t slice, size_t host_row,
				   size_t host_slice, void *host, cl_uint nwaits,
				   const cl_event *waits, cl_event *event)
{
	COUNT(clEnqueueReadBufferRect);
	return MOVE(ReadBufferRect, READ_BUFFER_RECT,
		    .from = rectangle(mem, NULL, origin, region, row, slice),
		    .to = rectangle(NULL, host, host_origin, region, host_row, host_slice),
		    .region = REGION(region), .blocking = blocking);
}
EXPORTED(clEnqueueReadBufferRect);

cl_int icd_clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem mem, cl_bool blocking,
				    const size_t *origin, const size_t *host_origin,
				    const size_t *region, size_t row, size_t slice, size_t host_row,
				    size_t host_slice, const void *host, cl_uint nwaits,
				    const cl_event *waits, cl_event *event)
{
	COUNT(clEnqueueWriteBufferRect);
	return MOVE(WriteBufferRect, WRITE_BUFFER_RECT,
		    .from = rectangle(NULL, host, host_origin, region, host_row, host_slice),
		    .to = rectangle(mem, NULL, origin, region, row, slice),
		    .region = REGION(region), .blocking = blocking);
}
EXPORTED(clEnqueueWriteBufferRect);

cl_int icd_clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem from, cl_mem to,
				   const size_t *from_origin, const size_t *to_origin,
				   const size_t *region, size_t from_row, size_t from_slice,
				   size_t to_row, size_t to_slice, cl_uint nwaits,
				   const cl_event *waits, cl_event *event)
{
	COUNT(clEnqueueCopyBufferRect);
	return MOVE(CopyBufferRect, COPY_BUFFER_RECT,
		    .from = rectangle(from, NULL, from_origin, region, from_row, from_slice),
		    .to = rectangle(to, NULL, to_origin, region, to_row, to_slice),
		    .region = REGION(region));
}
EXPORTED(clEnqueueCopyBufferRect);

static bool is_pattern(const void *pattern, size_t bytes, size_t whole)
{
	return pattern && bytes && bytes <= sizeof(((struct command *)0)->pattern) &&
	       whole % bytes == 0;
}

cl_int icd_clEnqueueFillBuffer(cl_command_queue queue, cl_mem mem, const void *pattern,
			       size_t pattern_bytes, size_t offset, size_t bytes, cl_uint nwaits,
			       const cl_event *waits, cl_event *event)
{
	COUNT(clEnqueueFillBuffer);
	if (queue && !is_pattern(pattern, pattern_bytes, bytes))
		return CL_INVALID_VALUE;
	return MOVE(FillBuffer, FILL_BUFFER, .to = of_buffer(mem, offset), .region = BYTES(bytes),
		    .pattern = pattern, .pattern_bytes = pattern_bytes);
}
EXPORTED(clEnqueueFillBuffer);

/* --- images */

cl_int icd_clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
			      const size_t *origin, const size_t *region, size_t row, size_t slice,
			      void *host, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	const size_t start[3] = {0}, bytes[3] = PIXELS(image, region);

	COUNT(clEnqueueReadImage);
	return MOVE(ReadImage, READ_IMAGE, .from = of_image(image, origin),
		    .to = rectangle(NULL, host, start, bytes, row, slice),
		    .region = PIXELS(image, region), .blocking = blocking);
}
EXPORTED(clEnqueueReadImage);

cl_int icd_clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
			       const size_t *origin, const size_t *region, size_t row, size_t slice,
			       const void *host, cl_uint nwaits, const cl_event *waits,
			       cl_event *event)
{
	const size_t start[3] = {0}, bytes[3] = PIXELS(image, region);

	COUNT(clEnqueueWriteImage);
	return MOVE(WriteImage, WRITE_IMAGE, .to = of_image(image, origin),
		    .from = rectangle(NULL, host, start, bytes, row, slice),
		    .region = PIXELS(image, region), .blocking = blocking);
}
EXPORTED(clEnqueueWriteImage);

cl_int icd_clEnqueueCopyImage(cl_command_queue queue, cl_mem from, cl_mem to,
			      const size_t *from_origin, const size_t *to_origin,
			      const size_t *region, cl_uint nwaits, const cl_event *waits,
			      cl_event *event)
{
	COUNT(clEnqueueCopyImage);
	return MOVE(CopyImage, COPY_IMAGE, .from = of_image(from, from_origin),
		    .to = of_image(to, to_origin), .region = PIXELS(from, region));
}
EXPORTED(clEnqueueCopyImage);

cl_int icd_clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem image, cl_mem buffer,
				      const size_t *origin, const size_t *region, size_t offset,
				      cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	const size_t start[3] = {offset}, bytes[3] = PIXELS(image, region);

	COUNT(clEnqueueCopyImageToBuffer);
	return MOVE(CopyImageToBuffer, COPY_IMAGE_TO_BUFFER, .from = of_image(image, origin),
		    .to = rectangle(buffer, NULL, start, bytes, 0, 0),
		    .region = PIXELS(image, region));
}
EXPORTED(clEnqueueCopyImageToBuffer);

cl_int icd_clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem buffer, cl_mem image,
				      size_t offset, const size_t *origin, const size_t *region,
				      cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	const size_t start[3] = {offset}, bytes[3] = PIXELS(image, region);

	COUNT(clEnqueueCopyBufferToImage);
	return MOVE(CopyBufferToImage, COPY_BUFFER_TO_IMAGE, .to = of_image(image, origin),
		    .from = rectangle(buffer, NULL, start, bytes, 0, 0),
		    .region = PIXELS(image, region));
}
EXPORTED(clEnqueueCopyBufferToImage);

/* The colour is put in as it is given: good enough for formats as wide as a colour's component. */
cl_int icd_clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void *colour,
			      const size_t *origin, const size_t *region, cl_uint nwaits,
			      const cl_event *waits, cl_event *event)
{
	COUNT(clEnqueueFillImage);
	if (queue && (!colour || !element(image)))
		return CL_INVALID_VALUE;
	return MOVE(FillImage, FILL_IMAGE, .to = of_image(image, origin),
		    .region = PIXELS(image, region), .pattern = colour,
		    .pattern_bytes = element(image));
}
EXPORTED(clEnqueueFillImage);

/* --- commands that move nothing */

struct nothing {
	const char *function;
	cl_command_type type;
	bool blocking, after_all, before_all;
	cl_uint nwaits;
	const cl_event *waits;
};

static cl_int nothing(cl_command_queue queue, const struct nothing *nothing, cl_uint count,
		      const cl_mem *mems, cl_event *event)
{
	struct command *command;
	cl_int error;

	if (queue && !icd_all_live(count, mems, MEM, nothing->function))
		return CL_INVALID_MEM_OBJECT;
	command = icd_command(queue, nothing->type, nothing->function, nothing->nwaits,
			      nothing->waits, &error);
	if (!command)
		return error;
	command->after_all = nothing->after_all;
	command->before_all = nothing->before_all;
	if (icd_command_mems(command, count) && count)
		memcpy(command->mems, mems, count * sizeof(*mems));
	return icd_submit(command, nothing->function, nothing->blocking, event);
}

#define NOTHING(name, code, count, mems, event, ...)                                               \
	nothing(queue,                                                                             \
		&(struct nothing){"clEnqueue" #name, CL_COMMAND_##code, WAITS, __VA_ARGS__},       \
		count, mems, event)

/* Host and device share the memory: mapping is waiting. */
void *icd_clEnqueueMapBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking,
			     cl_map_flags flags, size_t offset, size_t bytes, cl_uint nwaits,
			     const cl_event *waits, cl_event *event, cl_int *error)
{
	const struct view view = of_buffer(mem, offset);
	const size_t region[] = BYTES(bytes);
	cl_int result = CL_INVALID_VALUE;

	COUNT(clEnqueueMapBuffer);
	if (!queue || (mem && holds(&view, region, "clEnqueueMapBuffer")))
		result = NOTHING(MapBuffer, MAP_BUFFER, 1, &mem, event, .blocking = blocking);
	icd_set(error, result);
	return result ? NULL : mem->memory + offset;
}
EXPORTED(clEnqueueMapBuffer);

void *icd_clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
			    cl_map_flags flags, const size_t *origin, const size_t *region,
			    size_t *row, size_t *slice, cl_uint nwaits, const cl_event *waits,
			    cl_event *event, cl_int *error)
{
	const struct view view = of_image(image, origin);
	cl_int result = CL_INVALID_VALUE;

	COUNT(clEnqueueMapImage);
	if (!queue || (view.mem && region && row))
		result = NOTHING(MapImage, MAP_IMAGE, 1, &image, event, .blocking = blocking);
	icd_set(error, result);
	if (result)
		return NULL;
	*row = image->row;
	if (slice)
		*slice = image->depth ? image->slice : 0;
	return place(&view, 0, 0);
}
EXPORTED(clEnqueueMapImage);

cl_int icd_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem mem, void *mapped, cl_uint nwaits,
				   const cl_event *waits, cl_event *event)
{
	COUNT(clEnqueueUnmapMemObject);
	return NOTHING(UnmapMemObject, UNMAP_MEM_OBJECT, 1, &mem, event);
}
EXPORTED(clEnqueueUnmapMemObject);

cl_int icd_clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint count, const cl_mem *mems,
				      cl_mem_migration_flags flags, cl_uint nwaits,
				      const cl_event *waits, cl_event *event)
{
	COUNT(clEnqueueMigrateMemObjects);
	if (queue && (!count || !mems))
		return CL_INVALID_VALUE;
	return NOTHING(MigrateMemObjects, MIGRATE_MEM_OBJECTS, count, mems, event);
}
EXPORTED(clEnqueueMigrateMemObjects);

cl_int icd_clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint nwaits,
				       const cl_event *waits, cl_event *event)
{
	COUNT(clEnqueueMarkerWithWaitList);
	return NOTHING(MarkerWithWaitList, MARKER, 0, NULL, event, .after_all = !nwaits);
}
EXPORTED(clEnqueueMarkerWithWaitList);

cl_int icd_clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint nwaits,
					const cl_event *waits, cl_event *event)
{
	COUNT(clEnqueueBarrierWithWaitList);
	return NOTHING(BarrierWithWaitList, BARRIER, 0, NULL, event, .after_all = !nwaits,
		       .before_all = true);
}
EXPORTED(clEnqueueBarrierWithWaitList);

/* --- what OpenCL 1.1 had for markers and barriers */

cl_int icd_clEnqueueMarker(cl_command_queue queue, cl_event *event)
{
	const cl_uint nwaits = 0;
	const cl_event *waits = NULL;

	COUNT(clEnqueueMarker);
	if (queue && !event)
		return CL_INVALID_VALUE;
	return NOTHING(Marker, MARKER, 0, NULL, event, .after_all = true);
}
EXPORTED(clEnqueueMarker);

cl_int icd_clEnqueueBarrier(cl_command_queue queue)
{
	const cl_uint nwaits = 0;
	const cl_event *waits = NULL;

	COUNT(clEnqueueBarrier);
	return NOTHING(Barrier, BARRIER, 0, NULL, NULL, .after_all = true, .before_all = true);
}
EXPORTED(clEnqueueBarrier);

cl_int icd_clEnqueueWaitForEvents(cl_command_queue queue, cl_uint nwaits, const cl_event *waits)
{
	COUNT(clEnqueueWaitForEvents);
	if (queue && (!nwaits || !waits))
		return CL_INVALID_VALUE;
	return NOTHING(WaitForEvents, BARRIER, 0, NULL, NULL, .before_all = true);
}
EXPORTED(clEnqueueWaitForEvents);

/* --- shared memory */

static cl_int run_free(struct command *command)
{
	cl_uint count = (cl_uint)command->items;

	if (command->freeing)
		command->freeing(command->event->queue, count, command->shared,
				 command->freeing_with);
	else
		for (cl_uint i = 0; i < count; i++)
			icd_free_shared(command->shared[i], "clEnqueueSVMFree");
	return CL_COMPLETE;
}

cl_int icd_clEnqueueSVMFree(cl_command_queue queue, cl_uint count, void *pointers[],
			    void(CL_CALLBACK *freeing)(cl_command_queue, cl_uint, void *[], void *),
			    void *with, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	struct command *command;
	cl_int error;

	COUNT_NEW(clEnqueueSVMFree, CL_INVALID_OPERATION);
	if (queue && (!count || !pointers))
		return CL_INVALID_VALUE;
	command =
		icd_command(queue, CL_COMMAND_SVM_FREE, "clEnqueueSVMFree", nwaits, waits, &error);
	if (!command)
		return error;
	command->shared = calloc(count, sizeof(*pointers));
	if (command->shared)
		memcpy(command->shared, pointers, count * sizeof(*pointers));
	command->items = command->shared ? count : 0;
	command->freeing = freeing;
	command->freeing_with = with;
	command->run = run_free;
	return icd_submit(command, "clEnqueueSVMFree", false, event);
}
EXPORTED(clEnqueueSVMFree);

cl_int icd_clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking, void *to, const void *from,
			      size_t bytes, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	COUNT_NEW(clEnqueueSVMMemcpy, CL_INVALID_OPERATION);
	return MOVE(SVMMemcpy, SVM_MEMCPY, .from = of_host(from), .to = of_host(to),
		    .region = BYTES(bytes), .blocking = blocking);
}
EXPORTED(clEnqueueSVMMemcpy);

cl_int icd_clEnqueueSVMMemFill(cl_command_queue queue, void *to, const void *pattern,
			       size_t pattern_bytes, size_t bytes, cl_uint nwaits,
			       const cl_event *waits, cl_event *event)
{
	COUNT_NEW(clEnqueueSVMMemFill, CL_INVALID_OPERATION);
	if (queue && !is_pattern(pattern, pattern_bytes, bytes))
		return CL_INVALID_VALUE;
	return MOVE(SVMMemFill, SVM_MEMFILL, .to = of_host(to), .region = BYTES(bytes),
		    .pattern = pattern, .pattern_bytes = pattern_bytes);
}
EXPORTED(clEnqueueSVMMemFill);

cl_int icd_clEnqueueSVMMap(cl_command_queue queue, cl_bool blocking, cl_map_flags flags, void *to,
			   size_t bytes, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	COUNT_NEW(clEnqueueSVMMap, CL_INVALID_OPERATION);
	if (queue && (!to || !bytes))
		return CL_INVALID_VALUE;
	return NOTHING(SVMMap, SVM_MAP, 0, NULL, event, .blocking = blocking);
}
EXPORTED(clEnqueueSVMMap);

cl_int icd_clEnqueueSVMUnmap(cl_command_queue queue, void *from, cl_uint nwaits,
			     const cl_event *waits, cl_event *event)
{
	COUNT_NEW(clEnqueueSVMUnmap, CL_INVALID_OPERATION);
	if (queue && !from)
		return CL_INVALID_VALUE;
	return NOTHING(SVMUnmap, SVM_UNMAP, 0, NULL, event);
}
EXPORTED(clEnqueueSVMUnmap);

cl_int icd_clEnqueueSVMMigrateMem(cl_command_queue queue, cl_uint count, const void **pointers,
				  const size_t *sizes, cl_mem_migration_flags flags, cl_uint nwaits,
				  const cl_event *waits, cl_event *event)
{
	COUNT_NEW(clEnqueueSVMMigrateMem, CL_INVALID_OPERATION);
	if (queue && (!count || !pointers))
		return CL_INVALID_VALUE;
	return NOTHING(SVMMigrateMem, SVM_MIGRATE_MEM, 0, NULL, event);
}
EXPORTED(clEnqueueSVMMigrateMem);

/* --- a function of the program's own; its memory objects are replaced by their memory */

static cl_int run_native(struct command *command)
{
	command->native(command->native_with);
	return CL_COMPLETE;
}

cl_int icd_clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK *function)(void *),
				 void *with, size_t bytes, cl_uint count, const cl_mem *mems,
				 const void **places, cl_uint nwaits, const cl_event *waits,
				 cl_event *event)
{
	struct command *command;
	cl_int error;

	COUNT(clEnqueueNativeKernel);
	if (queue && (!function || !icd_all_live(count, mems, MEM, "clEnqueueNativeKernel")))
		return CL_INVALID_VALUE;
	command = icd_command(queue, CL_COMMAND_NATIVE_KERNEL, "clEnqueueNativeKernel", nwaits,
			      waits, &error);
	if (!command)
		return error;
	command->native = function;
	command->native_with = calloc(1, bytes + 1);
	if (command->native_with && bytes)
		memcpy(command->native_with, with, bytes);
	if (icd_command_mems(command, count) && command->native_with)
		for (cl_uint i = 0; i < count; i++) {
			char *at = (char *)command->native_with +
				   ((const char *)places[i] - (const char *)with);

			memcpy(at, &mems[i]->memory, sizeof(char *));
			command->mems[i] = mems[i];
		}
	command->run = run_native;
	return icd_submit(command, "clEnqueueNativeKernel", false, event);
}
EXPORTED(clEnqueueNativeKernel);
