-- SPDX-License-Identifier: MIT
-- jit_calls.lua: see jit_calls.h. Hot loops that the JIT compiles, whose code calls the library directly; callbacks that end by errors, which pcall
-- catches: LuaJIT unwinds the stack through the library's frames, and through whoever traces it. Its argument is how many rounds.
local ffi = require("ffi")
ffi.cdef [[
struct jit_pair { int a; double b; };
int jit_add(int a, int b);
double jit_scale(const struct jit_pair *pair, double by);
struct jit_pair jit_make(int a, double b);
int jit_visit_each(int count, int (*visit)(int index, double value));
int jit_sort(int *values, int count, int (*compare)(const int *, const int *));
int jit_errno(int code);
]]
local lib = ffi.load(arg[1], true)
local rounds = tonumber(arg[2])
local calls = {}
local function count(name, n) calls[name] = (calls[name] or 0) + (n or 1) end

-- Compiled: the loop's machine code has the calls.
local sum = 0
for i = 1, rounds do sum = lib.jit_add(sum, i % 7) end
count("jit_add", rounds)
print("sum", sum)

local pair, scaled = ffi.new("struct jit_pair", 3, 0.5), 0
for i = 1, rounds do scaled = scaled + lib.jit_scale(pair, i) end
count("jit_scale", rounds)
local made = lib.jit_make(7, 2.25)
count("jit_make")
print("scaled", scaled, made.a, made.b)

-- Callbacks that return, and that end by an error after some time.
local stop, seen = -1, 0
local visit = ffi.cast("int (*)(int, double)", function(index, value)
	seen = seen + value
	if index == stop then error("stopped at " .. index, 0) end
	return 0
end)
local texts = {}
for i = 1, math.min(rounds, 2000) do
	stop = i % 20
	local ok, text = pcall(lib.jit_visit_each, 10, visit)
	texts[tostring(ok) .. " " .. tostring(text)] = (texts[tostring(ok) .. " " .. tostring(text)] or 0) + 1
	count("jit_visit_each")
	-- In between, calls that return.
	sum = lib.jit_add(sum, 1)
	count("jit_add")
end
local keys = {}
for text in pairs(texts) do keys[#keys + 1] = text end
table.sort(keys)
for _, text in ipairs(keys) do print(text, texts[text]) end
print("seen", seen, sum)

-- A callback that calls the library itself, which calls back and fails: two calls are left by one error, or one of them.
local depth = 0
local inner = ffi.cast("int (*)(int, double)", function() error("from within", 0) end)
local outer = ffi.cast("int (*)(int, double)", function(index)
	depth = depth + 1
	if index % 2 == 0 then
		local ok = pcall(lib.jit_visit_each, 1, inner)
		count("jit_visit_each")
		return ok and 1 or 0
	end
	count("jit_visit_each")
	return lib.jit_visit_each(1, inner)
end)
for _ = 1, 200 do
	local ok, text = pcall(lib.jit_visit_each, 3, outer)
	count("jit_visit_each")
	if ok or text ~= "from within" then print("wrong", ok, text) end
end
print("depth", depth)

-- Coroutines have no C stack of their own; errors in them end at resume.
local bad = 0
for i = 1, 200 do
	local routine = coroutine.create(function(n)
		stop = n % 10
		coroutine.yield(n)
		lib.jit_visit_each(10, visit)
	end)
	coroutine.resume(routine, i)
	local ok = coroutine.resume(routine)
	count("jit_visit_each")
	if not ok then bad = bad + 1 end
end
print("coroutines", bad)

local values = ffi.new("int[50]")
for i = 0, 49 do values[i] = (i * 37) % 50 end
local compare = ffi.cast("int (*)(const int *, const int *)", function(a, b) return a[0] - b[0] end)
print("sorted", lib.jit_sort(values, 50, compare), values[49])
count("jit_sort")
print("errno", lib.jit_errno(33), ffi.errno())
count("jit_errno")

local file = io.open("calls", "w")
local names = {}
for name in pairs(calls) do names[#names + 1] = name end
table.sort(names)
for _, name in ipairs(names) do file:write(name, " ", calls[name], "\n") end
file:close()
