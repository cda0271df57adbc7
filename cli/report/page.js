// SPDX-License-Identifier: MIT
// page.js: the page of `tracelayer report`: the timeline, search, details and tables. Texts of traces
// reach the page by textContent and fillText only.
//
// Slices lie by lane and row, and in a row by time, without overlap. Drawing looks at a row's pixels, not
// at its slices: a binary search finds the slices of a pixel, and the sums of durations (`busy`) say how much of
// the pixel they fill. So a frame costs the same with a thousand slices and with a million.
"use strict";
(() => {
const byId = id => document.getElementById(id);
const facts = JSON.parse(byId("facts").textContent);

// ---- data

function column(id) {
	const script = byId(id), text = script.textContent;
	script.remove();
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const raw = atob(text), bytes = new Uint8Array(raw.length);
	for (let i = 0; i < raw.length; i++)
		bytes[i] = raw.charCodeAt(i);
	return bytes;
}

// Varints, one after another. Numbers above 32 bits need a product in place of a shift.
class Varints {
	constructor(bytes) { this.bytes = bytes; this.at = 0; }
	next() {
		let byte = this.bytes[this.at++], value = byte & 127, unit = 128;
		while (byte > 127) {
			byte = this.bytes[this.at++];
			value += (byte & 127) * unit;
			unit *= 128;
		}
		return value;
	}
	signed() {
		const value = this.next();
		return value % 2 ? -(value + 1) / 2 : value / 2;
	}
}

const count = facts.slices, total = Math.max(facts.last - facts.first, 1);
const start = new Float64Array(count), duration = new Float64Array(count), busy = new Float64Array(count + 1);
const kind = new Uint32Array(count), argsAt = new Uint32Array(count), rowOf = new Uint32Array(count);
const stacks = new Uint32Array(count), texts = facts.texts, kinds = [], rows = [], lanes = facts.lanes, args = new Varints(column("arguments"));

// Red is for what failed.
function hueOf(name) {
	let hash = 0;
	for (let j = 0; j < name.length; j++)
		hash = (hash * 31 + name.charCodeAt(j)) | 0;
	return (hash >>> 0) % 320 + 20;
}
for (let i = 0; i < facts.kinds.length; i += 3) {
	const name = texts[facts.kinds[i]], categories = texts[facts.kinds[i + 1]].split(",");
	kinds.push({name, text: facts.kinds[i], categories, failed: !!(facts.kinds[i + 2] & 1), unended: !!(facts.kinds[i + 2] & 2),
		hue: hueOf(name), lower: name.toLowerCase(), device: categories.includes("device")});
}
{
	const starts = new Varints(column("starts")), durations = new Varints(column("durations")), sliceKinds = new Varints(column("sliceKinds"));
	const innermost = facts.frames.length ? new Varints(column("stacks")) : null;
	let at = 0;
	lanes.forEach((lane, number) => {
		lane.list = lane.rows.map((size, depth) => {
			const row = {lane: number, depth, from: at, to: at + size};
			for (let end = 0; at < row.to; at++) {
				start[at] = end + starts.next();
				duration[at] = durations.next();
				end = start[at] + duration[at];
				kind[at] = sliceKinds.next();
				if (innermost)
					stacks[at] = innermost.next();
				rowOf[at] = rows.length;
				busy[at + 1] = busy[at] + duration[at];
			}
			rows.push(row);
			return row;
		});
		lane.out = [];
		lane.in = [];
	});
	const holes = texts.map(() => -1);
	for (let i = 0; i < count; i++) {
		argsAt[i] = args.at;
		const shape = args.next();
		if (holes[shape] < 0)
			holes[shape] = (texts[shape].match(/[\x01-\x03]/g) || []).length;
		for (let j = holes[shape]; j > 0; j--)
			while (args.bytes[args.at++] > 127);
	}
}
const arrows = [];
{
	const ends = new Varints(column("arrowEnds"));
	let last = 0;
	for (let i = 0; i < facts.arrows; i++) {
		const from = last += ends.signed(), fromLane = ends.next(), to = from + ends.signed(), toLane = ends.next();
		lanes[fromLane].out.push(i);
		lanes[toLane].in.push(i);
		arrows.push({from, fromLane, to, toLane});
	}
	for (const lane of lanes)
		lane.in.sort((a, b) => arrows[a].to - arrows[b].to);
}

// The names of the functions that made a call, from the innermost on.
function callersOf(slice) {
	const names = [];
	for (let frame = stacks[slice]; frame; frame = facts.frames[2 * frame - 2])
		names.push(texts[facts.frames[2 * frame - 1]]);
	return names;
}

function argumentsOf(slice) {
	args.at = argsAt[slice];
	const shape = texts[args.next()];
	return shape ? JSON.parse(shape.replace(/[\x01-\x03]/g, hole => {
		const value = args.next();
		return hole === "\x01" ? value : hole === "\x02" ? '"0x' + facts.addresses[value] + '"' : JSON.stringify(texts[value]);
	})) : {};
}

// The first index in from..to for which the test holds; it holds for all behind that one.
function first(from, to, test) {
	while (from < to) {
		const middle = (from + to) >>> 1;
		if (test(middle))
			to = middle;
		else
			from = middle + 1;
	}
	return from;
}

// The innermost slice of a lane at a time; where two touch, the one that ends then (`before`) or the one that begins.
function sliceAt(lane, time, before) {
	for (let depth = lane.list.length - 1; depth >= 0; depth--) {
		const row = lane.list[depth];
		let i = first(row.from, row.to, j => before ? start[j] >= time : start[j] > time) - 1;
		if (before && i + 1 < row.to && start[i + 1] === time && (i < row.from || start[i] + duration[i] < time))
			i++;
		if (i >= row.from && start[i] + duration[i] >= time)
			return i;
	}
	return -1;
}

function arrowsOf(slice) {
	const lane = lanes[rows[rowOf[slice]].lane], end = start[slice] + duration[slice], found = [];
	let i = first(0, lane.out.length, j => arrows[lane.out[j]].from >= start[slice]);
	for (; i < lane.out.length && arrows[lane.out[i]].from <= end && found.length < 500; i++) {
		const arrow = arrows[lane.out[i]];
		if (sliceAt(lane, arrow.from, true) === slice)
			found.push({arrow, out: true, other: sliceAt(lanes[arrow.toLane], arrow.to, false)});
	}
	i = first(0, lane.in.length, j => arrows[lane.in[j]].to >= start[slice]);
	for (; i < lane.in.length && arrows[lane.in[i]].to <= end && found.length < 1000; i++) {
		const arrow = arrows[lane.in[i]];
		if (sliceAt(lane, arrow.to, false) === slice)
			found.push({arrow, out: false, other: sliceAt(lanes[arrow.fromLane], arrow.from, true)});
	}
	return found;
}

// ---- words

function time(ns, digits = 3) {
	const size = Math.abs(ns);
	const [unit, word] = size >= 1e9 ? [1e9, "s"] : size >= 1e6 ? [1e6, "ms"] : size >= 1e3 ? [1e3, "us"] : [1, "ns"];
	return (unit === 1 ? String(Math.round(ns)) : (ns / unit).toFixed(digits)) + " " + word;
}
const grouped = number => number.toLocaleString("en-US");
const processName = process => (process.name || "process") + " " + process.number + (process.labels ? " (" + process.labels + ")" : "");
const laneName = lane => lane.name ? (lane.queue ? lane.name : lane.name + " " + lane.number) : (lane.queue ? "queue " : "thread ") + lane.number;
const where = slice => laneName(lanes[rows[rowOf[slice]].lane]);

// ---- the timeline: its lines, from the top

const GUTTER = 190, AXIS = 24, ROW = 17, HEAD = 20, GAP = 5;
const lines = [], lineOfRow = [];
let height = 0;
facts.processes.forEach((process, number) => {
	const own = lanes.filter(lane => lane.process === number && lane.list.length);
	if (!own.length)
		return;
	lines.push({y: height, size: HEAD, text: processName(process)});
	height += HEAD;
	for (const lane of own.sort((a, b) => a.queue - b.queue || (a.queue ? laneName(a).localeCompare(laneName(b), "en", {numeric: true}) : 0))) {
		const block = {y: height, size: lane.list.length * ROW + GAP, text: laneName(lane), lane};
		lines.push(block);
		lane.list.forEach((row, depth) => { row.y = height + 2 + depth * ROW; });
		height += block.size;
	}
});

const canvas = byId("timeline"), pen = canvas.getContext("2d"), dark = matchMedia("(prefers-color-scheme: dark)");
let from = 0, to = total, top_ = 0, width = 0, tall = 0, selected = -1, selectedArrows = [], hovered = -1, pointer = null, wanted = false, matches = null, drawn = 0, frame = 0;
let colours = {};
// Some room on both sides.
const LEAST = -0.02 * total, MOST = 1.02 * total;

function view(a, b) {
	const least = 20;
	if (b - a < least) {
		const middle = (a + b) / 2;
		a = middle - least / 2;
		b = middle + least / 2;
	}
	if (b - a > MOST - LEAST)
		[a, b] = [LEAST, MOST];
	if (a < LEAST)
		[a, b] = [LEAST, b + LEAST - a];
	if (b > MOST)
		[a, b] = [a + MOST - b, MOST];
	from = a;
	to = b;
	redraw();
}
function scroll(y) {
	top_ = Math.max(0, Math.min(y, height - (tall - AXIS) + 10));
	redraw();
}
const xOf = t => GUTTER + (t - from) / (to - from) * (width - GUTTER);
const timeAt = x => from + (x - GUTTER) / (width - GUTTER) * (to - from);

function resize() {
	const ratio = devicePixelRatio || 1;
	width = canvas.clientWidth;
	tall = canvas.clientHeight;
	canvas.width = Math.round(width * ratio);
	canvas.height = Math.round(tall * ratio);
	pen.setTransform(ratio, 0, 0, ratio, 0, 0);
	scroll(top_);
}
function restyle() {
	const style = getComputedStyle(document.documentElement);
	for (const name of ["back", "front", "soft", "line", "bar", "accent", "bad", "row"])
		colours[name] = style.getPropertyValue("--" + name);
	for (const one of kinds)
		one.colour = one.failed ? colourOf(0, 75) : colourOf(one.hue, 45);
	redraw();
	flame.redraw();
}
const colourOf = (hue, full) => dark.matches ? `hsl(${hue} ${full}% 38%)` : `hsl(${hue} ${full + 20}% 72%)`;
function redraw() {
	if (!wanted) {
		wanted = true;
		requestAnimationFrame(draw);
	}
}

function shown(text, room) {
	const most = Math.floor(room / 6.3);
	return text.length <= most ? text : most < 3 ? "" : text.slice(0, most - 1) + "\u2026";
}

function drawRow(row, y) {
	const perPixel = (to - from) / (width - GUTTER), bottom = ROW - 2;
	let i = first(row.from, row.to, j => start[j] + duration[j] > from || start[j] >= from);
	while (i < row.to && start[i] <= to) {
		const one = kinds[kind[i]], long = duration[i] / perPixel;
		// Pixels stand on a grid of time, so that moving does not make them flicker.
		const pixel = Math.floor(start[i] / perPixel), edge = (pixel + 1) * perPixel;
		let next = i + 1;
		if (long < 1 && next < row.to && start[next] < edge) {
			let step = 1;
			while (next + step < row.to && start[next + step] < edge)
				step *= 2;
			next = first(next, Math.min(row.to, next + step), j => start[j] >= edge);
			// A long one that begins in this pixel is the last there.
			if (start[next - 1] + duration[next - 1] > edge && next - 1 > i)
				next--;
			let match = !matches;
			for (let j = i; !match && j < next && j < i + 64; j++)
				match = matches[kind[j]];
			pen.globalAlpha = (match ? 1 : 0.2) * Math.min(1, 0.5 + 0.5 * (busy[next] - busy[i]) / perPixel);
			pen.fillStyle = one.colour;
			pen.fillRect(xOf(pixel * perPixel), y, 1.2, bottom);
		} else {
			const x = Math.max(xOf(start[i]), GUTTER - 1), end = Math.min(xOf(start[i] + duration[i]), width + 1), size = Math.max(end - x, 1);
			pen.globalAlpha = !matches || matches[kind[i]] ? 1 : 0.2;
			pen.fillStyle = one.colour;
			pen.fillRect(x, y, size > 3 ? size - 0.5 : size, bottom);
			if (size > 24) {
				pen.fillStyle = colours.front;
				pen.fillText(shown(one.name, size - 6), x + 3, y + bottom / 2 + 0.5);
			}
		}
		drawn++;
		i = next;
	}
	pen.globalAlpha = 1;
}

function outline(slice, colour) {
	const row = rows[rowOf[slice]], x = Math.max(xOf(start[slice]), GUTTER - 3), end = Math.min(xOf(start[slice] + duration[slice]), width + 3);
	if (end < GUTTER || x > width)
		return;
	pen.strokeStyle = colour;
	pen.lineWidth = 2;
	pen.strokeRect(x - 1, AXIS + row.y - top_ - 1, Math.max(end - x, 1) + 2, ROW);
}

function middleOf(slice, lane) {
	const row = slice >= 0 ? rows[rowOf[slice]] : lane.list[0];
	return row ? AXIS + row.y - top_ + ROW / 2 : 0;
}

function drawArrow(one, slice) {
	const a = one.arrow, source = one.out ? slice : one.other, target = one.out ? one.other : slice;
	const x1 = xOf(a.from), y1 = middleOf(source, lanes[a.fromLane]), x2 = xOf(a.to), y2 = middleOf(target, lanes[a.toLane]);
	if (Math.max(x1, x2) < GUTTER || Math.min(x1, x2) > width)
		return;
	const bend = Math.min(80, Math.max(20, Math.abs(x2 - x1) / 2));
	pen.strokeStyle = pen.fillStyle = colours.accent;
	pen.lineWidth = 1.5;
	pen.beginPath();
	pen.moveTo(x1, y1);
	pen.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
	pen.stroke();
	pen.beginPath();
	pen.moveTo(x2, y2);
	pen.lineTo(x2 - 7, y2 - 4);
	pen.lineTo(x2 - 7, y2 + 4);
	pen.fill();
}

function drawAxis() {
	const wish = (to - from) / Math.max(2, (width - GUTTER) / 110), power = Math.pow(10, Math.floor(Math.log10(wish)));
	const step = [1, 2, 5, 10].map(n => n * power).find(n => n >= wish), size = Math.max(Math.abs(from), Math.abs(to));
	const digits = Math.max(0, Math.ceil(Math.log10((size >= 1e9 ? 1e9 : size >= 1e6 ? 1e6 : size >= 1e3 ? 1e3 : 1) / step)));
	const [unit, word] = size >= 1e9 ? [1e9, "s"] : size >= 1e6 ? [1e6, "ms"] : size >= 1e3 ? [1e3, "us"] : [1, "ns"];
	pen.fillStyle = colours.bar;
	pen.fillRect(0, 0, width, AXIS);
	for (let t = Math.ceil(from / step) * step; t <= to; t += step) {
		pen.fillStyle = colours.line;
		pen.fillRect(xOf(t), AXIS - 5, 1, tall);
		pen.fillStyle = colours.soft;
		pen.fillText((t / unit).toFixed(digits) + " " + word, xOf(t) + 3, AXIS / 2);
	}
	pen.fillStyle = colours.bar;
	pen.fillRect(0, 0, GUTTER, AXIS);
	pen.fillStyle = colours.soft;
	pen.fillText(time(to - from) + " shown", 8, AXIS / 2);
	pen.fillStyle = colours.line;
	pen.fillRect(0, AXIS - 1, width, 1);
}

function draw() {
	const began = performance.now();
	wanted = false;
	drawn = 0;
	pen.textBaseline = "middle";
	pen.font = "11px system-ui, sans-serif";
	pen.fillStyle = colours.back;
	pen.fillRect(0, 0, width, tall);
	drawAxis();
	pen.save();
	pen.beginPath();
	pen.rect(0, AXIS, width, tall - AXIS);
	pen.clip();
	for (const line of lines) {
		const y = AXIS + line.y - top_;
		if (y > tall || y + line.size < AXIS || !line.lane)
			continue;
		for (const row of line.lane.list)
			if (AXIS + row.y - top_ + ROW > AXIS && AXIS + row.y - top_ < tall)
				drawRow(row, AXIS + row.y - top_);
	}
	if (selected >= 0) {
		for (const one of selectedArrows)
			drawArrow(one, selected);
		outline(selected, colours.accent);
	}
	if (hovered >= 0 && hovered !== selected)
		outline(hovered, colours.front);
	for (const line of lines) {
		const y = AXIS + line.y - top_;
		if (y > tall || y + line.size < AXIS)
			continue;
		pen.fillStyle = line.lane ? colours.back : colours.bar;
		pen.fillRect(0, y, line.lane ? GUTTER - 2 : width, line.size);
		pen.fillStyle = colours.line;
		pen.fillRect(0, y + line.size - 1, width, 1);
		pen.fillStyle = line.lane ? colours.soft : colours.front;
		pen.fillText(shown(line.text, line.lane ? GUTTER - 16 : width), line.lane ? 14 : 8, y + (line.lane ? 2 + ROW / 2 : HEAD / 2));
	}
	pen.fillStyle = colours.line;
	pen.fillRect(GUTTER - 2, AXIS, 1, tall);
	pen.restore();
	if (height > tall - AXIS) {
		const room = tall - AXIS;
		pen.fillStyle = colours.soft;
		pen.globalAlpha = 0.5;
		pen.fillRect(width - 6, AXIS + top_ / (height + 10) * room, 4, room * room / (height + 10));
		pen.globalAlpha = 1;
	}
	if (!count) {
		pen.fillStyle = colours.soft;
		pen.fillText("The trace has no slices.", GUTTER + 20, AXIS + 30);
	}
	frame = performance.now() - began;
}

function hit(x, y) {
	if (x < GUTTER || y < AXIS)
		return -1;
	const at = y - AXIS + top_, line = lines.find(one => one.lane && at >= one.y && at < one.y + one.size);
	const row = line && line.lane.list[Math.floor((at - line.y - 2) / ROW)];
	if (!row)
		return -1;
	const perPixel = (to - from) / (width - GUTTER), t = timeAt(x);
	const i = first(row.from, row.to, j => start[j] > t) - 1;
	if (i >= row.from && start[i] + duration[i] >= t)
		return i;
	// The nearest within three pixels.
	const before = i >= row.from ? t - start[i] - duration[i] : Infinity, after = i + 1 < row.to ? start[i + 1] - t : Infinity;
	return Math.min(before, after) > 3 * perPixel ? -1 : before < after ? i : i + 1;
}

// ---- hovering and selecting

function element(tag, text, className) {
	const made = document.createElement(tag);
	if (text !== undefined)
		made.textContent = text;
	if (className)
		made.className = className;
	return made;
}
const asText = value => typeof value === "string" ? value : JSON.stringify(value);

const tip = byId("tip");
function placeTip(event) {
	tip.style.left = Math.max(0, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 6)) + "px";
	tip.style.top = Math.max(0, Math.min(event.clientY + 16, innerHeight - tip.offsetHeight - 6)) + "px";
}
function hover(slice) {
	if (slice !== hovered) {
		hovered = slice;
		redraw();
		tip.replaceChildren();
		if (slice >= 0) {
			const one = kinds[kind[slice]];
			tip.append(element("b", one.name, one.failed ? "failed" : ""), element("div", time(duration[slice]) + ", at " + time(start[slice], 6) + (one.failed ? ", failed" : "") + (one.unended ? ", has no end" : "")));
			for (const [name, value] of Object.entries(argumentsOf(slice)))
				tip.append(element("div", name + ": " + asText(value)));
		}
	}
	tip.hidden = slice < 0;
	if (slice >= 0 && pointer)
		placeTip(pointer);
}

function select(slice, andShow) {
	selected = slice;
	selectedArrows = slice >= 0 ? arrowsOf(slice) : [];
	if (slice >= 0) {
		if (andShow)
			focus(slice);
		openTab("Selection");
	} else if (openedTab === "Selection") {
		openTab("Selection");
	}
	redraw();
}
function reveal(slice) {
	const y = rows[rowOf[slice]].y;
	if (y < top_ || y + ROW > top_ + tall - AXIS)
		scroll(y - (tall - AXIS) / 2);
}
function focus(slice) {
	const around = Math.max(duration[slice] * 2, 200);
	view(start[slice] - around, start[slice] + duration[slice] + around);
	reveal(slice);
}

// ---- searching

const search = byId("search"), found = byId("found");
let matchCount = 0;
function find(text) {
	const lower = text.trim().toLowerCase();
	matches = null;
	matchCount = 0;
	if (lower) {
		matches = kinds.map(one => one.lower.includes(lower));
		for (let i = 0; i < count; i++)
			if (matches[kind[i]])
				matchCount++;
	}
	flame.search(lower);
	found.textContent = lower ? grouped(matchCount) + (matchCount === 1 ? " match" : " matches") : "";
	redraw();
}
// From match to match, in the order of time, then of rows.
function step(forward) {
	if (!matches || !matchCount)
		return;
	const t = selected >= 0 ? start[selected] : forward ? -1 : Infinity, own = selected >= 0 ? rowOf[selected] : -1;
	const is = forward ? (a, b) => a < b : (a, b) => a > b;
	let best = -1;
	rows.forEach((row, number) => {
		const same = forward ? number > own : number < own;
		let i = forward ? first(row.from, row.to, j => same ? start[j] >= t : start[j] > t) : first(row.from, row.to, j => same ? start[j] > t : start[j] >= t) - 1;
		for (; i >= row.from && i < row.to; i += forward ? 1 : -1) {
			if (best >= 0 && !is(start[i], start[best]))
				break;
			if (matches[kind[i]]) {
				best = i;
				break;
			}
		}
	});
	if (best >= 0) {
		const span = to - from;
		select(best);
		if (start[best] < from || start[best] + duration[best] > to || duration[best] < span / 200)
			focus(best);
		reveal(best);
	}
}

// ---- tables

const panel = byId("panel"), tabs = byId("tabs"), contents = new Map();
let openedTab = "";
function openTab(name) {
	openedTab = name;
	for (const tab of tabs.children)
		tab.classList.toggle("on", tab.textContent === name);
	panel.replaceChildren();
	contents.get(name)();
}
function addTab(name, fill) {
	const tab = element("button", name);
	tab.addEventListener("click", () => openTab(name));
	tabs.append(tab);
	contents.set(name, fill);
}

function cell(key, value) {
	if (value === null || value === undefined)
		return "-";
	if (typeof value !== "number")
		return asText(value);
	if (/_ns$/.test(key))
		return time(value);
	if (/share|utilisation|utilization|busy$|idle$/.test(key))
		return (value * 100).toFixed(1) + " %";
	return Number.isInteger(value) ? grouped(value) : value.toPrecision(4);
}
const title = key => (key.charAt(0).toUpperCase() + key.slice(1)).replace(/_(ns|bytes)$/, "").replace(/_/g, " ");

// Rows are objects; a click on a column's title sorts, a click on a row calls `link`.
const MOST_ROWS = 2000;
function addTable(columns, list, link) {
	const table = element("table"), head = element("tr"), body = element("tbody"), whole = element("thead");
	let sorted = "", down = true;
	const fill = () => {
		body.replaceChildren();
		for (const row of list.slice(0, MOST_ROWS)) {
			const line = element("tr", undefined, link ? "link" : "");
			for (const key of columns)
				line.append(element("td", cell(key, row[key]), (typeof row[key] === "string" ? "text" : "") + (row.bad && key === columns[0] ? " failed" : "")));
			if (link)
				line.addEventListener("click", () => link(row));
			body.append(line);
		}
	};
	for (const key of columns) {
		const one = element("th", title(key), list.some(row => typeof row[key] === "string") ? "text" : "");
		one.addEventListener("click", () => {
			down = sorted === key ? !down : one.className !== "text";
			sorted = key;
			list = [...list].sort((a, b) => {
				const x = a[key], y = b[key], order = x === y ? 0 : x === null || x === undefined ? -1 : y === null || y === undefined ? 1 : x < y ? -1 : 1;
				return down ? -order : order;
			});
			for (const other of head.children)
				other.textContent = title(columns[[...head.children].indexOf(other)]) + (other === one ? down ? " \u25be" : " \u25b4" : "");
			fill();
		});
		head.append(one);
	}
	whole.append(head);
	table.append(whole, body);
	fill();
	panel.append(table);
	if (list.length > MOST_ROWS)
		panel.append(element("p", "The first " + grouped(MOST_ROWS) + " of " + grouped(list.length) + " rows."));
}

const sliceRow = slice => ({name: kinds[kind[slice]].name, where: where(slice), start_ns: start[slice], duration_ns: duration[slice], slice, bad: kinds[kind[slice]].failed});
const SLICE_COLUMNS = ["name", "where", "start_ns", "duration_ns"];

function showSelection() {
	if (selected < 0) {
		panel.append(element("p", "Click a slice to see its arguments and its arrows. w a s d zoom and move; ? lists all keys."));
		return;
	}
	const one = kinds[kind[selected]], row = rows[rowOf[selected]], table = element("table");
	const pairs = [["name", one.name], ["where", processName(facts.processes[lanes[row.lane].process]) + ", " + where(selected)],
		["start", time(start[selected], 6)], ["duration", time(duration[selected])], ["categories", one.categories.join(", ")]];
	if (one.failed)
		pairs.push(["failed", "yes"]);
	if (one.unended)
		pairs.push(["end", "none in the trace"]);
	for (const [name, value] of pairs.concat(Object.entries(argumentsOf(selected)))) {
		const line = element("tr");
		line.append(element("td", name, "text"), element("td", asText(value), "value"));
		table.append(line);
	}
	panel.append(element("h3", "Slice"), table);
	if (stacks[selected]) {
		const stack = element("table");
		for (const name of callersOf(selected)) {
			const line = element("tr");
			line.append(element("td", name, "value"));
			stack.append(line);
		}
		panel.append(element("h3", "Called by"), stack);
	}
	if (selectedArrows.length) {
		panel.append(element("h3", "Arrows"));
		addTable(["direction", ...SLICE_COLUMNS], selectedArrows.map(arrow => arrow.other < 0 ? {direction: arrow.out ? "to" : "from", name: "nothing there", slice: -1} :
			Object.assign({direction: arrow.out ? "to" : "from"}, sliceRow(arrow.other))), line => line.slice >= 0 && select(line.slice, true));
	}
}

// The ten longest of calls, of each kind of commands, and of the rest.
const group = one => one.device ? one.categories.includes("kernel") ? "Kernels" : one.categories.find(word => /^(read|write|copy|fill|map|unmap|migrate)$/.test(word)) ? "Transfers" : "Commands of devices" : "Calls and events";
function showSlowest() {
	const groups = new Map(), names = kinds.map(group);
	for (let i = 0; i < count; i++) {
		const name = names[kind[i]];
		let list = groups.get(name);
		if (!list)
			groups.set(name, list = []);
		if (list.length === 10 && duration[list[9]] >= duration[i])
			continue;
		list.splice(first(0, list.length, j => duration[list[j]] < duration[i]), 0, i);
		list.length = Math.min(list.length, 10);
	}
	for (const [name, list] of groups) {
		panel.append(element("h3", name));
		addTable(SLICE_COLUMNS, list.map(sliceRow), row => select(row.slice, true));
	}
}

const failures = [];
for (let i = 0; i < count; i++)
	if (kinds[kind[i]].failed)
		failures.push(i);
function showFailed() {
	if (!failures.length)
		panel.append(element("p", "No call failed."));
	else
		addTable([...SLICE_COLUMNS, "result"], failures.sort((a, b) => start[a] - start[b]).map((slice, i) => {
			const values = i < MOST_ROWS ? argumentsOf(slice) : {};
			return Object.assign(sliceRow(slice), {result: asText(values.return ?? values.result ?? values.returns ?? "-")});
		}), row => select(row.slice, true));
}

function addPairs(value, name) {
	const table = element("table"), put = (key, part) => {
		if (part && typeof part === "object" && !Array.isArray(part)) {
			for (const [word, inner] of Object.entries(part))
				put(key ? key + "." + word : word, inner);
			return;
		}
		const line = element("tr");
		line.append(element("td", key, "text"), element("td", asText(part), "value"));
		table.append(line);
	};
	put("", value);
	panel.append(element("h3", name), table);
}
function showMachine() {
	facts.processes.forEach(process => {
		if (process.facts)
			addPairs(process.facts, processName(process) + ", of " + facts.files[process.file]);
	});
	if (!panel.children.length)
		panel.append(element("p", "The trace says nothing of its machine."));
}

const FLAME = "Flame graph", flameHues = new Map();
let flameWanted = false;
const flame = flameGraph({
	lanes, start, duration, kind, kinds, stacks, texts, element, time, grouped, shown, colours, panel, frames: facts.frames,
	// Functions that called are paler than calls that were traced.
	colourOf(text, isFrame) {
		if (!flameHues.has(text))
			flameHues.set(text, hueOf(texts[text]));
		return colourOf(flameHues.get(text), isFrame ? 12 : 45);
	},
	showTip(lines, event) {
		tip.hidden = !lines;
		if (lines) {
			tip.replaceChildren(...lines);
			placeTip(event);
		}
	},
});
function openFlame() {
	flameWanted = true;
	openTab(FLAME);
	flameWanted = false;
}

const linkName = row => {
	const name = row.function ?? row.kernel ?? row.name ?? row.event ?? Object.values(row).find(value => typeof value === "string");
	search.value = name;
	find(name);
	selected = -1;
	step(true);
};
addTab("Selection", showSelection);
for (const table of facts.summary.tables)
	if (table.rows.length)
		addTab(title(table.table), () => addTable(Object.keys(table.rows[0]), table.rows, linkName));
addTab(FLAME, () => flame.show(flameWanted));
addTab("Slowest", showSlowest);
addTab("Failed" + (failures.length ? " (" + grouped(failures.length) + ")" : ""), showFailed);
addTab("Machine", showMachine);

// ---- the hand

function zoom(factor, x) {
	const t = timeAt(Math.max(x, GUTTER));
	view(t - (t - from) * factor, t + (to - t) * factor);
}
let drag = null;
canvas.addEventListener("pointerdown", event => {
	canvas.focus();
	drag = {x: event.offsetX, y: event.offsetY, from, to, top: top_, moved: false};
	canvas.setPointerCapture(event.pointerId);
});
canvas.addEventListener("pointermove", event => {
	pointer = event;
	if (drag) {
		const x = event.offsetX - drag.x, y = event.offsetY - drag.y;
		drag.moved ||= Math.abs(x) + Math.abs(y) > 3;
		if (drag.moved) {
			const move = x / (width - GUTTER) * (drag.to - drag.from);
			view(drag.from - move, drag.to - move);
			scroll(drag.top - y);
			hover(-1);
		}
		return;
	}
	hover(hit(event.offsetX, event.offsetY));
});
canvas.addEventListener("pointerup", event => {
	if (drag && !drag.moved)
		select(hit(event.offsetX, event.offsetY));
	drag = null;
});
canvas.addEventListener("pointerleave", () => { if (!drag) hover(-1); });
canvas.addEventListener("wheel", event => {
	event.preventDefault();
	if (event.ctrlKey || event.metaKey)
		zoom(Math.exp(event.deltaY * 0.002), event.offsetX);
	else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
		const move = (event.deltaX || event.deltaY) / (width - GUTTER) * (to - from);
		view(from + move, to + move);
	} else
		scroll(top_ + event.deltaY);
	hover(-1);
}, {passive: false});

