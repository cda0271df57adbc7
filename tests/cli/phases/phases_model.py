# SPDX-License-Identifier: MIT
# The rules of NNAPI's timing statistics once more, as plainly as they can be written, and with the regular expressions that they are made of:
# random traces must give the same JSON, or be refused by both.
#
#	phases_model.py TRACELAYER ROUNDS [SEED]	random traces
#	phases_model.py TRACELAYER FILE...		these
import json, os, random, re, subprocess, sys, tempfile

NEW = re.compile(r"^\s*([^ ].{1,15})-(\d+)\s+\(\s*([-0-9]+)\) .* (\d+\.\d+): tracing_mark_write: ([BE].*)$")
OLD = re.compile(r"^\s*([^ ].{1,15})-(\d+) .* (\d+\.\d+): tracing_mark_write: ([BE].*)$")
TAG = re.compile(r"B\|\d+\|.*\[([^]]+)\]\[?([^]])\]?")
HEADERS = ("#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION", "#           TASK-PID   CPU#  ||||    TIMESTAMP  FUNCTION")
MEANT = ("HIDL::IDevice", "[NN_", "tracing_mark_write: B", "tracing_mark_write: E")
PARTS = ("PIO", "PTR", "PCO", "PR")
PHASES = ("PO", "PI", "PP", "PC", "PE", "PIO", "PTR", "PCO", "PR", "PT")
LAYERS = ("LA", "LR", "LI", "LD", "LC")
NESTED = {"PE": PARTS, "PO": ("PWU", "PBM", "PI", "PP", "PC", "PE", "PT"), "PWU": ("PE",), "PBM": ("PE",)}
CALLED = {"LA": ("LR",), "LR": ("LI", "LC"), "LI": ("LD",)}
AROUND = ["ANeuralNetworks" + name for name in (
    "Execution_create", "Execution_free", "Event_create", "Event_free", "Execution_setInput", "Execution_setOutput",
    "Execution_setInputFromMemory", "Execution_setOutputFromMemory")]
NAN = float("nan")


class Refused(Exception):
    pass


class Incomplete(Exception):
    pass


def require(condition, why):
    if not condition:
        raise Refused(why)


# ---- rows

def read_rows(path):
    rows, begun, processes = [], False, {}
    for line in open(path, encoding="utf-8", errors="surrogateescape"):
        line = line.rstrip("\n")
        if not begun:
            begun = any(header in line for header in HEADERS)
            continue
        if "</script>" in line:
            break
        found = NEW.match(line)
        if found:
            _, thread, process, time, mark = found.groups()
        else:
            found = OLD.match(line)
            if not found:
                require(not any(sign in line for sign in MEANT), "no row")
                continue
            _, thread, time, mark = found.groups()
            process = mark.split("|")[1] if "|" in mark else processes.get(thread)
        rows.append((thread, process, time, mark))
        if process and process != "-----":
            processes[thread] = process
    return rows


def is_driver(mark):
    return "HIDL::IDevice" in mark and "::server" in mark


# ---- marks

def meaning(mark):
    found = TAG.search(mark)
    if found:
        parts = found.group(1).split("_")
        require(len(parts) == 3, "tag")
        return parts[1], parts[2]
    has = lambda *signs: any(sign in mark for sign in signs)
    if has("::client"):
        layer = "LX" if has("notify") else "LI"
    elif has("::server"):
        layer = "LX" if has("notify") else "LD"
    elif has("getCapabilities", "getSupportedOperations"):
        layer = "LD"
    else:
        require(not has("HIDL"), "HIDL")
        layer = "LX"
    if has("IAllocator"):
        return layer, "PU"
    if has("getCapabilities"):
        return layer, "PI"
    if has("prepareModel", "getSupportedOperations", "IPreparedModelCallback"):
        return layer, "PC"
    return layer, "PE" if has("execute", "IExecutionCallback") else "PI"


def function_of(mark):
    name = (mark.split("|") + ["", ""])[2]
    if "[NN_" in name:
        name = name.replace("[SUB]", "").replace("[SW]", "")
        name = (name.split("]") + [""])[1].replace("[", "")
    return name


