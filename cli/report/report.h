/* SPDX-License-Identifier: MIT */
/*
 * report.h: the contract of cli/report, `tracelayer report` and `tracelayer view`: traces as one
 * page that a browser shows without a network. Called by tracelayer.c.
 *
 * The room uses read for the events, symbols for the names of functions on stacks, summary for the
 * tables, and outputs for the file. Events become a model (report_model.h), and the model becomes a
 * page (report_page.h); report_make.h does both. page.html, page.css and page.js are the page
 * itself; the build puts them into the command. One thread only.
 */
#ifndef TL_CLI_REPORT_REPORT_H
#define TL_CLI_REPORT_REPORT_H

int command_report(int argc, char **argv);
int command_view(int argc, char **argv);

#endif
