/* SPDX-License-Identifier: MIT */
/*
 * settings_table.h: every setting there is, once. The layer reads its environment by it,
 * `tracelayer run` makes its options and its --help of it, and the man pages' table is printed
 * from it.
 *
 *	SETTING(id, variable, option, letter, metavar, implied, initial, kind, words, help)
 *
 * id		TL_SETTING_id
 * variable	of the environment, without TRACELAYER_
 * option	of `tracelayer run`, without the two dashes
 * letter	its short form, 0 where it has none
 * metavar	what the option's value is called
 * implied	what an option given without a value stands for; NULL where one must follow
 * initial	the default, as a user would write it
 * kind		how a value is read: TL_VALUE_kind
 * words	what a value may be, or NULL
 * help		one line
 */
SETTING(OUTPUT, "OUTPUT", "output", 'o', "PATTERN", NULL, TL_OUTPUT_STANDARD, PATTERN, NULL,
	"file to write, or a folder: %p pid, %e program, %h host, %r rank, %t time; .json or .pftrace, either with .gz, or .tlt")
SETTING(LEVEL, "LEVEL", "level", 0, "MASK", NULL, "all", LEVEL,
	"all, none, request, runtime, operator, debug, standard",
	"which calls to record: all, none, request, runtime, operator, debug, standard; joined with |")
SETTING(CONTEXT_LEVEL, "CONTEXT_LEVEL", "context-level", 0, "MASK", NULL, "none", LEVEL,
	"all, none, request, runtime, operator, debug, standard",
	"levels added to those of the program's own trace contexts (tracelayer/trace_context.h)")
SETTING(INCLUDE, "INCLUDE", "include", 0, "GLOBS", NULL, "*", TEXT, NULL,
	"record only functions whose names match one of these, separated by commas")
SETTING(EXCLUDE, "EXCLUDE", "exclude", 0, "GLOBS", NULL, "", TEXT, NULL,
	"leave out functions whose names match one of these, separated by commas")
SETTING(ARGS, "ARGS", "args", 0, "WHAT", NULL, "full", WORD, "none, scalars, full",
	"arguments to record: none, scalars (the parameters themselves), full (also what they point to)")
SETTING(TOOLS, "TOOLS", "tool", 0, "LIBS", NULL, "", TEXT, NULL,
	"tools to load: summary, log, leaks, faults, or paths, separated by colons; =OPTIONS may follow each")
SETTING(SUMMARY, "SUMMARY", "summary", 0, "yes|no", "yes", "no", SWITCH, NULL,
	"print tables at the end of the program")
SETTING(START, "START", "paused", 0, "WHEN", "paused", "running", WORD, "running, paused, watched",
	"start with recording paused, until tracelayer resume or tl_resume; watched: for tracelayer profile")
SETTING(FULL, "FULL", "full", 0, "POLICY", NULL, "grow", FULL, "grow, drop, ring",
	"when the writer can't keep up: grow up to --memory and then help it, or drop; ring: write nothing before a snapshot or the end, and then the newest, ring:SIZE, of each thread")
SETTING(MEMORY, "MEMORY", "memory", 0, "SIZE", NULL, "256M", SIZE, NULL,
	"most memory for all event buffers of a process: a number with K, M or G; unless given at most an eighth of the process's own limit")
SETTING(SNAPSHOT_ON, "SNAPSHOT_ON", "snapshot-on", 0, "SIGNAL", NULL, "", SIGNAL, NULL,
	"write out what is recorded when this signal comes")
SETTING(SESSION, "SESSION", "session", 0, "NAME", NULL, "", NAME, NULL,
	"name of the run, for pause, resume, snapshot and stop")
SETTING(WINDOW, "WINDOW", "window", 0, "D:L:N", NULL, "", WINDOW, NULL,
	"record after a delay, for a length, so many times; times as 500ms, 2s, 1m")
SETTING(SPLIT, "SPLIT", "split", 0, "SIZE|TIME", NULL, "", SPLIT, NULL,
	"start a new file after so much or so long: 100M, 30s")
SETTING(FOLLOW, "FOLLOW", "follow", 0, "yes|no", NULL, "yes", FOLLOW, NULL,
	"trace child processes too; no: the first process alone, whatever program it becomes")
SETTING(NESTED, "NESTED", "nested", 0, "yes|no", NULL, "yes", SWITCH, NULL,
	"trace also the calls that a driver makes into its own API inside another call")
SETTING(DEVICE, "DEVICE", "device", 0, "yes|no", NULL, "yes", SWITCH, NULL,
	"record also what devices do, and when: each command of each queue (level operator)")
SETTING(TRACE_MARKER, "TRACE_MARKER", "trace-marker", 0, "yes|PATH", "1", "", TEXT, NULL,
	"write the program's marks of layer and phase (tracelayer/nntrace.h) to the kernel's trace_marker, too: yes, or its path")
SETTING(XPTI, "XPTI", "xpti", 0, "yes|no", "yes", "no", SWITCH, NULL,
	"record the XPTI streams of instrumented libraries, too")
