/* SPDX-License-Identifier: MIT */
/*
 * blas_interfaces.h: the functions of BLAS, for blas.json: Fortran's interface, which no header
 * declares, and C's (CBLAS), so that neither needs a package for developers.
 *
 * Fortran gets everything by its address. The lengths of texts, which Fortran's compilers pass behind
 * all parameters, are not declared: blas.json says "fortran".
 */
#ifndef BLAS_INTERFACES_H
#define BLAS_INTERFACES_H

#include <stddef.h>

typedef struct {
	float re, im;
} blas_complex_float;

typedef struct {
	double re, im;
} blas_complex_double;

enum CBLAS_ORDER { CblasRowMajor = 101, CblasColMajor = 102 };
enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans = 112, CblasConjTrans = 113 };
enum CBLAS_UPLO { CblasUpper = 121, CblasLower = 122 };
enum CBLAS_DIAG { CblasNonUnit = 131, CblasUnit = 132 };
enum CBLAS_SIDE { CblasLeft = 141, CblasRight = 142 };

/* Fortran's interface, level 1: vectors */

void srotg_(float *a, float *b, float *c, float *s);
void drotg_(double *a, double *b, double *c, double *s);
void crotg_(blas_complex_float *a, const blas_complex_float *b, float *c, blas_complex_float *s);
void zrotg_(blas_complex_double *a, const blas_complex_double *b, double *c,
	    blas_complex_double *s);
void srotmg_(float *d1, float *d2, float *b1, const float *b2, float *param);
void drotmg_(double *d1, double *d2, double *b1, const double *b2, double *param);
void srot_(const int *n, float *x, const int *incx, float *y, const int *incy, const float *c,
	   const float *s);
void drot_(const int *n, double *x, const int *incx, double *y, const int *incy, const double *c,
	   const double *s);
void srotm_(const int *n, float *x, const int *incx, float *y, const int *incy, const float *param);
void drotm_(const int *n, double *x, const int *incx, double *y, const int *incy,
	    const double *param);
void csrot_(const int *n, blas_complex_float *x, const int *incx, blas_complex_float *y,
	    const int *incy, const float *c, const float *s);
void zdrot_(const int *n, blas_complex_double *x, const int *incx, blas_complex_double *y,
	    const int *incy, const double *c, const double *s);
void sswap_(const int *n, float *x, const int *incx, float *y, const int *incy);
void dswap_(const int *n, double *x, const int *incx, double *y, const int *incy);
void cswap_(const int *n, blas_complex_float *x, const int *incx, blas_complex_float *y,
	    const int *incy);
void zswap_(const int *n, blas_complex_double *x, const int *incx, blas_complex_double *y,
	    const int *incy);
void sscal_(const int *n, const float *alpha, float *x, const int *incx);
void dscal_(const int *n, const double *alpha, double *x, const int *incx);
void cscal_(const int *n, const blas_complex_float *alpha, blas_complex_float *x, const int *incx);
void zscal_(const int *n, const blas_complex_double *alpha, blas_complex_double *x,
	    const int *incx);
void csscal_(const int *n, const float *alpha, blas_complex_float *x, const int *incx);
void zdscal_(const int *n, const double *alpha, blas_complex_double *x, const int *incx);
void scopy_(const int *n, const float *x, const int *incx, float *y, const int *incy);
void dcopy_(const int *n, const double *x, const int *incx, double *y, const int *incy);
void ccopy_(const int *n, const blas_complex_float *x, const int *incx, blas_complex_float *y,
	    const int *incy);
void zcopy_(const int *n, const blas_complex_double *x, const int *incx, blas_complex_double *y,
	    const int *incy);
void saxpy_(const int *n, const float *alpha, const float *x, const int *incx, float *y,
	    const int *incy);
void daxpy_(const int *n, const double *alpha, const double *x, const int *incx, double *y,
	    const int *incy);
void caxpy_(const int *n, const blas_complex_float *alpha, const blas_complex_float *x,
	    const int *incx, blas_complex_float *y, const int *incy);
void zaxpy_(const int *n, const blas_complex_double *alpha, const blas_complex_double *x,
	    const int *incx, blas_complex_double *y, const int *incy);
float sdot_(const int *n, const float *x, const int *incx, const float *y, const int *incy);
double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
double dsdot_(const int *n, const float *x, const int *incx, const float *y, const int *incy);
float sdsdot_(const int *n, const float *alpha, const float *x, const int *incx, const float *y,
	      const int *incy);
float _Complex cdotu_(const int *n, const blas_complex_float *x, const int *incx,
		      const blas_complex_float *y, const int *incy);
float _Complex cdotc_(const int *n, const blas_complex_float *x, const int *incx,
		      const blas_complex_float *y, const int *incy);
double _Complex zdotu_(const int *n, const blas_complex_double *x, const int *incx,
		       const blas_complex_double *y, const int *incy);
double _Complex zdotc_(const int *n, const blas_complex_double *x, const int *incx,
		       const blas_complex_double *y, const int *incy);
float snrm2_(const int *n, const float *x, const int *incx);
float sasum_(const int *n, const float *x, const int *incx);
double dnrm2_(const int *n, const double *x, const int *incx);
double dasum_(const int *n, const double *x, const int *incx);
float scnrm2_(const int *n, const blas_complex_float *x, const int *incx);
float scasum_(const int *n, const blas_complex_float *x, const int *incx);
double dznrm2_(const int *n, const blas_complex_double *x, const int *incx);
double dzasum_(const int *n, const blas_complex_double *x, const int *incx);
int isamax_(const int *n, const float *x, const int *incx);
int idamax_(const int *n, const double *x, const int *incx);
int icamax_(const int *n, const blas_complex_float *x, const int *incx);
int izamax_(const int *n, const blas_complex_double *x, const int *incx);

/* Fortran's interface, level 2: a matrix and vectors */

