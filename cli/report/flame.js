// SPDX-License-Identifier: MIT
// flame.js: the flame graph of the page of `tracelayer report`: who called, if the trace has stacks, and what was called within what.
// Each row is a step further in, so that it reads from the top, as the timeline does. Names reach the page by textContent and fillText only.
"use strict";

// `callers`: by the functions that called; calls without a stack do not count. Else by the slices that a slice lies in.
// A node's parent comes before the node. `total` has what is below, too; `frames`: it is a function that called, and no slice.
function flameTree(page, callers) {
	const {lanes, start, duration, kind, kinds, stacks, frames, texts} = page;
	const tree = {text: [-1], parent: [-1], depth: [0], count: [0], self: [0], failed: [0], frame: [true], children: [[]], left: 0, deepest: 0};
	const known = new Map(), ofFrame = [0], ofSlice = new Int32Array(start.length), inside = new Int32Array(start.length);

	function child(parent, text, frame) {
		const key = (parent * 2 + frame) * texts.length + text;
		let node = known.get(key);
		if (node === undefined) {
			node = tree.text.length;
			known.set(key, node);
			tree.text.push(text);
			tree.parent.push(parent);
			tree.depth.push(tree.depth[parent] + 1);
			tree.deepest = Math.max(tree.deepest, tree.depth[node]);
			tree.frame.push(!!frame);
			for (const sums of [tree.count, tree.self, tree.failed])
				sums.push(0);
			tree.children.push([]);
			tree.children[parent].push(node);
		}
		return node;
	}
	function frameNode(frame) {
		const way = [];
		for (; ofFrame[frame] === undefined; frame = frames[2 * frame - 2])
			way.push(frame);
		let node = ofFrame[frame];
		while (way.length) {
			frame = way.pop();
			node = ofFrame[frame] = child(node, frames[2 * frame - 1], 1);
		}
		return node;
	}
	function add(i, outer) {
		if (callers && !stacks[i]) {
			inside[i] = outer;
			tree.left++;
			return;
		}
		const node = child(callers ? frameNode(stacks[i]) : outer < 0 ? 0 : ofSlice[outer], kinds[kind[i]].text, 0);
		inside[i] = i;
		ofSlice[i] = node;
		tree.count[node]++;
		tree.count[0]++;
		tree.self[node] += duration[i];
		if (kinds[kind[i]].failed) {
			tree.failed[node]++;
			tree.failed[0]++;
		}
		if (outer >= 0)
			tree.self[ofSlice[outer]] -= Math.min(duration[i], start[outer] + duration[outer] - start[i]);
	}
	for (const lane of lanes)
		if (!lane.queue)
			lane.list.forEach((row, depth) => {
				const above = lane.list[depth - 1];
				for (let i = row.from, outer = above ? above.from : 0; i < row.to; i++) {
					while (above && outer < above.to && start[outer] + duration[outer] <= start[i])
						outer++;
					const lies = above && outer < above.to && start[outer] <= start[i];
					add(i, lies ? inside[outer] : -1);
				}
			});
	const count = tree.text.length;
	tree.self = tree.self.map(ns => Math.max(ns, 0));
	tree.total = [...tree.self];
	for (let node = count - 1; node > 0; node--) {
		const parent = tree.parent[node];
		tree.total[parent] += tree.total[node];
		if (tree.frame[parent] && parent) {
			tree.count[parent] += tree.count[node];
			tree.failed[parent] += tree.failed[node];
		}
	}
	// Where each begins, in nanoseconds from the left. The longest comes first.
	tree.from = new Array(count).fill(0);
	for (let node = 0; node < count; node++) {
		let at = tree.from[node];
		for (const one of tree.children[node].sort((a, b) => tree.total[b] - tree.total[a])) {
			tree.from[one] = at;
			at += tree.total[one];
		}
	}
	return tree;
}