class Node:
    def __init__(self, above, start, layer, phase, overall="PO", mark="", dummy=False):
        self.above, self.start, self.layer, self.phase_said, self.overall, self.mark, self.dummy = above, start, layer, phase, overall, mark, dummy
        self.below, self.end, self.subtract = [], None, "[SUB]" in mark
        if above:
            above.below.append(self)

    def phase(self):
        return self.above.phase() if self.phase_said == "PU" else self.phase_said

    def root(self):
        return self.above is None

    def elapsed(self):
        return (self.end - self.start) * 1000.0

    def all(self):
        found = []
        for node in self.below:
            found += [node] + node.all()
        return found

    def detail(self):
        if self.root() or self.above.root() or self.layer != self.above.layer:
            return False
        above, phase = self.above.phase(), self.phase()
        return not (phase in NESTED.get(above, ()) or (phase == "PI" and above != "PI") or self.subtract)

    def less(self):
        if self.detail():
            return sum(node.less() for node in self.below)
        return self.elapsed() if self.subtract else 0.0

    def net(self):
        return self.elapsed() - sum(node.less() for node in self.below)

    def elsewhere(self):
        """The application is in another phase."""
        above, phase = self.above, self.phase()
        return (above.layer == "LA" and self.layer in ("LR", "LI") and above.phase() != "PO" and above.phase() != phase and
                phase != "PE" and phase not in PARTS)


class Tracker:
    def __init__(self, driver):
        self.driver = driver
        self.clear()

    def clear(self):
        self.tree = self.open = Node(None, 0, None, None)
        self.calls, self.executions = {}, {}

    def end(self, time):
        require(not self.open.root(), "end")
        node, self.open = self.open, self.open.above
        node.end = time
        if not node.dummy:
            self.calls.setdefault((node.overall, function_of(node.mark)), []).append((node.start * 1000.0, time * 1000.0))

    def begin(self, run, time, mark):
        if "ANeuralNetworksEvent_free" in mark or "ANeuralNetworksExecution_free" in mark:
            mark = mark.replace("_PT", "_PE")
        elif "[SW][NN_LA_PR]executeWithCompilation" in mark:
            mark = mark.replace("[SW]", "")
        layer, phase = meaning(mark)
        if "[SW]" in mark:
            self.end(time)
            self.open = Node(self.open, time, "LX", "PO", dummy=True)
        if layer == "LA" and phase in ("PWU", "PBM"):
            run["overall"] = phase
        if layer in ("LC", "LD"):
            layer = "LD" if self.driver else "LC"
        if (layer, phase) == ("LA", "PE"):
            self.executions[run["overall"]] = self.executions.get(run["overall"], 0) + 1
        self.open = Node(self.open, time, layer, phase, run["overall"], mark)

    # ---- order

    def remove(self, wanted):
        for node in [node for node in self.tree.all() if wanted(node)]:
            node.above.below.remove(node)
            for child in node.below:
                child.above = node.above
                node.above.below.append(child)

    def arrange(self):
        self.remove(lambda node: node.layer == "LX" and not node.dummy)
        self.remove(lambda node: node.dummy)
        for node in self.tree.all():
            require(node.phase(), "no phase")
        moved = [node for node in self.tree.all()
                 if node.subtract or (node.phase() == "PI" and node.above.phase() != "PI") or node.elsewhere()]
        for node in moved:
            place = node.above
            if node.subtract:
                while not place.root() and (place.layer != node.layer or place.detail()):
                    place = place.above
            elif node.phase() == "PI":
                place = self.tree
            else:
                place = place.above
            copy = Node(place if place.root() else place.above, node.start, node.layer, node.phase(), node.overall)
            copy.end, node.subtract = node.end, True
        for node in [node for node in self.tree.all() if not node.detail() and not node.subtract and node.elsewhere()]:
            above = node.above
            above.below.remove(node)
            node.above = Node(above, node.start, "LA", node.phase(), node.overall)
            node.above.end = node.start + node.net() / 1000.0
            node.above.below.append(node)
        for node in self.tree.all():
            above, phase = node.above.phase(), node.phase()
            if node.subtract or node.above.root():
                continue
            nested = NESTED.get(above, ())
            require(phase == above or phase == "PI" or phase in nested or (phase in PARTS and "PE" in nested), "phase")
            require(node.layer == "LU" or node.layer == node.above.layer or node.layer in CALLED.get(node.above.layer, ()), "layer")

    def sums(self):
        sums = {}

        def add(node, executing):
            if not node.root() and not node.detail() and not node.subtract:
                key = node.overall, node.layer, node.phase()
                sums[key] = sums.get(key, 0.0) + node.net()
                if node.phase() in PARTS and node.layer not in executing:
                    key = node.overall, node.layer, "PE"
                    sums[key] = sums.get(key, 0.0) + node.net()
            if node.phase() == "PE":
                executing = executing | {node.layer}
            for child in node.below:
                add(child, executing)

        add(self.tree, frozenset())
        return sums


# ---- tables

