/* SPDX-License-Identifier: MIT */
/*
 * count_slices [NAME...] -- TRACE...: prints for each trace how many slices (events "X") it has, or how
 * many of these names. By simdjson, so that large traces cost a test little.
 * count_slices --by-name -- TRACE...: a line "NAME COUNT" for each name in the traces, sorted.
 *
 * A trace is an array of objects in strict JSON (RFC 8259, UTF-8 throughout), or, with stacks, an object
 * whose traceEvents is that array. Exit code 1, after a line on stderr, if one is not, or if one of its
 * events has a key twice.
 */
#include <algorithm>
#include <iostream>
#include <map>
#include <simdjson.h>
#include <string>
#include <vector>

using counts = std::map<std::string, size_t, std::less<>>;

static bool has_key_twice(simdjson::dom::object event, std::vector<std::string_view> &keys)
{
	keys.clear();
	for (auto field : event)
		keys.push_back(field.key);
	std::sort(keys.begin(), keys.end());
	return std::adjacent_find(keys.begin(), keys.end()) != keys.end();
}

static counts trace_count(simdjson::dom::parser &parser, const char *path)
{
	std::vector<std::string_view> keys;
	counts counted;
	simdjson::dom::element trace = parser.load(path);
	simdjson::dom::array events = trace.is_object() ? trace["traceEvents"] : trace;

	for (simdjson::dom::object event : events) {
		std::string_view phase, name;

		if (has_key_twice(event, keys))
			throw std::runtime_error("a key stands twice in an event");
		if (event["ph"].get(phase) || phase != "X")
			continue;
		if (event["name"].get(name))
			name = "";
		auto at = counted.find(name);
		if (at == counted.end())
			at = counted.emplace(name, 0).first;
		at->second++;
	}
	return counted;
}

static size_t count_of(const counts &counted, const std::vector<std::string> &names)
{
	size_t count = 0;

	for (const auto &[name, number] : counted)
		if (names.empty() || std::find(names.begin(), names.end(), name) != names.end())
			count += number;
	return count;
}

int main(int argc, char **argv)
{
	const std::vector<std::string> arguments(argv + 1, argv + argc);
	const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
	const std::vector<std::string> names(arguments.begin(), dashes);
	const bool by_name = !names.empty() && names[0] == "--by-name";
	simdjson::dom::parser parser;
	counts all;

	if (arguments.end() - dashes < 2) {
		std::cerr << "usage: count_slices [--by-name | NAME...] -- TRACE...\n";
		return 2;
	}
	for (auto path = dashes + 1; path != arguments.end(); ++path) {
		try {
			const counts counted = trace_count(parser, path->c_str());

			if (!by_name)
				std::cout << count_of(counted, names) << '\n';
			for (const auto &[name, number] : counted)
				all[name] += number;
		} catch (const std::exception &error) {
			std::cerr << *path << ": " << error.what() << '\n';
			return 1;
		}
	}
	if (by_name)
		for (const auto &[name, number] : all)
			std::cout << name << ' ' << number << '\n';
	return 0;
}
