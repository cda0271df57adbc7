/* SPDX-License-Identifier: MIT */
/* java_calls.c: the native half of Calls.java. Each function calls toy_sum, which is traced. */
#include <jni.h>
#include <pthread.h>

#include "toy_sum.h"

static JavaVM *machine;

jint JNI_OnLoad(JavaVM *vm, void *unused)
{
	machine = vm;
	return JNI_VERSION_10;
}

JNIEXPORT jlong JNICALL Java_Calls_sum(JNIEnv *env, jclass class, jlong a, jlong b)
{
	return toy_sum(a, b);
}

static jint visit(JNIEnv *env, jobject object, int index)
{
	jmethodID method =
		(*env)->GetMethodID(env, (*env)->GetObjectClass(env, object), "visit", "(I)I");

	return (*env)->CallIntMethod(env, object, method, index);
}

JNIEXPORT jint JNICALL Java_Calls_each(JNIEnv *env, jclass class, jint count, jobject object)
{
	long sum = 0;

	for (int i = 0; i < count && !(*env)->ExceptionCheck(env); i++)
		sum = toy_sum(sum, visit(env, object, i));
	return (jint)sum;
}

JNIEXPORT jint JNICALL Java_Calls_fail(JNIEnv *env, jclass class, jint how)
{
	(*env)->ThrowNew(env,
			 (*env)->FindClass(env, how ? "java/lang/RuntimeException"
						    : "java/lang/IllegalArgumentException"),
			 "as asked");
	return (jint)toy_sum(how, 1);
}

static void *attached(void *object)
{
	JNIEnv *env;

	if ((*machine)->AttachCurrentThread(machine, (void **)&env, NULL) != JNI_OK)
		return NULL;
	for (int i = 0; i < 100; i++)
		toy_sum(visit(env, object, i), 1);
	(*machine)->DetachCurrentThread(machine);
	return NULL;
}

JNIEXPORT jint JNICALL Java_Calls_threads(JNIEnv *env, jclass class, jint count, jobject object)
{
	jobject global = (*env)->NewGlobalRef(env, object);
	pthread_t threads[64];

	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, attached, global);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	(*env)->DeleteGlobalRef(env, global);
	return count;
}
