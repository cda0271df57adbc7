/* SPDX-License-Identifier: MIT */
/*
 * libclang.h: libclang, loaded when the first header is read, so that tracegen runs without it for all
 * that needs no header: interposers by name or by debug information, models that were written before.
 *
 * Files of gen/ include this in place of clang-c/Index.h. The names of libclang's functions lead to
 * pointers that libclang_load has set.
 */
#ifndef TL_GEN_LIBCLANG_H
#define TL_GEN_LIBCLANG_H

#include <clang-c/Index.h>
#include <stdbool.h>

/* Each function that parse*.c use. */
/* clang-format off */
#define LIBCLANG_FUNCTIONS(each) \
	each(clang_createIndex) \
	each(clang_Cursor_Evaluate) \
	each(clang_Cursor_getArgument) \
	each(clang_Cursor_getMangling) \
	each(clang_Cursor_getNumArguments) \
	each(clang_Cursor_getOffsetOfField) \
	each(clang_Cursor_getStorageClass) \
	each(clang_Cursor_isAnonymous) \
	each(clang_Cursor_isBitField) \
	each(clang_Cursor_isFunctionInlined) \
	each(clang_Cursor_isMacroFunctionLike) \
	each(clang_Cursor_isVariadic) \
	each(clang_disposeDiagnostic) \
	each(clang_disposeIndex) \
	each(clang_disposeString) \
	each(clang_disposeTranslationUnit) \
	each(clang_equalCursors) \
	each(clang_EvalResult_dispose) \
	each(clang_EvalResult_getAsLongLong) \
	each(clang_EvalResult_getKind) \
	each(clang_File_isEqual) \
	each(clang_getArgType) \
	each(clang_getArrayElementType) \
	each(clang_getArraySize) \
	each(clang_getCanonicalCursor) \
	each(clang_getCanonicalType) \
	each(clang_getCString) \
	each(clang_getCursorExtent) \
	each(clang_getCursorKind) \
	each(clang_getCursorLocation) \
	each(clang_getCursorPrettyPrinted) \
	each(clang_getCursorSpelling) \
	each(clang_getCursorType) \
	each(clang_getDiagnostic) \
	each(clang_getDiagnosticLocation) \
	each(clang_getDiagnosticSeverity) \
	each(clang_getDiagnosticSpelling) \
	each(clang_getElementType) \
	each(clang_getEnumConstantDeclValue) \
	each(clang_getEnumDeclIntegerType) \
	each(clang_getFieldDeclBitWidth) \
	each(clang_getFileContents) \
	each(clang_getFileLocation) \
	each(clang_getFileName) \
	each(clang_getFunctionTypeCallingConv) \
	each(clang_getIncludedFile) \
	each(clang_getInclusions) \
	each(clang_getNumArgTypes) \
	each(clang_getNumDiagnostics) \
	each(clang_getPointeeType) \
	each(clang_getRangeEnd) \
	each(clang_getRangeStart) \
	each(clang_getResultType) \
	each(clang_getTranslationUnitCursor) \
	each(clang_getTypeDeclaration) \
	each(clang_getTypedefDeclUnderlyingType) \
	each(clang_getTypedefName) \
	each(clang_getTypeSpelling) \
	each(clang_isConstQualifiedType) \
	each(clang_isRestrictQualifiedType) \
	each(clang_parseTranslationUnit2) \
	each(clang_Type_getAlignOf) \
	each(clang_Type_getModifiedType) \
	each(clang_Type_getNamedType) \
	each(clang_Type_getSizeOf) \
	each(clang_Type_getValueType) \
	each(clang_Type_visitFields) \
	each(clang_visitChildren)
/* clang-format on */

#define LIBCLANG_MEMBER(name) __typeof__(&(name)) name;
struct libclang {
	LIBCLANG_FUNCTIONS(LIBCLANG_MEMBER)
};
extern struct libclang libclang;

/*
 * Load it, once. False: it is not there, and a line has been printed that names the package and the
 * way without it.
 */
bool libclang_load(void);

