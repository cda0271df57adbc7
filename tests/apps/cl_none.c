/* SPDX-License-Identifier: MIT */
/*
 * cl_none: is linked with libOpenCL and never calls it. The address keeps the linker from dropping
 * the library.
 */
#include "cl_app.h"

int main(int argc, char **argv)
{
	void *volatile reference = (void *)clGetPlatformIDs;

	(void)argv;
	if (argc > 9)
		printf("%p\n", reference);
	return 0;
}