void sgemv_(const char *trans, const int *m, const int *n, const float *alpha, const float *a,
	    const int *lda, const float *x, const int *incx, const float *beta, float *y,
	    const int *incy);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a,
	    const int *lda, const double *x, const int *incx, const double *beta, double *y,
	    const int *incy);
void cgemv_(const char *trans, const int *m, const int *n, const blas_complex_float *alpha,
	    const blas_complex_float *a, const int *lda, const blas_complex_float *x,
	    const int *incx, const blas_complex_float *beta, blas_complex_float *y,
	    const int *incy);
void zgemv_(const char *trans, const int *m, const int *n, const blas_complex_double *alpha,
	    const blas_complex_double *a, const int *lda, const blas_complex_double *x,
	    const int *incx, const blas_complex_double *beta, blas_complex_double *y,
	    const int *incy);
void sgbmv_(const char *trans, const int *m, const int *n, const int *kl, const int *ku,
	    const float *alpha, const float *a, const int *lda, const float *x, const int *incx,
	    const float *beta, float *y, const int *incy);
void dgbmv_(const char *trans, const int *m, const int *n, const int *kl, const int *ku,
	    const double *alpha, const double *a, const int *lda, const double *x, const int *incx,
	    const double *beta, double *y, const int *incy);
void cgbmv_(const char *trans, const int *m, const int *n, const int *kl, const int *ku,
	    const blas_complex_float *alpha, const blas_complex_float *a, const int *lda,
	    const blas_complex_float *x, const int *incx, const blas_complex_float *beta,
	    blas_complex_float *y, const int *incy);
void zgbmv_(const char *trans, const int *m, const int *n, const int *kl, const int *ku,
	    const blas_complex_double *alpha, const blas_complex_double *a, const int *lda,
	    const blas_complex_double *x, const int *incx, const blas_complex_double *beta,
	    blas_complex_double *y, const int *incy);
void chemv_(const char *uplo, const int *n, const blas_complex_float *alpha,
	    const blas_complex_float *a, const int *lda, const blas_complex_float *x,
	    const int *incx, const blas_complex_float *beta, blas_complex_float *y,
	    const int *incy);
void zhemv_(const char *uplo, const int *n, const blas_complex_double *alpha,
	    const blas_complex_double *a, const int *lda, const blas_complex_double *x,
	    const int *incx, const blas_complex_double *beta, blas_complex_double *y,
	    const int *incy);
void chbmv_(const char *uplo, const int *n, const int *k, const blas_complex_float *alpha,
	    const blas_complex_float *a, const int *lda, const blas_complex_float *x,
	    const int *incx, const blas_complex_float *beta, blas_complex_float *y,
	    const int *incy);
void zhbmv_(const char *uplo, const int *n, const int *k, const blas_complex_double *alpha,
	    const blas_complex_double *a, const int *lda, const blas_complex_double *x,
	    const int *incx, const blas_complex_double *beta, blas_complex_double *y,
	    const int *incy);
void chpmv_(const char *uplo, const int *n, const blas_complex_float *alpha,
	    const blas_complex_float *ap, const blas_complex_float *x, const int *incx,
	    const blas_complex_float *beta, blas_complex_float *y, const int *incy);
void zhpmv_(const char *uplo, const int *n, const blas_complex_double *alpha,
	    const blas_complex_double *ap, const blas_complex_double *x, const int *incx,
	    const blas_complex_double *beta, blas_complex_double *y, const int *incy);
void ssymv_(const char *uplo, const int *n, const float *alpha, const float *a, const int *lda,
	    const float *x, const int *incx, const float *beta, float *y, const int *incy);
void dsymv_(const char *uplo, const int *n, const double *alpha, const double *a, const int *lda,
	    const double *x, const int *incx, const double *beta, double *y, const int *incy);
void ssbmv_(const char *uplo, const int *n, const int *k, const float *alpha, const float *a,
	    const int *lda, const float *x, const int *incx, const float *beta, float *y,
	    const int *incy);
void dsbmv_(const char *uplo, const int *n, const int *k, const double *alpha, const double *a,
	    const int *lda, const double *x, const int *incx, const double *beta, double *y,
	    const int *incy);
void sspmv_(const char *uplo, const int *n, const float *alpha, const float *ap, const float *x,
	    const int *incx, const float *beta, float *y, const int *incy);
void dspmv_(const char *uplo, const int *n, const double *alpha, const double *ap, const double *x,
	    const int *incx, const double *beta, double *y, const int *incy);
void strmv_(const char *uplo, const char *trans, const char *diag, const int *n, const float *a,
	    const int *lda, float *x, const int *incx);
void dtrmv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *a,
	    const int *lda, double *x, const int *incx);
void ctrmv_(const char *uplo, const char *trans, const char *diag, const int *n,
	    const blas_complex_float *a, const int *lda, blas_complex_float *x, const int *incx);
void ztrmv_(const char *uplo, const char *trans, const char *diag, const int *n,
	    const blas_complex_double *a, const int *lda, blas_complex_double *x, const int *incx);
void strsv_(const char *uplo, const char *trans, const char *diag, const int *n, const float *a,
	    const int *lda, float *x, const int *incx);
void dtrsv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *a,
	    const int *lda, double *x, const int *incx);
void ctrsv_(const char *uplo, const char *trans, const char *diag, const int *n,
	    const blas_complex_float *a, const int *lda, blas_complex_float *x, const int *incx);
void ztrsv_(const char *uplo, const char *trans, const char *diag, const int *n,
	    const blas_complex_double *a, const int *lda, blas_complex_double *x, const int *incx);
void stbmv_(const char *uplo, const char *trans, const char *diag, const int *n, const int *k,
	    const float *a, const int *lda, float *x, const int *incx);
void dtbmv_(const char *uplo, const char *trans, const char *diag, const int *n, const int *k,
	    const double *a, const int *lda, double *x, const int *incx);
