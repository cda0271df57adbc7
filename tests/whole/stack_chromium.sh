#!/bin/bash
# SPDX-License-Identifier: MIT
# Chromium, headless: many processes with a zygote, rings of threads, a JIT, and SwiftShader's; a page draws in 2D and by WebGL, and says what it reads back.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
need chromium chromium
plan 12

shims zlib "$top_srcdir/gen/apis/zlib.json"
cat >"$tmp/page.html" <<'END'
<!doctype html><meta charset="utf-8"><title>page</title><body><pre id="said"></pre><script>
function say(text) { document.getElementById("said").textContent += text + "\n"; }
function digest(bytes) { let h = 2166136261; for (const b of bytes) h = Math.imul(h ^ b, 16777619) >>> 0; return h.toString(16); }
const flat = document.createElement("canvas"); flat.width = flat.height = 300;
const pen = flat.getContext("2d");
for (let i = 0; i < 200; i++) { pen.fillStyle = `hsl(${i * 7} 80% 50%)`; pen.fillRect((i * 37) % 300, (i * 53) % 300, 40, 20); }
say("2d " + digest(pen.getImageData(0, 0, 300, 300).data));
const png = flat.toDataURL("image/png");
say("png " + png.length + " " + digest(new TextEncoder().encode(png)));
const gl = document.createElement("canvas").getContext("webgl", { preserveDrawingBuffer: true });
if (!gl) say("no webgl"); else {
	const make = (type, text) => { const s = gl.createShader(type); gl.shaderSource(s, text); gl.compileShader(s); return s; };
	const program = gl.createProgram();
	gl.attachShader(program, make(gl.VERTEX_SHADER, "attribute vec2 p; varying vec2 q; void main() { q = p; gl_Position = vec4(p, 0., 1.); }"));
	gl.attachShader(program, make(gl.FRAGMENT_SHADER, "precision mediump float; varying vec2 q; void main() { gl_FragColor = vec4(abs(q), .5, 1.); }"));
	gl.linkProgram(program); gl.useProgram(program);
	gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
	gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, 0, 1]), gl.STATIC_DRAW);
	gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
	for (let i = 0; i < 100; i++) gl.drawArrays(gl.TRIANGLES, 0, 3);
	const pixels = new Uint8Array(300 * 150 * 4); gl.readPixels(0, 0, 300, 150, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
	say("webgl " + digest(pixels) + " " + gl.getError());
}
let sum = 0; for (let i = 0; i < 3e6; i++) sum = (sum + Math.imul(i, i)) | 0; say("sum " + sum);
const squeezed = new Response(new Blob(["text ".repeat(20000)]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
squeezed.then(bytes => { say("gzip " + bytes.byteLength); document.title = "done"; });
</script>
END
# Its complaints are about the session's services that are not there, with times and numbers of processes; a PDF's size differs from run to run. Profiles
# are not compared: they hold times and random numbers.
normalise() { grep -avE '^\[[0-9:/.]+:|^$|Fontconfig|dbus|ALSA|DevTools|unexpected operator|bytes written' || true; }
chrome() { # ARGUMENT…
	printf '%s ' chromium --headless=new --no-sandbox --no-first-run --disable-extensions --disable-background-networking --disable-component-update \
		--use-angle=swiftshader --enable-unsafe-swiftshader --disable-dev-shm-usage --virtual-time-budget=8000 "--user-data-dir=\$(mktemp -d $tmp/profile.XXXXXX)" "$@"
}
limit=120
foreign "a page's contents" "1 (deflate|inflate|crc32|adler32).*" sh -c "$(chrome --dump-dom "file://$tmp/page.html")"
like "$(cat "$tmp/bare.seen")" '^webgl [0-9a-f]+ 0$' "it has drawn"
like "$(cat "$tmp/bare.seen")" '^gzip [0-9]+$' "and come to its end"
foreign "a page's picture" "1 (deflate|inflate|crc32|adler32).*" sh -c "$(chrome --screenshot=page.png --window-size=600,400 "file://$tmp/page.html") >out; rm -f out"
foreign "a page as PDF" "1 (deflate|inflate|crc32|adler32).*" sh -c "$(chrome --print-to-pdf=page.pdf "file://$tmp/page.html"); grep -c . page.pdf | sed 's/.*/a file/'; rm -f page.pdf"
