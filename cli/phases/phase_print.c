/* SPDX-License-Identifier: MIT */
/*
 * phase_print.c: see phase_print.h. The layouts are those of Android's tool, byte for byte,
 * because programs read them.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "cli/phases/phase_print.h"
#include "cli/basics/basics.h"
#include "common/text.h"

#define ROWS (NN_LAYERS + 1)

/* What is shown of a layer, in the order of these names. */
enum column {
	COLUMN_PC,
	COLUMN_PE,
	COLUMN_PEO,
	COLUMN_PEP,
	COLUMN_PI,
	COLUMN_PIO,
	COLUMN_PO,
	COLUMN_PP,
	COLUMN_PR,
	COLUMN_PT,
	COLUMNS
};

static const char *const column_names[COLUMNS] = {"PC",	 "PE", "PEO", "PEp", "PI",
						  "PIO", "PO", "PP",  "PR",  "PT"};

struct shown {
	double of[ROWS][COLUMNS];
	bool has_processor; /* where there is a driver, it has nothing to do, mostly */
};

/* Layers in the order of their names. */
static const struct {
	const char *name;
	unsigned nn_layer;
} layers_by_name[ROWS] = {{"LA", NN_LAYER_LA}, {"LC", NN_LAYER_LC}, {"LD", NN_LAYER_LD},
			  {"LI", NN_LAYER_LI}, {"LR", NN_LAYER_LR}, {"LT", NN_LAYER_LT}};

/* ---- what is shown ---- */

static bool is_worth_a_row(const double *of)
{
	static const enum column columns[] = {COLUMN_PI, COLUMN_PP,  COLUMN_PC, COLUMN_PE,
					      COLUMN_PT, COLUMN_PIO, COLUMN_PR};

	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		if (of[columns[i]] > 0)
			return true;
	return false;
}

static void row_divide(double *of, uint64_t count)
{
	static const enum column columns[] = {COLUMN_PE, COLUMN_PIO, COLUMN_PR, COLUMN_PEO};

	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		of[columns[i]] = count ? of[columns[i]] / (double)count : NAN;
}

static void shown_fill(struct shown *shown, const struct phase_style *style,
		       const struct phase_times *times)
{
	const struct phase_table *tables = style->call_tree	? times->tree
					   : style->total_times ? times->total
								: times->self;
	enum overall executed =
		style->per_execution && times->is_benchmark ? OVERALL_PBM : OVERALL_PO;
	const struct phase_table *all = &tables[OVERALL_PO], *executions = &tables[executed];
	uint64_t count = times->executions[executed];

	if (times->is_half)
		count += times->executions[OVERALL_PWU] + times->executions[OVERALL_PBM];
	for (unsigned nn_layer = 0; nn_layer < ROWS; nn_layer++) {
		double *of = shown->of[nn_layer],
		       longest = executions->of[NN_PHASE_PE][NN_LAYER_LT];

		of[COLUMN_PC] = all->of[NN_PHASE_PC][nn_layer];
		of[COLUMN_PI] = all->of[NN_PHASE_PI][nn_layer];
		of[COLUMN_PO] = all->of[NN_PHASE_PO][nn_layer];
		of[COLUMN_PP] = all->of[NN_PHASE_PP][nn_layer];
		of[COLUMN_PT] = all->of[NN_PHASE_PT][nn_layer];
		of[COLUMN_PE] = executions->of[NN_PHASE_PE][nn_layer];
		of[COLUMN_PIO] = executions->of[NN_PHASE_PIO][nn_layer];
		of[COLUMN_PR] = executions->of[NN_PHASE_PR][nn_layer];
		of[COLUMN_PEO] = of[COLUMN_PE] - of[COLUMN_PIO] - of[COLUMN_PR];
		of[COLUMN_PEP] = longest == 0 ? NAN : of[COLUMN_PE] * 100 / longest;
		if (nn_layer == NN_LAYER_LC)
			shown->has_processor = is_worth_a_row(of);
		if (style->per_execution)
			row_divide(of, count);
	}
}

/* ---- text ---- */

struct field {
	enum column column;
	int width;
	const char *after, *after_total; /* the text between this one and the next */
};

struct layout {
	int label, rule;
	/* behind what kind of time it is, and below what the columns are of */
	const char *title, *title_end;
	const char *heading;
	const char *mark; /* behind the application's row */
	const char *total_end, *note;
	const struct field *fields;
	size_t nfields;
};