void ctbmv_(const char *uplo, const char *trans, const char *diag, const int *n, const int *k,
	    const blas_complex_float *a, const int *lda, blas_complex_float *x, const int *incx);
void ztbmv_(const char *uplo, const char *trans, const char *diag, const int *n, const int *k,
	    const blas_complex_double *a, const int *lda, blas_complex_double *x, const int *incx);
void stbsv_(const char *uplo, const char *trans, const char *diag, const int *n, const int *k,
	    const float *a, const int *lda, float *x, const int *incx);
void dtbsv_(const char *uplo, const char *trans, const char *diag, const int *n, const int *k,
	    const double *a, const int *lda, double *x, const int *incx);
void ctbsv_(const char *uplo, const char *trans, const char *diag, const int *n, const int *k,
	    const blas_complex_float *a, const int *lda, blas_complex_float *x, const int *incx);
void ztbsv_(const char *uplo, const char *trans, const char *diag, const int *n, const int *k,
	    const blas_complex_double *a, const int *lda, blas_complex_double *x, const int *incx);
void stpmv_(const char *uplo, const char *trans, const char *diag, const int *n, const float *ap,
	    float *x, const int *incx);
void dtpmv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *ap,
	    double *x, const int *incx);
void ctpmv_(const char *uplo, const char *trans, const char *diag, const int *n,
	    const blas_complex_float *ap, blas_complex_float *x, const int *incx);
void ztpmv_(const char *uplo, const char *trans, const char *diag, const int *n,
	    const blas_complex_double *ap, blas_complex_double *x, const int *incx);
void stpsv_(const char *uplo, const char *trans, const char *diag, const int *n, const float *ap,
	    float *x, const int *incx);
void dtpsv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *ap,
	    double *x, const int *incx);
void ctpsv_(const char *uplo, const char *trans, const char *diag, const int *n,
	    const blas_complex_float *ap, blas_complex_float *x, const int *incx);
void ztpsv_(const char *uplo, const char *trans, const char *diag, const int *n,
	    const blas_complex_double *ap, blas_complex_double *x, const int *incx);
void sger_(const int *m, const int *n, const float *alpha, const float *x, const int *incx,
	   const float *y, const int *incy, float *a, const int *lda);
void dger_(const int *m, const int *n, const double *alpha, const double *x, const int *incx,
	   const double *y, const int *incy, double *a, const int *lda);
void cgeru_(const int *m, const int *n, const blas_complex_float *alpha,
	    const blas_complex_float *x, const int *incx, const blas_complex_float *y,
	    const int *incy, blas_complex_float *a, const int *lda);
void zgeru_(const int *m, const int *n, const blas_complex_double *alpha,
	    const blas_complex_double *x, const int *incx, const blas_complex_double *y,
	    const int *incy, blas_complex_double *a, const int *lda);
void cgerc_(const int *m, const int *n, const blas_complex_float *alpha,
	    const blas_complex_float *x, const int *incx, const blas_complex_float *y,
	    const int *incy, blas_complex_float *a, const int *lda);
void zgerc_(const int *m, const int *n, const blas_complex_double *alpha,
	    const blas_complex_double *x, const int *incx, const blas_complex_double *y,
	    const int *incy, blas_complex_double *a, const int *lda);
void cher_(const char *uplo, const int *n, const float *alpha, const blas_complex_float *x,
	   const int *incx, blas_complex_float *a, const int *lda);
void zher_(const char *uplo, const int *n, const double *alpha, const blas_complex_double *x,
	   const int *incx, blas_complex_double *a, const int *lda);
void chpr_(const char *uplo, const int *n, const float *alpha, const blas_complex_float *x,
	   const int *incx, blas_complex_float *ap);
void zhpr_(const char *uplo, const int *n, const double *alpha, const blas_complex_double *x,
	   const int *incx, blas_complex_double *ap);
void cher2_(const char *uplo, const int *n, const blas_complex_float *alpha,
	    const blas_complex_float *x, const int *incx, const blas_complex_float *y,
	    const int *incy, blas_complex_float *a, const int *lda);
void zher2_(const char *uplo, const int *n, const blas_complex_double *alpha,
	    const blas_complex_double *x, const int *incx, const blas_complex_double *y,
	    const int *incy, blas_complex_double *a, const int *lda);
void chpr2_(const char *uplo, const int *n, const blas_complex_float *alpha,
	    const blas_complex_float *x, const int *incx, const blas_complex_float *y,
	    const int *incy, blas_complex_float *ap);
void zhpr2_(const char *uplo, const int *n, const blas_complex_double *alpha,
	    const blas_complex_double *x, const int *incx, const blas_complex_double *y,
	    const int *incy, blas_complex_double *ap);
void ssyr_(const char *uplo, const int *n, const float *alpha, const float *x, const int *incx,
	   float *a, const int *lda);
void dsyr_(const char *uplo, const int *n, const double *alpha, const double *x, const int *incx,
	   double *a, const int *lda);
void sspr_(const char *uplo, const int *n, const float *alpha, const float *x, const int *incx,
	   float *ap);
void dspr_(const char *uplo, const int *n, const double *alpha, const double *x, const int *incx,
	   double *ap);
void ssyr2_(const char *uplo, const int *n, const float *alpha, const float *x, const int *incx,
	    const float *y, const int *incy, float *a, const int *lda);
void dsyr2_(const char *uplo, const int *n, const double *alpha, const double *x, const int *incx,
	    const double *y, const int *incy, double *a, const int *lda);
void sspr2_(const char *uplo, const int *n, const float *alpha, const float *x, const int *incx,
	    const float *y, const int *incy, float *ap);
void dspr2_(const char *uplo, const int *n, const double *alpha, const double *x, const int *incx,
	    const double *y, const int *incy, double *ap);

/* Fortran's interface, level 3: matrices */

void sgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
	    const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
	    const float *beta, float *c, const int *ldc);
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
	    const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
	    const double *beta, double *c, const int *ldc);
void cgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
	    const blas_complex_float *alpha, const blas_complex_float *a, const int *lda,
	    const blas_complex_float *b, const int *ldb, const blas_complex_float *beta,
	    blas_complex_float *c, const int *ldc);
void zgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
	    const blas_complex_double *alpha, const blas_complex_double *a, const int *lda,
	    const blas_complex_double *b, const int *ldb, const blas_complex_double *beta,
	    blas_complex_double *c, const int *ldc);
void ssymm_(const char *side, const char *uplo, const int *m, const int *n, const float *alpha,
	    const float *a, const int *lda, const float *b, const int *ldb, const float *beta,
	    float *c, const int *ldc);
void dsymm_(const char *side, const char *uplo, const int *m, const int *n, const double *alpha,
	    const double *a, const int *lda, const double *b, const int *ldb, const double *beta,
	    double *c, const int *ldc);
void csymm_(const char *side, const char *uplo, const int *m, const int *n,
	    const blas_complex_float *alpha, const blas_complex_float *a, const int *lda,
	    const blas_complex_float *b, const int *ldb, const blas_complex_float *beta,
	    blas_complex_float *c, const int *ldc);
void zsymm_(const char *side, const char *uplo, const int *m, const int *n,
	    const blas_complex_double *alpha, const blas_complex_double *a, const int *lda,
	    const blas_complex_double *b, const int *ldb, const blas_complex_double *beta,
	    blas_complex_double *c, const int *ldc);
void chemm_(const char *side, const char *uplo, const int *m, const int *n,
	    const blas_complex_float *alpha, const blas_complex_float *a, const int *lda,
	    const blas_complex_float *b, const int *ldb, const blas_complex_float *beta,
	    blas_complex_float *c, const int *ldc);
void zhemm_(const char *side, const char *uplo, const int *m, const int *n,
	    const blas_complex_double *alpha, const blas_complex_double *a, const int *lda,
	    const blas_complex_double *b, const int *ldb, const blas_complex_double *beta,
	    blas_complex_double *c, const int *ldc);
void ssyrk_(const char *uplo, const char *trans, const int *n, const int *k, const float *alpha,
	    const float *a, const int *lda, const float *beta, float *c, const int *ldc);
void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha,
	    const double *a, const int *lda, const double *beta, double *c, const int *ldc);
void csyrk_(const char *uplo, const char *trans, const int *n, const int *k,
	    const blas_complex_float *alpha, const blas_complex_float *a, const int *lda,
	    const blas_complex_float *beta, blas_complex_float *c, const int *ldc);
void zsyrk_(const char *uplo, const char *trans, const int *n, const int *k,
	    const blas_complex_double *alpha, const blas_complex_double *a, const int *lda,
	    const blas_complex_double *beta, blas_complex_double *c, const int *ldc);
void cherk_(const char *uplo, const char *trans, const int *n, const int *k, const float *alpha,
	    const blas_complex_float *a, const int *lda, const float *beta, blas_complex_float *c,
	    const int *ldc);
void zherk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha,
	    const blas_complex_double *a, const int *lda, const double *beta,
	    blas_complex_double *c, const int *ldc);
void ssyr2k_(const char *uplo, const char *trans, const int *n, const int *k, const float *alpha,
	     const float *a, const int *lda, const float *b, const int *ldb, const float *beta,
	     float *c, const int *ldc);
void dsyr2k_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha,
	     const double *a, const int *lda, const double *b, const int *ldb, const double *beta,
	     double *c, const int *ldc);
void csyr2k_(const char *uplo, const char *trans, const int *n, const int *k,
	     const blas_complex_float *alpha, const blas_complex_float *a, const int *lda,
	     const blas_complex_float *b, const int *ldb, const blas_complex_float *beta,
	     blas_complex_float *c, const int *ldc);
void zsyr2k_(const char *uplo, const char *trans, const int *n, const int *k,
	     const blas_complex_double *alpha, const blas_complex_double *a, const int *lda,
	     const blas_complex_double *b, const int *ldb, const blas_complex_double *beta,
	     blas_complex_double *c, const int *ldc);
void cher2k_(const char *uplo, const char *trans, const int *n, const int *k,
	     const blas_complex_float *alpha, const blas_complex_float *a, const int *lda,
	     const blas_complex_float *b, const int *ldb, const float *beta, blas_complex_float *c,
	     const int *ldc);
void zher2k_(const char *uplo, const char *trans, const int *n, const int *k,
	     const blas_complex_double *alpha, const blas_complex_double *a, const int *lda,
	     const blas_complex_double *b, const int *ldb, const double *beta,
	     blas_complex_double *c, const int *ldc);
void strmm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
	    const int *n, const float *alpha, const float *a, const int *lda, float *b,
	    const int *ldb);
void dtrmm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
	    const int *n, const double *alpha, const double *a, const int *lda, double *b,
	    const int *ldb);
void ctrmm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
	    const int *n, const blas_complex_float *alpha, const blas_complex_float *a,
	    const int *lda, blas_complex_float *b, const int *ldb);
void ztrmm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
	    const int *n, const blas_complex_double *alpha, const blas_complex_double *a,
	    const int *lda, blas_complex_double *b, const int *ldb);
void strsm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
	    const int *n, const float *alpha, const float *a, const int *lda, float *b,
	    const int *ldb);
void dtrsm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
	    const int *n, const double *alpha, const double *a, const int *lda, double *b,
	    const int *ldb);
void ctrsm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
	    const int *n, const blas_complex_float *alpha, const blas_complex_float *a,
	    const int *lda, blas_complex_float *b, const int *ldb);
void ztrsm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
	    const int *n, const blas_complex_double *alpha, const blas_complex_double *a,
	    const int *lda, blas_complex_double *b, const int *ldb);