const keys = byId("keys"), middle = () => pointer && hoveredCanvas() ? pointer.offsetX : GUTTER + (width - GUTTER) / 2;
const hoveredCanvas = () => canvas.matches(":hover");
const move = share => view(from + share * (to - from), to + share * (to - from));
const neighbour = by => {
	const row = selected >= 0 && rows[rowOf[selected]];
	if (row && selected + by >= row.from && selected + by < row.to) {
		select(selected + by);
		if (start[selected] < from || start[selected] + duration[selected] > to)
			focus(selected);
	}
};
const actions = {
	w: () => zoom(0.7, middle()), s: () => zoom(1 / 0.7, middle()), a: () => move(-0.15), d: () => move(0.15),
	f: () => selected >= 0 && focus(selected), "[": () => neighbour(-1), "]": () => neighbour(1), "0": () => view(LEAST, MOST),
	"/": () => { search.focus(); search.select(); }, "?": () => keys.open ? keys.close() : keys.showModal(),
	Escape: () => { search.value = ""; find(""); select(-1); flame.choose(-1); },
	g: openFlame,
};
document.addEventListener("keydown", event => {
	if (event.ctrlKey || event.metaKey || event.altKey)
		return;
	if (event.target === search) {
		if (event.key === "Enter")
			step(!event.shiftKey);
		else if (event.key === "Escape") {
			actions.Escape();
			canvas.focus();
		}
		return;
	}
	if (!keys.open && flame.key(event.key)) {
		event.preventDefault();
		return;
	}
	const action = Object.hasOwn(actions, event.key) && actions[event.key];
	if (!action || (keys.open && event.key !== "?"))
		return;
	event.preventDefault();
	action();
});
search.addEventListener("input", () => find(search.value));
byId("next").addEventListener("click", () => step(true));
byId("previous").addEventListener("click", () => step(false));
byId("all").addEventListener("click", actions[0]);
byId("help").addEventListener("click", actions["?"]);
byId("split").addEventListener("pointerdown", event => {
	const split = event.currentTarget;
	split.setPointerCapture(event.pointerId);
	split.onpointermove = moved => {
		canvas.style.height = Math.max(80, Math.min(innerHeight - 120, moved.clientY - canvas.getBoundingClientRect().top)) + "px";
		resize();
	};
	split.onpointerup = () => { split.onpointermove = null; };
});

byId("about").textContent = facts.files.join(", ") + " \u2014 " + grouped(count) + (count === 1 ? " slice" : " slices") + ", " + time(facts.last - facts.first) + ", " + facts.maker;
document.title = facts.files.join(", ") + " \u2014 tracelayer";
dark.addEventListener("change", restyle);
addEventListener("resize", resize);
restyle();
resize();
view(LEAST, MOST);
openTab(tabs.children.length > 1 && facts.summary.tables.some(table => table.rows.length) ? tabs.children[1].textContent : "Selection");
canvas.focus();

// What a test looks at.
window.report = {
	get view() { return [from, to]; }, get selected() { return selected; }, get hovered() { return hovered; }, get arrows() { return selectedArrows; },
	get matches() { return matchCount; }, get drawn() { return drawn; }, get frame() { return frame; }, count,
	flame, callers: callersOf,
	slice: i => ({name: kinds[kind[i]].name, start: start[i], duration: duration[i], lane: laneName(lanes[rows[rowOf[i]].lane]), args: argumentsOf(i)}),
	place: i => [xOf(start[i] + duration[i] / 2), canvas.getBoundingClientRect().top + AXIS + rows[rowOf[i]].y - top_ + ROW / 2],
	draw,
};
})();
