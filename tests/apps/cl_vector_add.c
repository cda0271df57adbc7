/* SPDX-License-Identifier: MIT */
/*
 * cl_vector_add: adds two vectors on the device, checks every sum, and says so.
 *
 *	-t N	in that many threads, each with a queue, a kernel and buffers of its own (1)
 *	-i N	that many times in each (1)
 *	-n N	elements (1024)
 *	-o F	write the sums there
 *
 * Exit code 0 when all sums are right, 1 when one is not.
 */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "cl_app.h"

static const char source[] =
	"__kernel void vector_add(__global const float *a, __global const float *b, __global float *c)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	c[i] = a[i] + b[i];\n"
	"}\n";

static struct app app;
static cl_program program;
static long threads = 1, iterations = 1;
static size_t elements = 1024;
static const char *output;

struct worker {
	pthread_t thread;
	float *sums;
	long wrong;
};

static cl_mem buffer(cl_mem_flags flags)
{
	cl_int error;
	cl_mem memory = clCreateBuffer(app.context, flags, elements * sizeof(float), NULL, &error);

	CHECK(error, "clCreateBuffer");
	return memory;
}

static long count_wrong(const float *a, const float *b, const float *c)
{
	long wrong = 0;

	for (size_t i = 0; i < elements; i++)
		wrong += c[i] != a[i] + b[i];
	return wrong;
}

static void add_once(cl_command_queue queue, cl_kernel kernel, cl_mem memory[3], float *vectors[3])
{
	size_t size = elements * sizeof(float);
	cl_event done;

	DO(clEnqueueWriteBuffer(queue, memory[0], CL_FALSE, 0, size, vectors[0], 0, NULL, NULL));
	DO(clEnqueueWriteBuffer(queue, memory[1], CL_TRUE, 0, size, vectors[1], 0, NULL, NULL));
	for (cl_uint i = 0; i < 3; i++)
		DO(clSetKernelArg(kernel, i, sizeof(cl_mem), &memory[i]));
	DO(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &elements, NULL, 0, NULL, &done));
	DO(clEnqueueReadBuffer(queue, memory[2], CL_TRUE, 0, size, vectors[2], 1, &done, NULL));
	DO(clReleaseEvent(done));
}

static void *work(void *argument)
{
	struct worker *self = argument;
	float *vectors[3] = {malloc(elements * sizeof(float)), malloc(elements * sizeof(float)),
			     self->sums};
	cl_command_queue queue = app_queue(&app);
	cl_int error;
	cl_kernel kernel = clCreateKernel(program, "vector_add", &error);

	CHECK(error, "clCreateKernel");
	cl_mem memory[3] = {buffer(CL_MEM_READ_ONLY), buffer(CL_MEM_READ_ONLY),
			    buffer(CL_MEM_WRITE_ONLY)};
	for (long round = 0; round < iterations; round++) {
		for (size_t i = 0; i < elements; i++) {
			vectors[0][i] = (float)i;
			vectors[1][i] = (float)(2 * i + (size_t)round);
		}
		add_once(queue, kernel, memory, vectors);
		self->wrong += count_wrong(vectors[0], vectors[1], vectors[2]);
	}
	for (int i = 0; i < 3; i++)
		DO(clReleaseMemObject(memory[i]));
	DO(clReleaseKernel(kernel));
	DO(clReleaseCommandQueue(queue));
	free(vectors[0]);
	free(vectors[1]);
	return NULL;
}

static void write_sums(const float *sums)
{
	FILE *file = fopen(output, "w");

	if (!file || fwrite(sums, sizeof(float), elements, file) != elements || fclose(file)) {
		perror(output);
		exit(2);
	}
}

static void options(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "t:i:n:o:")) != -1) {
		switch (option) {
		case 't':
			threads = app_number(optarg);
			break;
		case 'i':
			iterations = app_number(optarg);
			break;
		case 'n':
			elements = (size_t)app_number(optarg);
			break;
		case 'o':
			output = optarg;
			break;
		default:
			exit(2);
		}
	}
	if (!elements || !threads)
		exit(2);
}

int main(int argc, char **argv)
{
	long wrong = 0;

	options(argc, argv);
	app = app_open();
	program = app_build(&app, source);
	struct worker *workers = calloc((size_t)threads, sizeof(*workers));
	for (long i = 0; i < threads; i++) {
		workers[i].sums = malloc(elements * sizeof(float));
		if (i)
			pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	work(&workers[0]);
	for (long i = 0; i < threads; i++) {
		if (i)
			pthread_join(workers[i].thread, NULL);
		wrong += workers[i].wrong;
	}
	DO(clReleaseProgram(program));
	app_close(&app);
	if (output)
		write_sums(workers[0].sums);
	printf("%ld sums, %ld wrong\n", threads * iterations * (long)elements, wrong);
	for (long i = 0; i < threads; i++)
		free(workers[i].sums);
	free(workers);
	return wrong != 0;
}