/* CBLAS, level 1: vectors */

void cblas_srotg(float *a, float *b, float *c, float *s);
void cblas_drotg(double *a, double *b, double *c, double *s);
void cblas_crotg(blas_complex_float *a, const blas_complex_float *b, float *c,
		 blas_complex_float *s);
void cblas_zrotg(blas_complex_double *a, const blas_complex_double *b, double *c,
		 blas_complex_double *s);
void cblas_srotmg(float *d1, float *d2, float *b1, float b2, float *param);
void cblas_drotmg(double *d1, double *d2, double *b1, double b2, double *param);
void cblas_srot(int n, float *x, int incx, float *y, int incy, float c, float s);
void cblas_drot(int n, double *x, int incx, double *y, int incy, double c, double s);
void cblas_srotm(int n, float *x, int incx, float *y, int incy, const float *param);
void cblas_drotm(int n, double *x, int incx, double *y, int incy, const double *param);
void cblas_sswap(int n, float *x, int incx, float *y, int incy);
void cblas_dswap(int n, double *x, int incx, double *y, int incy);
void cblas_cswap(int n, blas_complex_float *x, int incx, blas_complex_float *y, int incy);
void cblas_zswap(int n, blas_complex_double *x, int incx, blas_complex_double *y, int incy);
void cblas_sscal(int n, float alpha, float *x, int incx);
void cblas_dscal(int n, double alpha, double *x, int incx);
void cblas_cscal(int n, const blas_complex_float *alpha, blas_complex_float *x, int incx);
void cblas_zscal(int n, const blas_complex_double *alpha, blas_complex_double *x, int incx);
void cblas_csscal(int n, float alpha, blas_complex_float *x, int incx);
void cblas_zdscal(int n, double alpha, blas_complex_double *x, int incx);
void cblas_scopy(int n, const float *x, int incx, float *y, int incy);
void cblas_dcopy(int n, const double *x, int incx, double *y, int incy);
void cblas_ccopy(int n, const blas_complex_float *x, int incx, blas_complex_float *y, int incy);
void cblas_zcopy(int n, const blas_complex_double *x, int incx, blas_complex_double *y, int incy);
void cblas_saxpy(int n, float alpha, const float *x, int incx, float *y, int incy);
void cblas_daxpy(int n, double alpha, const double *x, int incx, double *y, int incy);
void cblas_caxpy(int n, const blas_complex_float *alpha, const blas_complex_float *x, int incx,
		 blas_complex_float *y, int incy);
void cblas_zaxpy(int n, const blas_complex_double *alpha, const blas_complex_double *x, int incx,
		 blas_complex_double *y, int incy);
float cblas_sdot(int n, const float *x, int incx, const float *y, int incy);
double cblas_ddot(int n, const double *x, int incx, const double *y, int incy);
double cblas_dsdot(int n, const float *x, int incx, const float *y, int incy);
float cblas_sdsdot(int n, float alpha, const float *x, int incx, const float *y, int incy);
void cblas_cdotu_sub(int n, const blas_complex_float *x, int incx, const blas_complex_float *y,
		     int incy, blas_complex_float *result);
void cblas_cdotc_sub(int n, const blas_complex_float *x, int incx, const blas_complex_float *y,
		     int incy, blas_complex_float *result);
void cblas_zdotu_sub(int n, const blas_complex_double *x, int incx, const blas_complex_double *y,
		     int incy, blas_complex_double *result);
void cblas_zdotc_sub(int n, const blas_complex_double *x, int incx, const blas_complex_double *y,
		     int incy, blas_complex_double *result);
float cblas_snrm2(int n, const float *x, int incx);
float cblas_sasum(int n, const float *x, int incx);
double cblas_dnrm2(int n, const double *x, int incx);
double cblas_dasum(int n, const double *x, int incx);
float cblas_scnrm2(int n, const blas_complex_float *x, int incx);
float cblas_scasum(int n, const blas_complex_float *x, int incx);
double cblas_dznrm2(int n, const blas_complex_double *x, int incx);
double cblas_dzasum(int n, const blas_complex_double *x, int incx);
size_t cblas_isamax(int n, const float *x, int incx);
size_t cblas_idamax(int n, const double *x, int incx);
size_t cblas_icamax(int n, const blas_complex_float *x, int incx);
size_t cblas_izamax(int n, const blas_complex_double *x, int incx);

/* CBLAS, level 2: a matrix and vectors */

void cblas_sgemv(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE trans, int m, int n, float alpha,
		 const float *a, int lda, const float *x, int incx, float beta, float *y, int incy);
void cblas_dgemv(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE trans, int m, int n, double alpha,
		 const double *a, int lda, const double *x, int incx, double beta, double *y,
		 int incy);
void cblas_cgemv(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE trans, int m, int n,
		 const blas_complex_float *alpha, const blas_complex_float *a, int lda,
		 const blas_complex_float *x, int incx, const blas_complex_float *beta,
		 blas_complex_float *y, int incy);
void cblas_zgemv(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE trans, int m, int n,
		 const blas_complex_double *alpha, const blas_complex_double *a, int lda,
		 const blas_complex_double *x, int incx, const blas_complex_double *beta,
		 blas_complex_double *y, int incy);
void cblas_sgbmv(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE trans, int m, int n, int kl, int ku,
		 float alpha, const float *a, int lda, const float *x, int incx, float beta,
		 float *y, int incy);
void cblas_dgbmv(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE trans, int m, int n, int kl, int ku,
		 double alpha, const double *a, int lda, const double *x, int incx, double beta,
		 double *y, int incy);
void cblas_cgbmv(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE trans, int m, int n, int kl, int ku,
		 const blas_complex_float *alpha, const blas_complex_float *a, int lda,
		 const blas_complex_float *x, int incx, const blas_complex_float *beta,
		 blas_complex_float *y, int incy);
