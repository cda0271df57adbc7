# SPDX-License-Identifier: MIT
# While a trace comes through a pipe, stderr, a terminal, shows how much has come; the line is gone before anything else is.
import gzip, os, pty, select, subprocess, sys

tracelayer, trace = sys.argv[1:]
terminal, end = pty.openpty()
command = subprocess.Popen([tracelayer, "phases", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=end)
os.close(end)
text = gzip.open(trace).read()
foreign = b"  other-1  (    1) [000] d..3 1.000000: sched_waking: comm=x\n" * 100
shown = b""
command.stdin.write(text)
while b"MB" not in shown:  # it is shown again after a moment: go on until that is over
    command.stdin.write(foreign)
    command.stdin.flush()
    if select.select([terminal], [], [], 0.01)[0]:
        shown += os.read(terminal, 4096)
command.stdin.close()
table = command.stdout.read()
while True:
    try:
        shown += os.read(terminal, 4096)
    except OSError:
        break
assert command.wait() == 0, command.returncode
assert b"Runtime" in table and b"\r" not in table, table
assert shown.startswith(b"\r\x1b[Ktracelayer: ") and shown.endswith(b"\r\x1b[K"), shown