def add_up(trackers):
    if any(not tracker.open.root() for tracker in trackers):
        raise Incomplete()
    for tracker in trackers:
        tracker.arrange()
    sums = [tracker.sums() for tracker in trackers]
    counts = {overall: max([len(tracker.calls.get((overall, AROUND[0]), [])) or tracker.executions.get(overall, 0) for tracker in trackers] or [0])
              for overall in ("PO", "PWU", "PBM")}
    benchmark = counts["PWU"] > 0 and counts["PBM"] > 0
    require(counts["PWU"] == counts["PBM"] == 0 or benchmark, "half")

    def value(overall, layer, phase):
        if (layer, phase) == ("LR", "PE"):
            total = 0.0
            for tracker in trackers:
                calls = lambda name: tracker.calls.get((overall, name), [])
                starts, waits = calls("ANeuralNetworksExecution_startCompute"), calls("ANeuralNetworksEvent_wait")
                require(len(waits) >= len(starts), "waits")
                time = 0.0
                for i in range(len(starts)):
                    time += waits[i][1] - starts[i][0]
                for name in AROUND:
                    for start, end in calls(name):
                        time += end - start
                total += time
            return total
        if (layer, phase) == ("LD", "PE"):
            all = lambda name: sorted(start for tracker in trackers for start, _ in tracker.calls.get((overall, name), []))
            begun, ended = all("HIDL::IPreparedModel::execute::server"), all("HIDL::IExecutionCallback::notify::client")
            require(len(begun) == len(ended), "notifies")
            return sum(end - start for start, end in zip(begun, ended))
        return sum(one.get((overall, layer, phase), 0.0) for one in sums)

    zero = lambda time: 0.0 if time != time else time

    def table(overalls, phases):
        times = {}
        for phase in phases:
            times[phase] = {}
            for layer in LAYERS:
                time = sum(value(overall, layer, phase) for overall in overalls) * 1.0
                if time == 0.0 and (layer == "LA" or (layer == "LD" and phase in PARTS)):
                    time = NAN
                times[phase][layer] = time
        if "PO" in phases:
            for layer in LAYERS:
                if times["PO"][layer] == 0.0:
                    times["PO"][layer] = sum(zero(times[phase][layer]) for phase in ("PI", "PP", "PC", "PE", "PT"))
        for phase in phases:
            times[phase]["LT"] = max([0.0] + [zero(times[phase][layer]) for layer in LAYERS])
        return times

    times = table(("PO", "PWU", "PBM") if benchmark else ("PO",), PHASES)
    parts = {overall: table((overall,), ("PE",) + PARTS) for overall in ("PWU", "PBM")} if benchmark else {}

    def self_times(times):
        own = {}
        for phase in times:
            own[phase], below = {"LT": times[phase]["LT"]}, 0.0
            special = phase == "PO" and times["PE"]["LD"] == 0.0
            for layer in ("LC", "LD", "LI", "LR", "LA"):
                time = times[phase][layer]
                if time != time or time == 0.0:
                    own[phase][layer] = time
                elif special and layer == "LD":
                    own[phase][layer] = time
                elif special and layer == "LI":
                    own[phase][layer] = time - times[phase]["LD"]
                else:
                    own[phase][layer], below = time - below, time
        return own

    own = {**self_times(times), **{overall: self_times(parts[overall]) for overall in parts}}
    return counts, benchmark, {**times, **parts}, own


def shown(counts, benchmark, table, per_execution):
    executed = "PBM" if per_execution and benchmark else "PO"
    executions = table["PBM"] if executed == "PBM" else table
    longest, values = executions["PE"]["LT"], {}
    for layer in LAYERS + ("LT",):
        of = {phase: table[phase][layer] for phase in ("PC", "PI", "PO", "PP", "PT")}
        of.update({phase: executions[phase][layer] for phase in ("PE", "PIO", "PR")})
        of["PEO"] = of["PE"] - of["PIO"] - of["PR"]
        if layer != "LT":
            of["PEp"] = of["PE"] * 100 / longest if longest else NAN
        if per_execution:
            for phase in ("PE", "PIO", "PR", "PEO"):
                of[phase] = of[phase] / counts[executed] if counts[executed] else NAN
        values.update({layer + "_" + phase: of[phase] for phase in of})
    return values