#ifndef LIBCLANG_INSIDE
#define clang_Cursor_Evaluate		   libclang.clang_Cursor_Evaluate
#define clang_Cursor_getArgument	   libclang.clang_Cursor_getArgument
#define clang_Cursor_getMangling	   libclang.clang_Cursor_getMangling
#define clang_Cursor_getNumArguments	   libclang.clang_Cursor_getNumArguments
#define clang_Cursor_getOffsetOfField	   libclang.clang_Cursor_getOffsetOfField
#define clang_Cursor_getStorageClass	   libclang.clang_Cursor_getStorageClass
#define clang_Cursor_isAnonymous	   libclang.clang_Cursor_isAnonymous
#define clang_Cursor_isBitField		   libclang.clang_Cursor_isBitField
#define clang_Cursor_isFunctionInlined	   libclang.clang_Cursor_isFunctionInlined
#define clang_Cursor_isMacroFunctionLike   libclang.clang_Cursor_isMacroFunctionLike
#define clang_Cursor_isVariadic		   libclang.clang_Cursor_isVariadic
#define clang_EvalResult_dispose	   libclang.clang_EvalResult_dispose
#define clang_EvalResult_getAsLongLong	   libclang.clang_EvalResult_getAsLongLong
#define clang_EvalResult_getKind	   libclang.clang_EvalResult_getKind
#define clang_File_isEqual		   libclang.clang_File_isEqual
#define clang_Type_getAlignOf		   libclang.clang_Type_getAlignOf
#define clang_Type_getModifiedType	   libclang.clang_Type_getModifiedType
#define clang_Type_getNamedType		   libclang.clang_Type_getNamedType
#define clang_Type_getSizeOf		   libclang.clang_Type_getSizeOf
#define clang_Type_getValueType		   libclang.clang_Type_getValueType
#define clang_Type_visitFields		   libclang.clang_Type_visitFields
#define clang_createIndex		   libclang.clang_createIndex
#define clang_disposeDiagnostic		   libclang.clang_disposeDiagnostic
#define clang_disposeIndex		   libclang.clang_disposeIndex
#define clang_disposeString		   libclang.clang_disposeString
#define clang_disposeTranslationUnit	   libclang.clang_disposeTranslationUnit
#define clang_equalCursors		   libclang.clang_equalCursors
#define clang_getArgType		   libclang.clang_getArgType
#define clang_getArrayElementType	   libclang.clang_getArrayElementType
#define clang_getArraySize		   libclang.clang_getArraySize
#define clang_getCString		   libclang.clang_getCString
#define clang_getCanonicalCursor	   libclang.clang_getCanonicalCursor
#define clang_getCanonicalType		   libclang.clang_getCanonicalType
#define clang_getCursorExtent		   libclang.clang_getCursorExtent
#define clang_getCursorKind		   libclang.clang_getCursorKind
#define clang_getCursorLocation		   libclang.clang_getCursorLocation
#define clang_getCursorPrettyPrinted	   libclang.clang_getCursorPrettyPrinted
#define clang_getCursorSpelling		   libclang.clang_getCursorSpelling
#define clang_getCursorType		   libclang.clang_getCursorType
#define clang_getDiagnostic		   libclang.clang_getDiagnostic
#define clang_getDiagnosticLocation	   libclang.clang_getDiagnosticLocation
#define clang_getDiagnosticSeverity	   libclang.clang_getDiagnosticSeverity
#define clang_getDiagnosticSpelling	   libclang.clang_getDiagnosticSpelling
#define clang_getElementType		   libclang.clang_getElementType
#define clang_getEnumConstantDeclValue	   libclang.clang_getEnumConstantDeclValue
#define clang_getEnumDeclIntegerType	   libclang.clang_getEnumDeclIntegerType
#define clang_getFieldDeclBitWidth	   libclang.clang_getFieldDeclBitWidth
#define clang_getFileContents		   libclang.clang_getFileContents
#define clang_getFileLocation		   libclang.clang_getFileLocation
#define clang_getFileName		   libclang.clang_getFileName
#define clang_getFunctionTypeCallingConv   libclang.clang_getFunctionTypeCallingConv
#define clang_getIncludedFile		   libclang.clang_getIncludedFile
#define clang_getInclusions		   libclang.clang_getInclusions
#define clang_getNumArgTypes		   libclang.clang_getNumArgTypes
#define clang_getNumDiagnostics		   libclang.clang_getNumDiagnostics
#define clang_getPointeeType		   libclang.clang_getPointeeType
#define clang_getRangeEnd		   libclang.clang_getRangeEnd
#define clang_getRangeStart		   libclang.clang_getRangeStart
#define clang_getResultType		   libclang.clang_getResultType
#define clang_getTranslationUnitCursor	   libclang.clang_getTranslationUnitCursor
#define clang_getTypeDeclaration	   libclang.clang_getTypeDeclaration
#define clang_getTypeSpelling		   libclang.clang_getTypeSpelling
#define clang_getTypedefDeclUnderlyingType libclang.clang_getTypedefDeclUnderlyingType
#define clang_getTypedefName		   libclang.clang_getTypedefName
#define clang_isConstQualifiedType	   libclang.clang_isConstQualifiedType
#define clang_isRestrictQualifiedType	   libclang.clang_isRestrictQualifiedType
#define clang_parseTranslationUnit2	   libclang.clang_parseTranslationUnit2
#define clang_visitChildren		   libclang.clang_visitChildren
#endif

#endif