function flameGraph(page) {
	const {texts, element, time, grouped, shown, colours, showTip} = page, ROW = 18;
	const head = element("div", undefined, "flamehead"), body = element("div"), canvas = element("canvas"), pen = canvas.getContext("2d");
	const trees = new Map(), hasStacks = page.frames.length > 0;
	let callers = hasStacks, tree = null, zoomed = 0, past = [], chosen = -1, hovered = -1, wanted = false, width = 0, tall = 0, search = "", matches = null, matched = 0;

	const nameOf = node => node ? texts[tree.text[node]] : "all";
	const share = (part, whole) => (whole ? part / whole * 100 : 0).toFixed(1) + " %";
	const calls = node => grouped(tree.count[node]) + (callers ? " call" : " slice") + (tree.count[node] === 1 ? "" : "s");

	function linesOf(node) {
		const whole = tree.total[0], lines = [calls(node) + (tree.failed[node] ? ", " + grouped(tree.failed[node]) + " failed" : "")];
		lines.push("total " + time(tree.total[node]) + ", " + share(tree.total[node], whole) + " of all");
		if (zoomed && node !== zoomed && isWithin(node, zoomed))
			lines.push(share(tree.total[node], tree.total[zoomed]) + " of " + nameOf(zoomed));
		lines.push("self " + time(tree.self[node]) + ", " + share(tree.self[node], whole) + " of all");
		return lines;
	}
	function isWithin(node, outer) {
		while (tree.depth[node] > tree.depth[outer])
			node = tree.parent[node];
		return node === outer;
	}

	// ---- drawing

	const scale = () => width / Math.max(tree.total[zoomed], 1);
	const offset = () => canvas.getBoundingClientRect().top - body.getBoundingClientRect().top;
	// Callers of the zoomed one have the whole width.
	function extent(node) {
		if (tree.depth[node] <= tree.depth[zoomed])
			return [0, width];
		return [(tree.from[node] - tree.from[zoomed]) * scale(), tree.total[node] * scale()];
	}

	function drawNode(node, top) {
		const [x, size] = extent(node), y = tree.depth[node] * ROW - top;
		if (y < -ROW || y > tall)
			return;
		pen.globalAlpha = (!matches || matches[node] ? 1 : 0.25) * (node && tree.depth[node] < tree.depth[zoomed] ? 0.6 : 1);
		pen.fillStyle = node ? page.colourOf(tree.text[node], tree.frame[node]) : colours.bar;
		pen.fillRect(x, y, Math.max(size - 1, 0.6), ROW - 1);
		if (size > 24) {
			pen.fillStyle = colours.front;
			pen.fillText(shown(nameOf(node) + (node ? "" : ", " + calls(0) + ", " + time(tree.total[0])), size - 8), x + 4, y + ROW / 2);
		}
		pen.globalAlpha = 1;
		if (node !== chosen && node !== hovered)
			return;
		pen.strokeStyle = node === chosen ? colours.accent : colours.front;
		pen.lineWidth = 2;
		pen.strokeRect(x + 1, y + 1, Math.max(size - 3, 1), ROW - 3);
	}

	function draw() {
		wanted = false;
		if (!canvas.isConnected)
			return;
		const top = offset(), left = [zoomed];
		pen.fillStyle = colours.back;
		pen.fillRect(0, 0, width, tall);
		pen.textBaseline = "middle";
		pen.font = "11px system-ui, sans-serif";
		for (let node = tree.parent[zoomed]; node >= 0; node = tree.parent[node])
			drawNode(node, top);
		while (left.length) {
			const node = left.pop();
			drawNode(node, top);
			// What is below the picture, or narrower than half a pixel, is not seen; the longest come first.
			if ((tree.depth[node] + 1) * ROW - top > tall)
				continue;
			for (const one of tree.children[node]) {
				if (tree.total[one] * scale() < 0.5)
					break;
				left.push(one);
			}
		}
	}
	function redraw() {
		if (!wanted) {
			wanted = true;
			requestAnimationFrame(draw);
		}
	}
	function resize() {
		if (!canvas.isConnected)
			return;
		const ratio = devicePixelRatio || 1, whole = (tree.deepest + 1) * ROW;
		body.style.height = whole + "px";
		tall = Math.max(3 * ROW, Math.min(whole, page.panel.clientHeight - head.offsetHeight - 8));
		canvas.style.height = tall + "px";
		canvas.style.top = head.offsetHeight - 8 + "px";
		width = body.clientWidth;
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(tall * ratio);
		pen.setTransform(ratio, 0, 0, ratio, 0, 0);
		draw();
	}

	// ---- the line above

	const back = element("button", "Back"), all = element("button", "All"), about = element("span", undefined, "about"), kinds = [];
	function describe() {
		back.disabled = !past.length;
		all.disabled = !zoomed;
		for (const [button, is] of kinds)
			button.setAttribute("aria-pressed", String(is === callers));
		const words = chosen >= 0 ? [nameOf(chosen) + ": " + linesOf(chosen).join("; ")] : [];
		if (matches)
			words.push(share(matched, tree.total[0]) + " of the time is in what matches the search");
		if (!words.length) {
			words.push("A click zooms in.");
			if (tree.left)
				words.push(grouped(tree.left) + (tree.left === 1 ? " slice" : " slices") + " without a stack are not here.");
		}
		about.textContent = words.join(matches ? " \u2014 " : " ");
	}
	function choose(node) {
		chosen = node;
		describe();
		// Twice: the picture moves along until it has its place below the line.
		for (let i = 0; node >= 0 && i < 2; i++) {
			const y = tree.depth[node] * ROW, top = offset();
			if (y < top || y + ROW > top + tall)
				page.panel.scrollTop += y < top ? y - top : y + ROW - top - tall;
		}
		redraw();
	}

	// ---- what is looked at

	function zoom(node) {
		if (node === zoomed)
			return;
		past.push(zoomed);
		zoomed = node;
		choose(chosen >= 0 && !isWithin(chosen, node) ? node : chosen);
	}
	function goBack() {
		if (past.length) {
			zoomed = past.pop();
			choose(chosen);
		}
	}
	function match() {
		matches = search ? tree.text.map(text => text >= 0 && texts[text].toLowerCase().includes(search)) : null;
		matched = 0;
		const within = [];
		for (let node = 1; matches && node < tree.text.length; node++) {
			const parent = tree.parent[node];
			within[node] = matches[node] || within[parent];
			matched += matches[node] && !within[parent] ? tree.total[node] : 0;
		}
	}
	function setTree(is) {
		callers = is;
		if (!trees.has(is))
			trees.set(is, flameTree(page, is));
		tree = trees.get(is);
		zoomed = 0;
		past = [];
		chosen = hovered = -1;
		match();
	}

	// ---- the hand

	function hit(x, y) {
		const depth = Math.floor((y + offset()) / ROW), deepest = tree.depth[zoomed];
		let node = zoomed;
		while (tree.depth[node] > depth && node > 0)
			node = tree.parent[node];
		if (depth <= deepest)
			return tree.depth[node] === depth ? node : -1;
		const at = x / scale() + tree.from[zoomed];
		while (tree.depth[node] < depth) {
			const next = tree.children[node].find(one => at >= tree.from[one] && at < tree.from[one] + tree.total[one]);
			if (next === undefined)
				return -1;
			node = next;
		}
		return node;
	}
	function hover(node, event) {
		if (node !== hovered) {
			hovered = node;
			redraw();
		}
		showTip(node < 0 ? null : [element("b", nameOf(node)), ...linesOf(node).map(line => element("div", line))], event);
	}
	canvas.addEventListener("pointermove", event => hover(hit(event.offsetX, event.offsetY), event));
	canvas.addEventListener("pointerleave", () => hover(-1));
	canvas.addEventListener("click", event => {
		const node = hit(event.offsetX, event.offsetY);
		if (node >= 0) {
			zoom(node);
			hover(-1);
		}
	});
	const sibling = by => {
		const own = tree.children[tree.parent[chosen]] || [chosen];
		return own[own.indexOf(chosen) + by] ?? chosen;
	};
	const actions = {
		ArrowUp: () => choose(Math.max(tree.parent[chosen], 0)), ArrowDown: () => choose(tree.children[chosen][0] ?? chosen),
		ArrowLeft: () => choose(sibling(-1)), ArrowRight: () => choose(sibling(1)),
		Enter: () => zoom(chosen), Backspace: goBack, "0": () => zoom(0),
	};
	// True: the key is the flame graph's.
	function key(name) {
		if (document.activeElement !== canvas || !Object.hasOwn(actions, name))
			return false;
		if (chosen < 0 && name !== "Backspace" && name !== "0")
			choose(zoomed);
		else
			actions[name]();
		return true;
	}
	back.addEventListener("click", goBack);
	all.addEventListener("click", () => zoom(0));
	back.title = "what was shown before (Backspace)";
	all.title = "all of the flame graph (0)";
	if (hasStacks)
		for (const [word, is, title] of [["Callers", true, "by the functions that called"], ["Nesting", false, "by calls and marks within each other"]]) {
			const button = element("button", word);
			button.title = title;
			button.addEventListener("click", () => {
				setTree(is);
				describe();
				resize();
			});
			kinds.push([button, is]);
			head.append(button);
		}
	head.append(back, all, about);
	body.className = "flame";
	canvas.tabIndex = 0;
	canvas.setAttribute("aria-label", "flame graph");
	about.setAttribute("aria-live", "polite");
	body.append(canvas);
	new ResizeObserver(resize).observe(page.panel);
	page.panel.addEventListener("scroll", () => canvas.isConnected && redraw());

	return {
		show(andFocus) {
			if (!tree)
				setTree(callers);
			if (!tree.children[0].length) {
				page.panel.append(element("p", "The trace has no calls."));
				return;
			}
			page.panel.append(head, body);
			describe();
			resize();
			if (andFocus)
				canvas.focus();
		},
		search(lower) {
			search = lower;
			if (tree) {
				match();
				describe();
				redraw();
			}
		},
		choose: node => tree && choose(node),
		redraw, key,
		// What a test looks at.
		get nodes() { return tree.text.map((_, node) => ({name: nameOf(node), parent: tree.parent[node], depth: tree.depth[node], count: tree.count[node], self: tree.self[node], total: tree.total[node], frame: tree.frame[node]})); },
		get zoomed() { return zoomed; }, get chosen() { return chosen; }, get hovered() { return hovered; }, get matched() { return matches ? matched : -1; }, get left() { return tree.left; },
		place(node) {
			const [x, size] = extent(node), box = canvas.getBoundingClientRect();
			return [box.x + x + size / 2, box.y + tree.depth[node] * ROW - offset() + ROW / 2, size];
		},
	};
}