def model(path, per_execution, total_times):
    rows, tracked, drivers, printed, incomplete = read_rows(path), {}, set(), [], False
    for thread, process, time, mark in rows:
        if is_driver(mark):
            drivers.add(process)
        if "[NN" in mark or is_driver(mark):
            tracked[thread] = process
    trackers = {thread: Tracker(tracked[thread] in drivers) for thread in tracked}
    run, starting, any_run = {"overall": "PO"}, "", False

    def end_run():
        try:
            counts, benchmark, times, own = add_up(list(trackers.values()))
        except Incomplete:
            return True
        printed.append({"execution_counts": counts, "self_times": own, "times": times, "starting_mark": starting, "version": 1,
                        "template_inputs": shown(counts, benchmark, times if total_times else own, per_execution)})
        return False

    for thread, process, time, mark in rows:
        if thread not in tracked:
            require("HIDL::IDevice" not in mark, "untracked")
            continue
        if "[NN_LA_PO]" in mark:
            if any_run:
                incomplete |= end_run()
                for tracker in trackers.values():
                    tracker.clear()
                run["overall"] = "PO"
            starting, any_run = mark, True
        if mark[0] == "B":
            trackers[thread].begin(run, float(time), mark)
        else:
            trackers[thread].end(float(time))
    incomplete |= end_run()
    text = ",\n".join(json.dumps(one, indent=2, sort_keys=True).replace("NaN", "null") + "\n" for one in printed)
    return "[\n" + text + "]\n", 3 if incomplete else 0


# ---- random traces

NAMES = (["f", "operator[]", "a b", "[g]", "x]]y", "operator[] const", "a|b"] + AROUND + ["ANeuralNetworksEvent_wait"])
PLAIN = ["HIDL::IDevice::getCapabilities::client", "HIDL::IPreparedModel::execute::client", "HIDL::IServiceManager::get::client", "draw", "x[NN_LR_PP]y"]
ODD = ["foo[bar]baz", "x[][y]z", "[]]", "]x", ""]  # names that few tags survive
ODD_ROWS = ["ab-5 (    5) 1.5: tracing_mark_write: B|5|x", "ab-5 1.5: tracing_mark_write: B|5|x", "a-5 (    5) [0] 1.5: tracing_mark_write: C|5|x",
            "a-b-512 (  512) [0] ...1 1.5: tracing_mark_write: E", "  c-d 12-513 (  512) x 1.5: tracing_mark_write: B|512|[NN_LR_PP]f",
            "app-512 (  512) [0]  9.: tracing_mark_write: S|512|x", "app-512 (  512) [0] 1.0: tracing_mark_write:", "k_w tracing_mark_write: ",
            "app-513 (  774) [0] .. 1.5: tracing_mark_write: B|774|[NN_LC_PE]f\napp-513 (  774) [0] .. 1.75: tracing_mark_write: E|774",
            "\t app-513 (  512) [0] .. 1.5: tracing_mark_write: B|512|1.0: tracing_mark_write: B|512|[NN_LR_PC]f",
            "app-513 (  512) [0] .. 1.5: tracing_mark_write: B|512| 2.25: tracing_mark_write: E|512",
            "name-of-more-than-sixteen-513 (  512) [0] .. 1.5: tracing_mark_write: C|512"]
SERVED = ["HIDL::IDevice::getCapabilities::server", "HIDL::IPreparedModel::execute::server", "HIDL::IDevice::prepareModel::server"]