void cblas_zgbmv(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE trans, int m, int n, int kl, int ku,
		 const blas_complex_double *alpha, const blas_complex_double *a, int lda,
		 const blas_complex_double *x, int incx, const blas_complex_double *beta,
		 blas_complex_double *y, int incy);
void cblas_chemv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, int n,
		 const blas_complex_float *alpha, const blas_complex_float *a, int lda,
		 const blas_complex_float *x, int incx, const blas_complex_float *beta,
		 blas_complex_float *y, int incy);
void cblas_zhemv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, int n,
		 const blas_complex_double *alpha, const blas_complex_double *a, int lda,
		 const blas_complex_double *x, int incx, const blas_complex_double *beta,
		 blas_complex_double *y, int incy);
void cblas_chbmv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, int n, int k,
		 const blas_complex_float *alpha, const blas_complex_float *a, int lda,
		 const blas_complex_float *x, int incx, const blas_complex_float *beta,
		 blas_complex_float *y, int incy);
void cblas_zhbmv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, int n, int k,
		 const blas_complex_double *alpha, const blas_complex_double *a, int lda,
		 const blas_complex_double *x, int incx, const blas_complex_double *beta,
		 blas_complex_double *y, int incy);
void cblas_chpmv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, int n,
		 const blas_complex_float *alpha, const blas_complex_float *ap,
		 const blas_complex_float *x, int incx, const blas_complex_float *beta,
		 blas_complex_float *y, int incy);
void cblas_zhpmv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, int n,
		 const blas_complex_double *alpha, const blas_complex_double *ap,
		 const blas_complex_double *x, int incx, const blas_complex_double *beta,
		 blas_complex_double *y, int incy);
void cblas_ssymv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, int n, float alpha, const float *a,
		 int lda, const float *x, int incx, float beta, float *y, int incy);
void cblas_dsymv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, int n, double alpha, const double *a,
		 int lda, const double *x, int incx, double beta, double *y, int incy);
void cblas_ssbmv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, int n, int k, float alpha,
		 const float *a, int lda, const float *x, int incx, float beta, float *y, int incy);
void cblas_dsbmv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, int n, int k, double alpha,
		 const double *a, int lda, const double *x, int incx, double beta, double *y,
		 int incy);
void cblas_sspmv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, int n, float alpha, const float *ap,
		 const float *x, int incx, float beta, float *y, int incy);
void cblas_dspmv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, int n, double alpha,
		 const double *ap, const double *x, int incx, double beta, double *y, int incy);
void cblas_strmv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans,
		 enum CBLAS_DIAG diag, int n, const float *a, int lda, float *x, int incx);
void cblas_dtrmv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans,
		 enum CBLAS_DIAG diag, int n, const double *a, int lda, double *x, int incx);
void cblas_ctrmv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans,
		 enum CBLAS_DIAG diag, int n, const blas_complex_float *a, int lda,
		 blas_complex_float *x, int incx);
void cblas_ztrmv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans,
		 enum CBLAS_DIAG diag, int n, const blas_complex_double *a, int lda,
		 blas_complex_double *x, int incx);
void cblas_strsv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans,
		 enum CBLAS_DIAG diag, int n, const float *a, int lda, float *x, int incx);
void cblas_dtrsv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans,
		 enum CBLAS_DIAG diag, int n, const double *a, int lda, double *x, int incx);
void cblas_ctrsv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans,
		 enum CBLAS_DIAG diag, int n, const blas_complex_float *a, int lda,
		 blas_complex_float *x, int incx);
void cblas_ztrsv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans,
		 enum CBLAS_DIAG diag, int n, const blas_complex_double *a, int lda,
		 blas_complex_double *x, int incx);
void cblas_stbmv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans,
		 enum CBLAS_DIAG diag, int n, int k, const float *a, int lda, float *x, int incx);
void cblas_dtbmv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans,
		 enum CBLAS_DIAG diag, int n, int k, const double *a, int lda, double *x, int incx);
void cblas_ctbmv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans,
		 enum CBLAS_DIAG diag, int n, int k, const blas_complex_float *a, int lda,
		 blas_complex_float *x, int incx);
void cblas_ztbmv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans,
		 enum CBLAS_DIAG diag, int n, int k, const blas_complex_double *a, int lda,
		 blas_complex_double *x, int incx);
void cblas_stbsv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans,
		 enum CBLAS_DIAG diag, int n, int k, const float *a, int lda, float *x, int incx);
void cblas_dtbsv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans,
		 enum CBLAS_DIAG diag, int n, int k, const double *a, int lda, double *x, int incx);
void cblas_ctbsv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans,
		 enum CBLAS_DIAG diag, int n, int k, const blas_complex_float *a, int lda,
		 blas_complex_float *x, int incx);
void cblas_ztbsv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans,
		 enum CBLAS_DIAG diag, int n, int k, const blas_complex_double *a, int lda,
		 blas_complex_double *x, int incx);
void cblas_stpmv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans,
		 enum CBLAS_DIAG diag, int n, const float *ap, float *x, int incx);
void cblas_dtpmv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans,
		 enum CBLAS_DIAG diag, int n, const double *ap, double *x, int incx);
void cblas_ctpmv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans,
		 enum CBLAS_DIAG diag, int n, const blas_complex_float *ap, blas_complex_float *x,
		 int incx);
void cblas_ztpmv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans,
		 enum CBLAS_DIAG diag, int n, const blas_complex_double *ap, blas_complex_double *x,
		 int incx);
void cblas_stpsv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans,
		 enum CBLAS_DIAG diag, int n, const float *ap, float *x, int incx);
void cblas_dtpsv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans,
		 enum CBLAS_DIAG diag, int n, const double *ap, double *x, int incx);