static const struct field all_fields[] = {
	{COLUMN_PI, 9, "     ", "*    "}, {COLUMN_PP, 9, "     ", "*    "},
	{COLUMN_PC, 9, "   ", "*  "},	  {COLUMN_PIO, 11, "   ", "*  "},
	{COLUMN_PEO, 11, "    ", "*   "}, {COLUMN_PR, 9, "     ", "*    "},
	{COLUMN_PE, 9, "     ", "*    "}, {COLUMN_PT, 9, "    ", "*   "},
	{COLUMN_PO, 9, "", "*"},
};

static const struct layout all_phases = {
	.label = 19,
	.rule = 139,
	.title = "                                                      ",
	.title_end =
		"                                                           ----------------------------------------------------",
	.heading =
		"              Initialization   Preparation   Compilation           I/O       Compute      Results     Ex. total   Termination        Total\n"
		"              --------------   -----------   -----------   -----------  ------------  -----------   -----------   -----------   ----------",
	.mark = "*",
	.total_end = "",
	.note = "* This total ignores missing (n/a) values and thus is not necessarily consistent with the rest of the numbers",
	.fields = all_fields,
	.nfields = sizeof(all_fields) / sizeof(*all_fields),
};

static const struct field execution_fields[] = {
	{COLUMN_PIO, 11, "   ", "*  "},
	{COLUMN_PEO, 11, "    ", "*   "},
	{COLUMN_PR, 9, "     ", "*    "},
	{COLUMN_PE, 9, "  ", ""},
};

static const struct layout per_execution = {
	.label = 14,
	.rule = 80,
	.title = "                       ",
	.title_end =
		"              ------------------------------------------------------------------",
	.heading =
		"                      I/O       Compute      Results         Total    Percentage\n"
		"              -----------  ------------  -----------   -----------   -----------",
	.mark = "",
	.total_end = "          100%",
	.note = "* This total ignores missing (n/a) values and thus is not necessarily consistent\n  with the rest of the numbers",
	.fields = execution_fields,
	.nfields = sizeof(execution_fields) / sizeof(*execution_fields),
};

/* A number in a table. Zero and unknown numbers have signs. */
static void put_cell(FILE *to, double time, int width, bool is_percentage)
{
	char cell[400], *nothing;

	/* A NAN has no sign in the tables. */
	snprintf(cell, sizeof(cell), " %*.2f%s", width, isnan(time) ? NAN : time,
		 is_percentage ? "%" : "");
	if ((nothing = strstr(cell, " 0.00")))
		memcpy(nothing, is_percentage ? "     -" : "    -", is_percentage ? 6 : 5);
	else if ((nothing = strstr(cell, " nan")))
		memcpy(nothing, " n/a", 4);
	fputs(cell + 1, to);
}

static void put_row(FILE *to, const struct layout *layout, const char *label, const double *of)
{
	fprintf(to, "%-*s", layout->label, label);
	for (size_t i = 0; i < layout->nfields; i++) {
		put_cell(to, of[layout->fields[i].column], layout->fields[i].width, false);
		fputs(layout->fields[i].after, to);
	}
	if (layout == &per_execution)
		put_cell(to, of[COLUMN_PEP], 11, true);
}

static void put_total(FILE *to, const struct layout *layout, const double *of)
{
	fprintf(to, "\n%-*s", layout->label, "Total");
	for (size_t i = 0; i < layout->nfields; i++) {
		put_cell(to, of[layout->fields[i].column], layout->fields[i].width, false);
		fputs(layout->fields[i].after_total, to);
	}
	fprintf(to, "%s\n", layout->total_end);
}

static void put_rule(FILE *to, const struct layout *layout)
{
	for (int i = 0; i < layout->rule; i++)
		fputc('=', to);
	fputc('\n', to);
}

#define BY_TREE ", call tree"

static const char *kind_of_time(const struct phase_style *style)
{
	return style->call_tree	    ? "self-times" BY_TREE
	       : style->total_times ? "total time"
				    : "self-times";
}

