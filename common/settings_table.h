/* SPDX-License-Identifier: MIT */
/*
 * settings_table.h: the one list of settings. The layer reads its environment by this table,
 * `tracelayer run` makes its options and --help from it, and the man page's table is printed from
 * it. doc/settings.md has a copy; tests/house/docs.sh compares.
 *
 *	SETTING(id, variable, option, letter, metavar, implied, initial, kind, words, help)
 *
 * id		TL_SETTING_id
 * variable	environment variable, without TRACELAYER_
 * option	of `tracelayer run`, without the two dashes
 * letter	the option's short form, 0: none
 * metavar	name of the option's value in --help
 * implied	value of the option where none is given; NULL: it needs one
 * initial	the default, as a user would write it
 * kind		how a value is read: TL_VALUE_kind
 * words	what a value may be, or NULL
 * help		one line
 */
SETTING(OUTPUT, "OUTPUT", "output", 'o', "PATTERN", NULL, TL_OUTPUT_STANDARD, PATTERN, NULL,
	"trace file to write, or a folder; %p pid, %e program, %h host, %r rank, %j job and step, %t time; its ending chooses the format: " TL_OUTPUT_ENDINGS)
SETTING(JOB, "JOB", "job", 0, "DIR", NULL, "", JOB, NULL,
	"folder for all processes of a job: each writes DIR/JOB.STEP/HOST/RANK.tlt, by what the launcher tells it")
SETTING(RANKS, "RANKS", "ranks", 0, "SET", NULL, "*", RANKS, NULL,
	"trace only these ranks of a job, like 0,8-15,*/16; the others run untouched")
SETTING(LEVEL, "LEVEL", "level", 0, "MASK", NULL, "all", LEVEL,
	"all, none, request, runtime, operator, debug, standard",
	"which calls to record: all, none, request, runtime, operator, debug, standard; joined with |")
SETTING(CONTEXT_LEVEL, "CONTEXT_LEVEL", "context-level", 0, "MASK", NULL, "none", LEVEL,
	"all, none, request, runtime, operator, debug, standard",
	"levels to add to those of the program's own trace contexts (tracelayer/trace_context.h)")
SETTING(INCLUDE, "INCLUDE", "include", 0, "GLOBS", NULL, "*", TEXT, NULL,
	"record only functions whose names match one of these, separated by commas")
SETTING(EXCLUDE, "EXCLUDE", "exclude", 0, "GLOBS", NULL, "", TEXT, NULL,
	"leave out functions whose names match one of these, separated by commas")
SETTING(ARGS, "ARGS", "args", 0, "WHAT", NULL, "full", WORD, "none, scalars, full",
	"arguments to record: none, scalars (the parameters themselves), full (also what they point to)")
SETTING(STACK, "STACK", "stack", 0, "GLOBS", "*", "", TEXT, NULL,
	"also record who called, for functions whose names match one of these, separated by commas")
SETTING(TOOLS, "TOOLS", "tool", 0, "LIBS", NULL, "", TEXT, NULL,
	"tools to load: summary, log, leaks, faults, or paths, separated by colons; =OPTIONS may follow each")
SETTING(SUMMARY, "SUMMARY", "summary", 0, "yes|no", "yes", "no", SWITCH, NULL,
	"print tables at the end of the program")
SETTING(START, "START", "paused", 0, "WHEN", "paused", "running", WORD, "running, paused, watched",
	"start with recording paused, until tracelayer resume or tl_resume; watched: the same, and tracelayer profile sees open calls")
SETTING(FULL, "FULL", "full", 0, "POLICY", NULL, "grow", FULL, "grow, drop, ring",
	"when events come faster than they can be written: grow (take memory up to --memory, then wait for the writer) or drop (lose events); ring or ring:SIZE: keep only the newest events of each thread, and write them at a snapshot or the end")
SETTING(MEMORY, "MEMORY", "memory", 0, "SIZE", NULL, "256M", SIZE, NULL,
	"most memory for the event buffers of a process: a number with K, M or G; the default is at most an eighth of the process's own memory limit")
SETTING(BUFFERS, "BUFFERS", "buffers", 0, "DIR", NULL, "", FOLDER, NULL,
	"folder for the event buffers, in place of /dev/shm: one that outlives the job")
SETTING(SNAPSHOT_ON, "SNAPSHOT_ON", "snapshot-on", 0, "SIGNAL", NULL, "", SIGNAL, NULL,
	"write what is recorded so far when the process gets this signal")
SETTING(SESSION, "SESSION", "session", 0, "NAME", NULL, "", NAME, NULL,
	"name of the run, for tracelayer pause, resume, snapshot and stop")
SETTING(WINDOW, "WINDOW", "window", 0, "D:L:N", NULL, "", WINDOW, NULL,
	"delay:length:repeats: wait, record, and do both so many times; with times like 500ms, 2s, 1m")
SETTING(SPLIT, "SPLIT", "split", 0, "SIZE|TIME", NULL, "", SPLIT, NULL,
	"start a new file when the current one has this size or age, like 100M or 30s")
SETTING(FOLLOW, "FOLLOW", "follow", 0, "yes|no", NULL, "yes", FOLLOW, NULL,
	"also trace child processes; no: only the first process, whatever programs it executes")
SETTING(NESTED, "NESTED", "nested", 0, "yes|no", NULL, "yes", SWITCH, NULL,
	"also trace the calls that a driver makes into its own API inside another call")
SETTING(DEVICE, "DEVICE", "device", 0, "yes|no", NULL, "yes", SWITCH, NULL,
	"also record what devices do: each command of each queue, with its times (level operator)")
SETTING(SAMPLE_DEVICE, "SAMPLE_DEVICE", "sample-device", 0, "TIME", "10ms", "", PERIOD, NULL,
	"also record counters of devices this often: power, frequency, load of engines, memory in use (Level Zero's sysman: set ZES_ENABLE_SYSMAN=1)")
SETTING(GPU_TRACKS, "GPU_TRACKS", "gpu-tracks", 0, "KIND", NULL, "slices", WORD, "slices, perfetto",
	"how a .pftrace shows what devices do: slices (lanes of the process) or perfetto (its own GPU tracks)")
SETTING(CUPTI, "CUPTI", "cupti", 0, "yes|no|PATH", "yes", "no", TEXT, NULL,
	"take the times of CUDA's device lanes from CUPTI's activity records: yes, or the path of libcupti; not tested on hardware")
SETTING(TRACE_MARKER, "TRACE_MARKER", "trace-marker", 0, "yes|PATH", "1", "", TEXT, NULL,
	"also write the program's marks of layer and phase (tracelayer/nntrace.h) to the kernel's trace_marker: yes, or its path")
SETTING(ANNOTATIONS, "ANNOTATIONS", "annotations", 0, "yes|no", "yes", "yes", SWITCH, NULL,
	"also record what the program is annotated with: ranges, marks and counters of NVTX, ITT and ROCTX")
SETTING(XPTI, "XPTI", "xpti", 0, "yes|no", "yes", "no", SWITCH, NULL,
	"also record the XPTI streams of instrumented libraries")