void cblas_ctpsv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans,
		 enum CBLAS_DIAG diag, int n, const blas_complex_float *ap, blas_complex_float *x,
		 int incx);
void cblas_ztpsv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans,
		 enum CBLAS_DIAG diag, int n, const blas_complex_double *ap, blas_complex_double *x,
		 int incx);
void cblas_sger(enum CBLAS_ORDER order, int m, int n, float alpha, const float *x, int incx,
		const float *y, int incy, float *a, int lda);
void cblas_dger(enum CBLAS_ORDER order, int m, int n, double alpha, const double *x, int incx,
		const double *y, int incy, double *a, int lda);
void cblas_cgeru(enum CBLAS_ORDER order, int m, int n, const blas_complex_float *alpha,
		 const blas_complex_float *x, int incx, const blas_complex_float *y, int incy,
		 blas_complex_float *a, int lda);
void cblas_zgeru(enum CBLAS_ORDER order, int m, int n, const blas_complex_double *alpha,
		 const blas_complex_double *x, int incx, const blas_complex_double *y, int incy,
		 blas_complex_double *a, int lda);
void cblas_cgerc(enum CBLAS_ORDER order, int m, int n, const blas_complex_float *alpha,
		 const blas_complex_float *x, int incx, const blas_complex_float *y, int incy,
		 blas_complex_float *a, int lda);
void cblas_zgerc(enum CBLAS_ORDER order, int m, int n, const blas_complex_double *alpha,
		 const blas_complex_double *x, int incx, const blas_complex_double *y, int incy,
		 blas_complex_double *a, int lda);
void cblas_cher(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, int n, float alpha,
		const blas_complex_float *x, int incx, blas_complex_float *a, int lda);
void cblas_zher(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, int n, double alpha,
		const blas_complex_double *x, int incx, blas_complex_double *a, int lda);
void cblas_chpr(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, int n, float alpha,
		const blas_complex_float *x, int incx, blas_complex_float *ap);
void cblas_zhpr(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, int n, double alpha,
		const blas_complex_double *x, int incx, blas_complex_double *ap);
void cblas_cher2(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, int n,
		 const blas_complex_float *alpha, const blas_complex_float *x, int incx,
		 const blas_complex_float *y, int incy, blas_complex_float *a, int lda);
void cblas_zher2(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, int n,
		 const blas_complex_double *alpha, const blas_complex_double *x, int incx,
		 const blas_complex_double *y, int incy, blas_complex_double *a, int lda);
void cblas_chpr2(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, int n,
		 const blas_complex_float *alpha, const blas_complex_float *x, int incx,
		 const blas_complex_float *y, int incy, blas_complex_float *ap);
void cblas_zhpr2(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, int n,
		 const blas_complex_double *alpha, const blas_complex_double *x, int incx,
		 const blas_complex_double *y, int incy, blas_complex_double *ap);
void cblas_ssyr(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, int n, float alpha, const float *x,
		int incx, float *a, int lda);
void cblas_dsyr(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, int n, double alpha, const double *x,
		int incx, double *a, int lda);
void cblas_sspr(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, int n, float alpha, const float *x,
		int incx, float *ap);
void cblas_dspr(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, int n, double alpha, const double *x,
		int incx, double *ap);
void cblas_ssyr2(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, int n, float alpha, const float *x,
		 int incx, const float *y, int incy, float *a, int lda);
void cblas_dsyr2(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, int n, double alpha, const double *x,
		 int incx, const double *y, int incy, double *a, int lda);
void cblas_sspr2(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, int n, float alpha, const float *x,
		 int incx, const float *y, int incy, float *ap);
void cblas_dspr2(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, int n, double alpha, const double *x,
		 int incx, const double *y, int incy, double *ap);

/* CBLAS, level 3: matrices */

void cblas_sgemm(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE transa, enum CBLAS_TRANSPOSE transb,
		 int m, int n, int k, float alpha, const float *a, int lda, const float *b, int ldb,
		 float beta, float *c, int ldc);
void cblas_dgemm(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE transa, enum CBLAS_TRANSPOSE transb,
		 int m, int n, int k, double alpha, const double *a, int lda, const double *b,
		 int ldb, double beta, double *c, int ldc);
void cblas_cgemm(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE transa, enum CBLAS_TRANSPOSE transb,
		 int m, int n, int k, const blas_complex_float *alpha, const blas_complex_float *a,
		 int lda, const blas_complex_float *b, int ldb, const blas_complex_float *beta,
		 blas_complex_float *c, int ldc);
void cblas_zgemm(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE transa, enum CBLAS_TRANSPOSE transb,
		 int m, int n, int k, const blas_complex_double *alpha,
		 const blas_complex_double *a, int lda, const blas_complex_double *b, int ldb,
		 const blas_complex_double *beta, blas_complex_double *c, int ldc);
void cblas_ssymm(enum CBLAS_ORDER order, enum CBLAS_SIDE side, enum CBLAS_UPLO uplo, int m, int n,
		 float alpha, const float *a, int lda, const float *b, int ldb, float beta,
		 float *c, int ldc);
void cblas_dsymm(enum CBLAS_ORDER order, enum CBLAS_SIDE side, enum CBLAS_UPLO uplo, int m, int n,
		 double alpha, const double *a, int lda, const double *b, int ldb, double beta,
		 double *c, int ldc);
void cblas_csymm(enum CBLAS_ORDER order, enum CBLAS_SIDE side, enum CBLAS_UPLO uplo, int m, int n,
		 const blas_complex_float *alpha, const blas_complex_float *a, int lda,
		 const blas_complex_float *b, int ldb, const blas_complex_float *beta,
		 blas_complex_float *c, int ldc);
void cblas_zsymm(enum CBLAS_ORDER order, enum CBLAS_SIDE side, enum CBLAS_UPLO uplo, int m, int n,
		 const blas_complex_double *alpha, const blas_complex_double *a, int lda,
		 const blas_complex_double *b, int ldb, const blas_complex_double *beta,
		 blas_complex_double *c, int ldc);