void phase_print_text(FILE *to, const struct phase_style *style, const struct phase_times *times,
		      const char *starting_mark, size_t size)
{
	static const struct {
		const char *label;
		enum nn_layer nn_layer;
	} rows[NN_LAYERS] = {{"Application", NN_LAYER_LA},
			     {"Runtime", NN_LAYER_LR},
			     {"IPC", NN_LAYER_LI},
			     {"Driver", NN_LAYER_LD},
			     {"CPU", NN_LAYER_LC}};
	const struct layout *layout = style->per_execution ? &per_execution : &all_phases;
	struct shown shown;

	shown_fill(&shown, style, times);
	print_escaped(to, starting_mark, size);
	fputs("\n\n", to);
	put_rule(to, layout);
	fprintf(to, "NNAPI timing summary (%s, ms wall-clock)%s%s\n%s\n%s\n", kind_of_time(style),
		layout->title + (style->call_tree ? strlen(BY_TREE) : 0),
		style->per_execution && times->is_benchmark ? "Benchmark" : "Execution",
		layout->title_end, layout->heading);
	for (size_t i = 0; i < NN_LAYERS; i++) {
		const double *of = shown.of[rows[i].nn_layer];

		if (rows[i].nn_layer == NN_LAYER_LC && !shown.has_processor)
			continue;
		put_row(to, layout, rows[i].label, of);
		fprintf(to, "%s\n", rows[i].nn_layer == NN_LAYER_LA ? layout->mark : "");
	}
	put_total(to, layout, shown.of[NN_LAYER_LT]);
	put_rule(to, layout);
	fprintf(to, "%s\n", layout->note);
}

/* ---- JSON ---- */

/*
 * Rewrites a number without an exponent to one with an exponent: 0.000015 becomes 1.5e-05.
 */
static void number_put_with_exponent(FILE *to, const char *written, int exponent)
{
	char digits[32] = "";
	size_t count = 0;

	for (const char *at = written; *at && count < sizeof(digits); at++)
		if (*at >= '0' && *at <= '9' && (count || *at != '0'))
			digits[count++] = *at;
	while (count > 1 && digits[count - 1] == '0')
		count--;
	fprintf(to, "%s%c%s%.*se%+03d", *written == '-' ? "-" : "", digits[0], count > 1 ? "." : "",
		(int)count - 1, digits + 1, exponent);
}

/*
 * A number as Python writes it: the shortest text that reads back the same, with a point or an
 * exponent.
 */
static void put_number(FILE *to, double number)
{
	char written[64];
	struct tl_text text = {written, written + sizeof(written) - 1, false};
	uint64_t bits;
	double size = fabs(number);

	if (isnan(number)) {
		fputs("null", to);
		return;
	}
	memcpy(&bits, &number, sizeof(bits));
	tl_text_double(&text, bits);
	*text.at = '\0';
	if (size >= 1e16 && size < 1e17)
		number_put_with_exponent(to, written, 16);
	else if (size >= 1e-5 && size < 1e-4)
		number_put_with_exponent(to, written, -5);
	else
		fprintf(to, "%s%s", written, strpbrk(written, ".e\"") ? "" : ".0");
}

/* A code point of at least 0x80, from its bytes, which are UTF-8. Returns where they end. */
static const char *put_code_point(FILE *to, const char *at)
{
	unsigned char lead = (unsigned char)*at++;
	unsigned point = lead >= 0xf0 ? lead & 7u : lead >= 0xe0 ? lead & 15u : lead & 31u;

	while (((unsigned char)*at & 0xc0) == 0x80)
		point = point << 6 | ((unsigned char)*at++ & 63u);
	if (point < 0x10000) {
		fprintf(to, "\\u%04x", point);
	} else {
		point -= 0x10000;
		fprintf(to, "\\u%04x\\u%04x", 0xd800 + (point >> 10), 0xdc00 + (point & 0x3ff));
	}
	return at;
}

/* A string in ASCII alone. */
static void put_string(FILE *to, const char *bytes, size_t size)
{
	static const char short_forms[] = "\b\f\n\r\t\"\\", letters[] = "bfnrt\"\\";
	char text[3 * 4096 + 1]; /* a byte that is no UTF-8 becomes three */
	struct tl_text room = {text, text + sizeof(text) - 1, false};

	tl_text_utf8(&room, bytes, size < 4096 ? size : 4096);
	*room.at = '\0';
	fputc('"', to);
	for (const char *at = text; at < room.at;) {
		const char *form = *at ? strchr(short_forms, *at) : NULL;

		if ((unsigned char)*at >= 0x80) {
			at = put_code_point(to, at);
			continue;
		}
		if (form)
			fprintf(to, "\\%c", letters[form - short_forms]);
		else if ((unsigned char)*at < 0x20)
			fprintf(to, "\\u%04x", (unsigned)*at);
		else
			fputc(*at, to);
		at++;
	}
	fputc('"', to);
}

