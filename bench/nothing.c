/* SPDX-License-Identifier: MIT */
/* nothing: a program that makes no traced call. */
int main(void)
{
	return 0;
}