void cblas_chemm(enum CBLAS_ORDER order, enum CBLAS_SIDE side, enum CBLAS_UPLO uplo, int m, int n,
		 const blas_complex_float *alpha, const blas_complex_float *a, int lda,
		 const blas_complex_float *b, int ldb, const blas_complex_float *beta,
		 blas_complex_float *c, int ldc);
void cblas_zhemm(enum CBLAS_ORDER order, enum CBLAS_SIDE side, enum CBLAS_UPLO uplo, int m, int n,
		 const blas_complex_double *alpha, const blas_complex_double *a, int lda,
		 const blas_complex_double *b, int ldb, const blas_complex_double *beta,
		 blas_complex_double *c, int ldc);
void cblas_ssyrk(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans, int n,
		 int k, float alpha, const float *a, int lda, float beta, float *c, int ldc);
void cblas_dsyrk(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans, int n,
		 int k, double alpha, const double *a, int lda, double beta, double *c, int ldc);
void cblas_csyrk(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans, int n,
		 int k, const blas_complex_float *alpha, const blas_complex_float *a, int lda,
		 const blas_complex_float *beta, blas_complex_float *c, int ldc);
void cblas_zsyrk(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans, int n,
		 int k, const blas_complex_double *alpha, const blas_complex_double *a, int lda,
		 const blas_complex_double *beta, blas_complex_double *c, int ldc);
void cblas_cherk(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans, int n,
		 int k, float alpha, const blas_complex_float *a, int lda, float beta,
		 blas_complex_float *c, int ldc);
void cblas_zherk(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans, int n,
		 int k, double alpha, const blas_complex_double *a, int lda, double beta,
		 blas_complex_double *c, int ldc);
void cblas_ssyr2k(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans, int n,
		  int k, float alpha, const float *a, int lda, const float *b, int ldb, float beta,
		  float *c, int ldc);
void cblas_dsyr2k(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans, int n,
		  int k, double alpha, const double *a, int lda, const double *b, int ldb,
		  double beta, double *c, int ldc);
void cblas_csyr2k(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans, int n,
		  int k, const blas_complex_float *alpha, const blas_complex_float *a, int lda,
		  const blas_complex_float *b, int ldb, const blas_complex_float *beta,
		  blas_complex_float *c, int ldc);
void cblas_zsyr2k(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans, int n,
		  int k, const blas_complex_double *alpha, const blas_complex_double *a, int lda,
		  const blas_complex_double *b, int ldb, const blas_complex_double *beta,
		  blas_complex_double *c, int ldc);
void cblas_cher2k(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans, int n,
		  int k, const blas_complex_float *alpha, const blas_complex_float *a, int lda,
		  const blas_complex_float *b, int ldb, float beta, blas_complex_float *c, int ldc);
void cblas_zher2k(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans, int n,
		  int k, const blas_complex_double *alpha, const blas_complex_double *a, int lda,
		  const blas_complex_double *b, int ldb, double beta, blas_complex_double *c,
		  int ldc);
void cblas_strmm(enum CBLAS_ORDER order, enum CBLAS_SIDE side, enum CBLAS_UPLO uplo,
		 enum CBLAS_TRANSPOSE transa, enum CBLAS_DIAG diag, int m, int n, float alpha,
		 const float *a, int lda, float *b, int ldb);
void cblas_dtrmm(enum CBLAS_ORDER order, enum CBLAS_SIDE side, enum CBLAS_UPLO uplo,
		 enum CBLAS_TRANSPOSE transa, enum CBLAS_DIAG diag, int m, int n, double alpha,
		 const double *a, int lda, double *b, int ldb);
void cblas_ctrmm(enum CBLAS_ORDER order, enum CBLAS_SIDE side, enum CBLAS_UPLO uplo,
		 enum CBLAS_TRANSPOSE transa, enum CBLAS_DIAG diag, int m, int n,
		 const blas_complex_float *alpha, const blas_complex_float *a, int lda,
		 blas_complex_float *b, int ldb);
void cblas_ztrmm(enum CBLAS_ORDER order, enum CBLAS_SIDE side, enum CBLAS_UPLO uplo,
		 enum CBLAS_TRANSPOSE transa, enum CBLAS_DIAG diag, int m, int n,
		 const blas_complex_double *alpha, const blas_complex_double *a, int lda,
		 blas_complex_double *b, int ldb);
void cblas_strsm(enum CBLAS_ORDER order, enum CBLAS_SIDE side, enum CBLAS_UPLO uplo,
		 enum CBLAS_TRANSPOSE transa, enum CBLAS_DIAG diag, int m, int n, float alpha,
		 const float *a, int lda, float *b, int ldb);
void cblas_dtrsm(enum CBLAS_ORDER order, enum CBLAS_SIDE side, enum CBLAS_UPLO uplo,
		 enum CBLAS_TRANSPOSE transa, enum CBLAS_DIAG diag, int m, int n, double alpha,
		 const double *a, int lda, double *b, int ldb);
void cblas_ctrsm(enum CBLAS_ORDER order, enum CBLAS_SIDE side, enum CBLAS_UPLO uplo,
		 enum CBLAS_TRANSPOSE transa, enum CBLAS_DIAG diag, int m, int n,
		 const blas_complex_float *alpha, const blas_complex_float *a, int lda,
		 blas_complex_float *b, int ldb);
void cblas_ztrsm(enum CBLAS_ORDER order, enum CBLAS_SIDE side, enum CBLAS_UPLO uplo,
		 enum CBLAS_TRANSPOSE transa, enum CBLAS_DIAG diag, int m, int n,
		 const blas_complex_double *alpha, const blas_complex_double *a, int lda,
		 blas_complex_double *b, int ldb);

#endif
