/* SPDX-License-Identifier: MIT */
/*
 * run_protocol.h: what the layer reports to `tracelayer run`, so that its closing line can say
 * where the trace is, or why there is none.
 *
 * `run` makes an empty folder that only its user can enter, and names it in TRACELAYER_REPORT. If
 * root runs it, programs may become other users (setpriv, daemons). So other users may add links,
 * too, if they know the folder's name, which can't be guessed or listed. The layer adds one
 * symbolic link for each report; the link's name is KIND.PID.NUMBER and its target is the message.
 * Making a link is one system call, done completely or not at all, and takes no descriptor: the
 * program can't notice it, whatever it does with its own. If the folder can't be reached any more
 * (another root, another user, `run` is gone), the layer reports nothing.
 *
 * NUMBER counts up within a process, also across exec, so the last report on a file is the one with
 * the largest number.
 */
#ifndef TL_COMMON_RUN_PROTOCOL_H
#define TL_COMMON_RUN_PROTOCOL_H

#define TL_REPORT_VARIABLE "TRACELAYER_REPORT"

#define TL_REPORT_LOADED                                                                           \
	"loaded" /* the layer is in the process. Message: the program's short name */
#define TL_REPORT_CALLED                                                                           \
	"called" /* some shim was called for the first time. Message: the function */
#define TL_REPORT_RECORDED                                                                         \
	"recorded" /* a call that something watches was made for the first time. Message: a word   \
		    */
#define TL_REPORT_UNSHIMMED                                                                        \
	"unshimmed" /* the process ends without a traced call and had this driver library loaded   \
		     */
#define TL_REPORT_BYPASSED                                                                         \
	"bypassed" /* the same, and the program took functions from a driver, not from its loader.  \
		      Message: the driver, a newline, the loader, a newline, and what --api calls  \
		      the API, or nothing if the API has shims */
#define TL_REPORT_PRECEDED                                                                         \
	"preceded" /* the same, and this library comes before the shims and has functions of their \
		      names. Message: its path */
#define TL_REPORT_WITHOUT                                                                          \
	"without" /* this process starts a program that the layer won't be in. Message: one of the \
		     words below, a space, the program's path, a newline, the process's short name \
		   */
#define TL_REPORT_UNREADABLE                                                                       \
	"unreadable" /* this process starts a program that gets the layer without an interposer,     \
			whose file it can't read. Message: the interposer's path, a newline, the     \
			program's path */
#define TL_REPORT_NO_MEMORY                                                                        \
	"nomemory" /* no event buffers could be made. Message: events lost so far */
#define TL_REPORT_CONFINED                                                                         \
	"confined" /* the process installs a seccomp filter that would kill it for recording.        \
		      Message: "before" its first traced call, or "later" */
#define TL_REPORT_TOOLS                                                                            \
	"tools" /* tools are loaded that say something at the end. Message: the process's short name */
#define TL_REPORT_ENDED                                                                            \
	"ended" /* the process with tools ends, or starts another program in its place */
#define TL_REPORT_BUFFERS                                                                          \
	"buffers" /* a buffers file is about to be made (format/file/trace_file.h). Message: its path */
#define TL_REPORT_TRACE "trace" /* a trace file was created. Message: its path */
#define TL_REPORT_FINISHED                                                                         \
	"finished" /* and ended. Message: events, lost events, path, with a space between */
#define TL_REPORT_FAILED                                                                           \
	"failed" /* it could not be made or written. Message: errno, a space, the path */

/* Why the layer won't be there. */
/* its environment lacks LD_PRELOAD, or the layer in it */
#define TL_WITHOUT_CLEARED    "cleared"
#define TL_WITHOUT_STATIC     "static"	   /* it has no dynamic linker */
#define TL_WITHOUT_FOREIGN    "foreign"	   /* it is for another architecture */
#define TL_WITHOUT_LIBC	      "libc"	   /* it is another C library's */
#define TL_WITHOUT_PRIVILEGED "privileged" /* set-user-id and the like: LD_PRELOAD is ignored */
/* from there the layer can't be read: another root, another user */
#define TL_WITHOUT_UNREADABLE "unreadable"

#endif
