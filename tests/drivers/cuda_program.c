/* SPDX-License-Identifier: MIT */
/*
 * cuda_program.c: a program that opens libcuda.so.1 and asks for each function by
 * cuGetProcAddress, as the CUDA runtime does: by a name without "_v2", and by a version.
 */
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>

static __typeof__(cuGetProcAddress) *get;

static void *function(const char *name, int version)
{
	CUdriverProcAddressQueryResult status;
	void *found = NULL;

	if (get(name, &found, version, 0, &status) || !found)
		printf("%s of version %d: status %d\n", name, version, (int)status);
	return found;
}

/* Call the function that the driver has of this type and name at that version. */
#define CALL(type, name, version, ...)                                                             \
	do {                                                                                       \
		type *call = function(name, version);                                              \
		if (call)                                                                          \
			printf("%s %d: %d\n", name, version, (int)call(__VA_ARGS__));              \
	} while (0)

typedef CUresult first_get(const char *, void **, int, cuuint64_t);
typedef CUresult init(unsigned);
typedef CUresult create_context(CUcontext *, unsigned, CUdevice);
typedef CUresult create_stream(CUstream *, unsigned);
typedef CUresult of_stream(CUstream);
typedef CUresult first_alloc(unsigned *, unsigned);
typedef CUresult alloc(CUdeviceptr *, size_t);
typedef CUresult of_memory(CUdeviceptr);
typedef CUresult first_advise(CUdeviceptr, size_t, CUmem_advise, CUdevice);
typedef CUresult advise(CUdeviceptr, size_t, CUmem_advise, CUmemLocation);
typedef CUresult upload(CUdeviceptr, const void *, size_t);
typedef CUresult download(void *, CUdeviceptr, size_t, CUstream);
typedef CUresult fill(CUdeviceptr, unsigned, size_t);
typedef CUresult info(size_t *, size_t *);
typedef CUresult later_info(CUdeviceptr, size_t *, size_t *);
typedef CUresult load(CUmodule *, const void *);
typedef CUresult find_kernel(CUfunction *, CUmodule, const char *);
typedef __typeof__(cuLaunchKernel) launch;
typedef CUresult export_table(const void **, const CUuuid *);

enum { WORDS = 256, ROUNDS = 10 };

static void run_rounds(CUfunction kernel, CUdeviceptr memory, CUstream stream)
{
	static unsigned words[WORDS];
	unsigned more = 3;
	void *parameters[] = {&memory, &more};

	for (int i = 0; i < ROUNDS; i++) {
		CALL(upload, "cuMemcpyHtoD", 12080, memory, words, sizeof words);
		CALL(launch, "cuLaunchKernel", 12080, kernel, WORDS / 32, 1, 1, 32, 1, 1, 0, stream,
		     parameters, NULL);
		CALL(download, "cuMemcpyDtoHAsync", 12080, words, memory, sizeof words, stream);
	}
	CALL(of_stream, "cuStreamSynchronize", 12080, stream);
	printf("%u %u\n", words[0], words[WORDS - 1]);
}

/* Functions for a default stream per thread, by symbol and by flag. */
static void run_on_own_stream(void *driver, CUfunction kernel, CUdeviceptr memory)
{
	launch *exported = (launch *)dlsym(driver, "cuLaunchKernel_ptsz"), *given = NULL;
	unsigned more = 1;
	void *parameters[] = {&memory, &more};
	CUdriverProcAddressQueryResult status;

	get("cuLaunchKernel", (void **)&given, 12080, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
	    &status);
	printf("by symbol: %d\n",
	       (int)exported(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
	printf("by flag: %d\n", (int)given(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
}

/* Copies and memsets on it, by flag; and one on the default stream of all threads, by its flag. */
static void move_on_own_stream(CUdeviceptr memory)
{
	static const cuuint64_t flags[] = {CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
					   CU_GET_PROC_ADDRESS_LEGACY_STREAM};
	static unsigned words[WORDS];

	for (int i = 0; i < 2; i++) {
		upload *copy = NULL;
		download *copy_back = NULL;
		fill *fill_words = NULL;
		CUdriverProcAddressQueryResult status;

		get("cuMemcpyHtoD", (void **)&copy, 12080, flags[i], &status);
		get("cuMemcpyDtoHAsync", (void **)&copy_back, 12080, flags[i], &status);
		get("cuMemsetD32", (void **)&fill_words, 12080, flags[i], &status);
		printf("copies by flag %d: %d %d", (int)flags[i], (int)fill_words(memory, 7, 16),
		       (int)copy_back(words, memory, 64, NULL));
		printf(" %d\n", (int)copy(memory, words, 32));
		printf("%u\n", words[15]);
	}
}

/* As a program that was built with CUDA 11 does. */
static void run_old(void *driver)
{
	first_get *old_get = (first_get *)dlsym(driver, "cuGetProcAddress");
	CUresult (*count)(int *) = NULL;
	int devices = -1;

	printf("old: %d", (int)old_get("cuDeviceGetCount", (void **)&count, 11030, 0));
	printf(" %d", (int)count(&devices));
	printf(" %d\n", devices);
}

int main(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	CUmemLocation where = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 7};
	CUcontext context = NULL;
	CUstream stream = NULL;
	CUmodule module = NULL;
	CUfunction kernel = NULL;
	CUdeviceptr memory = 0;
	const void *table = NULL;
	CUuuid id = {{0}};
	unsigned old = 0;
	size_t some, all;

	get = driver ? (__typeof__(get))dlsym(driver, "cuGetProcAddress_v2") : NULL;
	if (!get)
		return 1;
	CALL(init, "cuInit", 12080, 0);
	CALL(create_context, "cuCtxCreate", 3020, &context, 0, 0);
	CALL(create_stream, "cuStreamCreate", 12080, &stream, 0);
	CALL(first_alloc, "cuMemAlloc", 2000, &old, 16);
	CALL(alloc, "cuMemAlloc", 12080, &memory, WORDS * sizeof(unsigned));
	CALL(first_advise, "cuMemAdvise", 12010, memory, 16, CU_MEM_ADVISE_SET_PREFERRED_LOCATION,
	     7);
	CALL(advise, "cuMemAdvise", 12020, memory, 16, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, where);
	CALL(load, "cuModuleLoadData", 12080, &module, "");
	CALL(find_kernel, "cuModuleGetFunction", 12080, &kernel, module, "add");
	/* From here on by the pointer that the driver gives to itself. */
	get = (__typeof__(get))function("cuGetProcAddress", 12000);
	run_rounds(kernel, memory, stream);
	run_on_own_stream(driver, kernel, memory);
	move_on_own_stream(memory);
	run_old(driver);
	CALL(info, "cuMemGetInfo", 98000, &some, &all);
	CALL(later_info, "cuMemGetInfo", 99000, 0x123456789abcdef0, &some, &all);
	CALL(export_table, "cuGetExportTable", 12080, &table, &id);
	CALL(of_stream, "cuStreamSynchronize", 12080, stream);
	CALL(of_stream, "cuStreamDestroy", 12080, stream);
	CALL(of_memory, "cuMemFree", 12080, memory);
	CALL(of_stream, "cuStreamDestroy", 3000, NULL);
	CALL(of_stream, "cuNoSuchFunction", 12080, NULL);
	printf("%x\n", old);
	return 0;
}