static void put_layers(FILE *to, const struct phase_table *table, unsigned nn_phase, int indent)
{
	fprintf(to, "%*s\"%s\": {\n", indent, "", nn_phase_name((uint16_t)nn_phase));
	for (unsigned i = 0; i < ROWS; i++) {
		fprintf(to, "%*s\"%s\": ", indent + 2, "", layers_by_name[i].name);
		put_number(to, table->of[nn_phase][layers_by_name[i].nn_layer]);
		fputs(i + 1 < ROWS ? ",\n" : "\n", to);
	}
	fprintf(to, "%*s}", indent, "");
}

/* Execution, warming up or measured. */
static void put_part(FILE *to, const struct phase_table *tables, enum overall overall)
{
	static const enum nn_phase phases[] = {NN_PHASE_PCO, NN_PHASE_PE, NN_PHASE_PIO, NN_PHASE_PR,
					       NN_PHASE_PTR};
	const size_t count = sizeof(phases) / sizeof(*phases);

	fprintf(to, "    \"%s\": {\n", nn_overall_name(overall));
	for (size_t i = 0; i < count; i++) {
		put_layers(to, &tables[overall], phases[i], 6);
		fputs(i + 1 < count ? ",\n" : "\n", to);
	}
	fputs("    }", to);
}

static void put_tables(FILE *to, const char *name, const struct phase_table *tables,
		       bool with_parts)
{
	static const enum nn_phase phases[NN_PHASES] = {
		NN_PHASE_PC, NN_PHASE_PCO, NN_PHASE_PE, NN_PHASE_PI, NN_PHASE_PIO,
		NN_PHASE_PO, NN_PHASE_PP,  NN_PHASE_PR, NN_PHASE_PT, NN_PHASE_PTR};

	fprintf(to, "  \"%s\": {\n", name);
	if (with_parts) {
		put_part(to, tables, OVERALL_PBM);
		fputs(",\n", to);
	}
	for (size_t i = 0; i < NN_PHASES; i++) {
		put_layers(to, &tables[OVERALL_PO], phases[i], 4);
		fputs(i + 1 < NN_PHASES || with_parts ? ",\n" : "\n", to);
	}
	if (with_parts) {
		put_part(to, tables, OVERALL_PWU);
		fputc('\n', to);
	}
	fputs("  }", to);
}

static void times_put_shown(FILE *to, const struct phase_style *style,
			    const struct phase_times *times)
{
	const char *between = "";
	struct shown shown;

	shown_fill(&shown, style, times);
	fputs("  \"template_inputs\": {\n", to);
	for (unsigned i = 0; i < ROWS; i++)
		for (unsigned column = 0; column < COLUMNS; column++) {
			if (layers_by_name[i].nn_layer == NN_LAYER_LT && column == COLUMN_PEP)
				continue;
			fprintf(to, "%s    \"%s_%s\": ", between, layers_by_name[i].name,
				column_names[column]);
			put_number(to, shown.of[layers_by_name[i].nn_layer][column]);
			between = ",\n";
		}
	fputs("\n  }", to);
}

void phase_print_json(FILE *to, const struct phase_style *style, const struct phase_times *times,
		      const char *starting_mark, size_t size)
{
	fputs("{\n", to);
	if (style->call_tree) {
		put_tables(to, "call_tree_times", times->tree, times->is_benchmark);
		fputs(",\n", to);
	}
	fprintf(to,
		"  \"execution_counts\": {\n    \"PBM\": %llu,\n    \"PO\": %llu,\n    \"PWU\": %llu\n  },\n",
		(unsigned long long)times->executions[OVERALL_PBM],
		(unsigned long long)times->executions[OVERALL_PO],
		(unsigned long long)times->executions[OVERALL_PWU]);
	put_tables(to, "self_times", times->self, times->is_benchmark);
	fputs(",\n  \"starting_mark\": ", to);
	put_string(to, starting_mark, size);
	fputs(",\n", to);
	times_put_shown(to, style, times);
	fputs(",\n", to);
	put_tables(to, "times", times->total, times->is_benchmark);
	fputs(",\n  \"version\": 1\n}\n", to);
}