class Trace:
    def __init__(self, dice):
        self.dice, self.now, self.lines, self.old = dice, dice.randrange(10 ** 9), [], dice.random() < 0.15

    def row(self, thread, process, mark):
        dice = self.dice
        self.now += dice.choice((1, 7, 100, 12345))
        task = dice.choice(("app", "Neural Networks", "a-b-1", "Binder:7_1", "<...>", "  x-12 y"))
        where = "" if self.old else " (%5s)" % process
        self.lines.append("%16s-%-5s%s [003] ...1 %d.%06d: tracing_mark_write: %s" % (
            task, thread, where, self.now // 10 ** 6, self.now % 10 ** 6, mark))
        if dice.random() < 0.1:
            self.lines.append("  other-9 (    9) [000] ...1 1.0: sched_switch: a_k_w [N L: </")

    def begin(self, thread, process, text):
        self.row(thread, process, "B|%d|%s" % (process, text))

    def end(self, thread, process):
        self.row(thread, process, self.dice.choice(("E", "E|%d" % process)))

    def mark(self, thread, process, layer, phase, depth):
        """A mark and what is in it: mostly as the contract wants it."""
        dice = self.dice
        self.begin(thread, process, "%s[NN_%s_%s]%s" % ("[SUB]" * (dice.random() < 0.1), layer, phase, dice.choice(NAMES if dice.random() < 0.99 else ODD)))
        switched = 0
        for _ in range(dice.choice((0, 0, 1, 1, 2, 3)) if depth else 0):
            if dice.random() < 0.1:
                self.begin(thread, process, dice.choice(PLAIN))
                self.end(thread, process)
                continue
            if dice.random() < 0.06:
                self.begin(thread, process, "[SW][NN_%s_%s]switched" % (layer, phase))
                switched += 1
                continue
            below = dice.choice(CALLED.get(layer, ()) + (layer, layer, "LU")) if dice.random() < 0.99 else dice.choice(LAYERS)
            nested = NESTED.get(phase, ()) + (phase, phase, "PI")
            phase_below = dice.choice(nested) if dice.random() < 0.99 else dice.choice(PHASES)
            if below == "LU":
                self.begin(thread, process, "[NN_LU_PU]util")
                self.end(thread, process)
            else:
                self.mark(thread, process, below, phase_below, depth - 1)
        for _ in range(1 + switched):
            self.end(thread, process)

    def execute(self, thread, process):
        count = self.dice.choice((1, 2, 9))
        for _ in range(count):
            self.begin(thread, process, "[NN_LR_PE]ANeuralNetworksExecution_startCompute")
            self.begin(774, 774, "HIDL::IPreparedModel::execute::server")
            self.end(thread, process)
            self.begin(774, 774, "HIDL::IExecutionCallback::notify::client")
            self.end(774, 774)
            self.end(774, 774)
        for _ in range(count):
            self.begin(thread, process, "[NN_LR_PE]ANeuralNetworksEvent_wait")
            self.end(thread, process)

    def make(self):
        dice = self.dice
        if dice.random() < 0.8:
            self.begin(774, 774, dice.choice(SERVED[::2]))
            self.end(774, 774)
        for _ in range(dice.choice((1, 1, 2, 3))):
            for _ in range(dice.choice((0, 0, 0, 0, 0, 0, 1, 2))):
                self.lines.append(dice.choice(ODD_ROWS))
            whole = dice.random() < 0.8
            if whole:
                self.begin(512, 512, "[NN_LA_PO]net")
            for overall in dice.choice(((), (), ("PWU", "PBM"), ("PBM", "PWU", "PBM"))):
                if whole:
                    self.begin(512, 512, "[NN_LA_%s]x" % overall)
                    self.mark(512, 512, "LA", "PE", 3)
                    self.end(512, 512)
            for _ in range(dice.randrange(5)):
                process, thread = dice.choice(((512, 512), (512, 513), (774, 775)))
                if process == 774:
                    self.mark(thread, process, "LD", dice.choice(PHASES[1:]), 2)
                elif dice.random() < 0.3:
                    self.execute(thread, process)
                else:
                    self.mark(thread, process, dice.choice(("LA", "LR")), dice.choice(PHASES[1:5]), 4)
            if whole and dice.random() < 0.97:
                self.end(512, 512)
        return "\n".join([HEADERS[self.old]] + self.lines) + "\n"


# ---- comparing

def compare(tracelayer, path, forms):
    """Returns what became of it."""
    for options in forms:
        try:
            want, code = model(path, "--per-execution" in options, "--total-times" in options)
        except Refused as refused:
            want, code, why = None, 1, str(refused)
            if why == "half":
                return why  # there is no JSON that the original would print
        ours = subprocess.run([tracelayer, "phases", "--json"] + options + [path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if ours.returncode != code or (want is not None and ours.stdout != want):
            sys.exit("%s %s: %d, and not %d\n%s%s" % (path, options, ours.returncode, code, ours.stderr, ""
                     if want is None else "".join("- %s\n+ %s\n" % pair for pair in zip(want.split("\n"), ours.stdout.split("\n")) if pair[0] != pair[1])))
        if want is None:
            return why
    return "incomplete" if code else "accepted"


FORMS = ([], ["--total-times"], ["--per-execution"])
tracelayer = sys.argv[1]
if not sys.argv[2].isdigit():
    for path in sys.argv[2:]:
        print(path, compare(tracelayer, path, FORMS))
    sys.exit()
became, seed = {}, int(sys.argv[3]) if len(sys.argv) > 3 else 1
folder = tempfile.mkdtemp()
for number in range(int(sys.argv[2])):
    path = os.path.join(folder, "%d.txt" % (seed + number))
    with open(path, "w") as file:
        file.write(Trace(random.Random(seed + number)).make())
    what = compare(tracelayer, path, FORMS)
    became[what] = became.get(what, 0) + 1
    os.unlink(path)
os.rmdir(folder)
print(became)
assert became.get("accepted", 0) * 3 > int(sys.argv[2]), "most random traces should keep the contract"
