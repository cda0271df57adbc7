# SPDX-License-Identifier: MIT
# While `tracelayer summary` reads, stderr, a terminal, shows how far it has come; the line is gone before anything else is. The last event
# is one that only the table has.
import os, pty, select, subprocess, sys

terminal, end = pty.openpty()
command = subprocess.Popen([sys.argv[1], "summary", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=end)
os.close(end)
event = b'{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"%s"},\n'
shown = b""
command.stdin.write(b"[")
for _ in range(5000):  # it is shown after a moment: go on until that is over
    if b"million events read" in shown:
        break
    command.stdin.write(event % b"many" * 10000)
    command.stdin.flush()
    if select.select([terminal], [], [], 0)[0]:
        shown += os.read(terminal, 4096)
command.stdin.write((event % b"last")[:-2] + b"]")
command.stdin.close()
table = command.stdout.read()
while True:
    try:
        shown += os.read(terminal, 4096)
    except OSError:
        break
assert command.wait() == 0, command.returncode
assert b"last" in table and b"\r" not in table, table
assert shown.startswith(b"\r\x1b[Ktracelayer: ") and shown.endswith(b"\r\x1b[K"), shown
