#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer run between a program and a terminal, a shell, or whoever sends signals: each signal arrives exactly once.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_command
export TMPDIR=$tmp	# `tracelayer run` is killed, too, and leaves its folder there
need_library

cat >"$tmp/program.py" <<'END'
# Notes every signal that it gets, and ends 0.5 s after the first INT, TERM or QUIT, so that a second one would be noted.
import os, signal, sys, time
log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
end = None
def note(number, frame):
    global end
    os.write(log, (signal.Signals(number).name + "\n").encode())
    if number in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT):
        end = end or time.monotonic() + 0.5
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGALRM, signal.SIGCONT,
               signal.SIGWINCH, signal.SIGRTMIN):
    signal.signal(number, note)
os.write(log, b"ready\n")
if len(sys.argv) > 2:
    exec(sys.argv[2])
stop = time.monotonic() + 40	# whatever goes wrong in the test, nothing stays behind
while time.monotonic() < (end or stop):
    time.sleep(0.02)
sys.exit(3)
END
"$python" - "$tracelayer" "$tmp" <<'END'
import os, pty, signal, subprocess, sys, termios, time
tracelayer, tmp = sys.argv[1:]
python, program = sys.executable, tmp + "/program.py"
log = tmp + "/log"
results = []

def check(what, got, want):
    results.append(got == want)
    print("%sok %d - %s" % ("" if got == want else "not ", len(results), what))
    if got != want:
        print("# got:  %r\n# want: %r" % (got, want))
    sys.stdout.flush()

def noted():
    try:
        return open(log).read().split()
    except FileNotFoundError:
        return []

def wait_for(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()

def start(*more, group=True, before=None):
    """run the program in a session or process group of its own, without a terminal"""
    if os.path.exists(log):
        os.unlink(log)
    def prepare():
        if group:
            os.setpgid(0, 0)
        if before:
            before()
    child = subprocess.Popen([tracelayer, "run", "--", python, program, log, *more], preexec_fn=prepare,
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(lambda: "ready" in noted())
    return child

def sent(send, *more, **how):
    child = start(*more, **how)
    send(child.pid)
    return child.wait(timeout=30), noted()[1:]

# --- sent to run alone, or to the whole group
check("SIGTERM sent to run reaches the program once", sent(lambda pid: os.kill(pid, signal.SIGTERM)), (3, ["SIGTERM"]))
check("SIGTERM sent to the process group does, too", sent(lambda pid: os.killpg(pid, signal.SIGTERM)), (3, ["SIGTERM"]))
check("SIGQUIT sent to run", sent(lambda pid: os.kill(pid, signal.SIGQUIT)), (3, ["SIGQUIT"]))
def several(pid):
    for number in (signal.SIGUSR1, signal.SIGHUP, signal.SIGWINCH, signal.SIGRTMIN):
        os.kill(pid, number)
        wait_for(lambda: noted()[-1] == number.name)
    os.killpg(pid, signal.SIGUSR1)
    wait_for(lambda: noted().count("SIGUSR1") == 2)
    os.killpg(pid, signal.SIGINT)
check("all kinds, one after another", sent(several),
      (3, ["SIGUSR1", "SIGHUP", "SIGWINCH", "SIGRTMIN", "SIGUSR1", "SIGINT"]))
# Later, where the program was not ready for it in time.
for seconds in 1, 2, 4, 8:
    alarmed = sent(lambda pid: wait_for(lambda: "SIGALRM" in noted()) and os.kill(pid, signal.SIGTERM), before=lambda: signal.alarm(seconds))
    if alarmed == (3, ["SIGALRM", "SIGTERM"]):
        break
check("an alarm that was set before run started goes off in the program", alarmed, (3, ["SIGALRM", "SIGTERM"]))

# A profiler that is preloaded has a timer in run, too. The program of that one would not live to have a handler.
with open(tmp + "/profiler.c", "w") as source:
    source.write("""
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static void sample(int number) { (void)number; }
static __attribute__((constructor)) void start(void)
{
	struct sigaction action = {.sa_handler = sample, .sa_flags = SA_RESTART};
	usleep(30000);
#ifdef INTERVAL
	struct itimerval often = {{0, 100}, {0, 100}};
	sigaction(SIGALRM, &action, 0);
	setitimer(ITIMER_REAL, &often, 0);
#else
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
	struct itimerspec often = {{0, 100000}, {0, 100000}};
	timer_t timer;
	sigaction(SIGALRM, &action, 0);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &often, 0);
#endif
}
""")
for kind, what in ("-DINTERVAL", "setitimer"), ("-UINTERVAL", "timer_create"):
    subprocess.run(os.environ.get("CC", "cc").split() + ["-shared", "-fPIC", kind, "-o", tmp + "/profiler.so", tmp + "/profiler.c"], check=True)
    check("the timer of a preloaded library does not go off in the program: " + what,
          [subprocess.run([tracelayer, "run", "--quiet", "--", "sh", "-c", "exit 5"], env=dict(os.environ, LD_PRELOAD=tmp + "/profiler.so")).returncode for _ in range(3)], [5] * 3)

# run learns by a child of its own that a signal was sent to the whole group. Here this one gets no processor for 100 ms, as on a busy machine.
def beside_a_hog(pid):
    children = open("/proc/%d/task/%d/children" % (pid, pid)).read().split()
    witness = next(int(p) for p in children if open("/proc/%s/cmdline" % p).read().split("\0")[1] == "run")
    processor = max(os.sched_getaffinity(0))
    os.sched_setaffinity(witness, {processor})
    begun, begin = os.pipe()
    hog = os.fork()
    if not hog:
        try:
            os.sched_setaffinity(0, {processor})
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
            os.write(begin, b"1")
            end = time.monotonic() + 0.1
            while time.monotonic() < end:
                pass
        finally:
            os._exit(0)
    os.close(begin)
    os.read(begun, 1)
    os.killpg(pid, signal.SIGUSR1)
    os.waitpid(hog, 0)
    os.close(begun)
    wait_for(lambda: "SIGUSR1" in noted())
    os.kill(pid, signal.SIGTERM)
what = "a signal to the group, of which run learns late, reaches the program once"
try:
    processors = os.sched_getaffinity(0)
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    possible = len(processors) > 1
except PermissionError:
    possible = False
if possible:
    keep = processors - {max(processors)}
    check(what, sent(beside_a_hog, before=lambda: os.sched_setaffinity(0, keep)), (3, ["SIGUSR1", "SIGTERM"]))
else:
    results.append(True)
    print("ok %d # SKIP one process can't be kept off its processor by another on this machine" % len(results))

# What the program sends to its parent is for whoever started run; here, us.
got = []
signal.signal(signal.SIGUSR2, lambda number, frame: got.append(number))
sent(lambda pid: wait_for(lambda: got) and os.kill(pid, signal.SIGTERM), "os.kill(os.getppid(), signal.SIGUSR2)")
check("a signal that the program sends to its parent does not come back to it", (got, noted()[1:]), ([signal.SIGUSR2], ["SIGTERM"]))

def timeout(*command):
    code = subprocess.run(["timeout", "1", *command], stderr=subprocess.DEVNULL).returncode
    return code
check("timeout(1) ends it as it would end the program", timeout(tracelayer, "run", "--", "sleep", "30"), 124)
child = start()
child.kill()
check("SIGKILL to run kills run", child.wait(timeout=10), -signal.SIGKILL)
os.killpg(child.pid, signal.SIGKILL)

# --- stops
def state(pid):
    return open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()[0]
def program_pid():
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            if open("/proc/%s/cmdline" % number).read().split("\0")[1:3] == [program, log]:
                return int(number)
        except OSError:
            pass    # it has ended meanwhile
def stop_and_go(send_stop, send_go):
    child = start()
    send_stop(child.pid)
    _, status = os.waitpid(child.pid, os.WUNTRACED)
    it = program_pid()
    stopped = os.WIFSTOPPED(status), state(it)
    send_go(child.pid)
    wait_for(lambda: state(it) != "T")
    os.kill(child.pid, signal.SIGTERM)
    return stopped, child.wait(timeout=30), noted().count("SIGTERM"), noted().count("SIGCONT")
check("SIGTSTP to run stops the program, and run with it; SIGCONT to run continues both",
      stop_and_go(lambda pid: os.kill(pid, signal.SIGTSTP), lambda pid: os.kill(pid, signal.SIGCONT)), ((True, "T"), 3, 1, 1))
check("so do both to the process group",
      stop_and_go(lambda pid: os.killpg(pid, signal.SIGTSTP), lambda pid: os.killpg(pid, signal.SIGCONT)), ((True, "T"), 3, 1, 1))

# --- a terminal. The child leads a session of its own on it; run is its job in the foreground.
def on_terminal(*command):
    if os.path.exists(log):
        os.unlink(log)
    pid, terminal = pty.fork()
    if not pid:
        os.execv(command[0], command)
    return pid, terminal

def drain(terminal):
    text = b""
    try:
        while chunk := os.read(terminal, 4096):
            text += chunk
    except OSError:
        pass
    return text.decode()

for key, name in (b"\x03", "SIGINT"), (b"\x1c", "SIGQUIT"):
    pid, terminal = on_terminal(tracelayer, "run", "--", python, program, log)
    wait_for(lambda: "ready" in noted())
    os.write(terminal, key)
    drain(terminal)
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    check("%s from the terminal reaches the program once, and run waits for it" % name,
          (os.WIFEXITED(status) and os.WEXITSTATUS(status), noted()[1:]), (3, [name]))

pid, terminal = on_terminal(tracelayer, "run", "--", "sh", "-c", "echo ready; exec sleep 30")
text = b""
while b"ready" not in text:
    text += os.read(terminal, 4096)
os.write(terminal, b"\x03")
drain(terminal)
_, status = os.waitpid(pid, 0)
os.close(terminal)
check("Ctrl-C ends a program that does not catch it, and run dies of SIGINT, too",
      os.WIFSIGNALED(status) and os.WTERMSIG(status), signal.SIGINT)

# A shell with job control: Ctrl-Z, then fg.
pid, terminal = on_terminal("/bin/bash", "--norc", "--noprofile", "-i")
os.write(terminal, ("PS1=; %s run -- %s %s %s\n" % (tracelayer, python, program, log)).encode())
wait_for(lambda: "ready" in noted())
os.write(terminal, b"\x1a")
wait_for(lambda: state(program_pid()) == "T")
time.sleep(0.5)
os.write(terminal, b"jobs -s | grep -c tracelayer >%s/stopped; fg\n" % tmp.encode())
wait_for(lambda: "SIGCONT" in noted())
os.write(terminal, b"\x03")
wait_for(lambda: "SIGINT" in noted())
time.sleep(1)
os.write(terminal, b"echo code $? >%s/code; exit\n" % tmp.encode())
drain(terminal)
os.waitpid(pid, 0)
os.close(terminal)
def text(name):
    return open(tmp + "/" + name).read().strip() if os.path.exists(tmp + "/" + name) else None
check("Ctrl-Z gives the shell its prompt, fg continues the program, Ctrl-C ends it",
      (text("stopped"), noted()[1:], text("code")), ("1", ["SIGCONT", "SIGINT"], "code 3"))

pid, terminal = on_terminal(tracelayer, "run", "--", "sh", "-c", "stty -echo; read line; echo got $line; tty")
time.sleep(0.5)
os.write(terminal, b"typed\n")
out = drain(terminal)
os.waitpid(pid, 0)
os.close(terminal)
check("the program reads from the terminal, and has it as its own", "got typed" in out and "/dev/pts/" in out, True)
# Stopped and continued by their numbers, as tools do that limit a process's share.
def stop_and_go(whom, who):
    command = subprocess.Popen([tracelayer, "run", "--quiet", "--", "sleep", "0.9"], start_new_session=True)
    program = ""
    while not program:
        time.sleep(0.05)
        program = subprocess.run(["pgrep", "-P", str(command.pid), "-x", "sleep"], capture_output=True, text=True).stdout.split("\n")[0]
    numbers = {"program": int(program), "command": command.pid}
    os.kill(numbers[whom], signal.SIGSTOP)
    time.sleep(0.3)
    os.kill(numbers[who], signal.SIGCONT)
    try:
        return command.wait(20)
    except subprocess.TimeoutExpired:
        os.killpg(command.pid, signal.SIGKILL)
        return "it stays stopped"

check("a program that is stopped and continued by its own number goes on, and so does run", stop_and_go("program", "program"), 0)

# The group is stopped, and run alone continued.
def group_and_alone():
    command = subprocess.Popen([tracelayer, "run", "--quiet", "--", "sleep", "3"], start_new_session=True)
    wait_for(lambda: subprocess.run(["pgrep", "-P", str(command.pid), "-x", "sleep"], capture_output=True).stdout)
    os.killpg(command.pid, signal.SIGSTOP)
    time.sleep(0.3)
    stopped = state(command.pid) == "T"
    os.kill(command.pid, signal.SIGCONT)
    try:
        return stopped, command.wait(20)
    except subprocess.TimeoutExpired:
        os.killpg(command.pid, signal.SIGKILL)
        return "it stays stopped"
check("SIGCONT to run alone continues both where the group was stopped", group_and_alone(), (True, 0))
# As often as such tools do it, and as soon: the program may go on before run has stopped.
def often():
    command = subprocess.Popen([tracelayer, "run", "--quiet", "--", "sleep", "3"], start_new_session=True)
    program = ""
    while not program:
        time.sleep(0.05)
        program = subprocess.run(["pgrep", "-P", str(command.pid), "-x", "sleep"], capture_output=True, text=True).stdout.split("\n")[0]
    for i in range(300):
        os.kill(int(program), signal.SIGSTOP)
        time.sleep(i % 8 / 10000)
        os.kill(int(program), signal.SIGCONT)
        time.sleep(0.002)
    try:
        return command.wait(20)
    except subprocess.TimeoutExpired:
        os.killpg(command.pid, signal.SIGKILL)
        return "it stays stopped"
check("also 300 times, one right behind the other", often(), 0)

# A program that stops itself again and again, each time continued with its group.
command = subprocess.Popen([tracelayer, "run", "--quiet", "--", python, "-c", "import os, signal\nfor i in range(60): os.kill(os.getpid(), signal.SIGSTOP)"],
                           start_new_session=True)
stops = 0
end = time.monotonic() + 60
while time.monotonic() < end:
    pid, status = os.waitpid(command.pid, os.WUNTRACED | os.WNOHANG)
    if pid and os.WIFSTOPPED(status):
        stops += 1
        os.killpg(command.pid, signal.SIGCONT)
    elif pid:
        break
    else:
        time.sleep(0.001)
else:
    os.killpg(command.pid, signal.SIGKILL)
check("a program that stops itself 60 times: its parent sees each stop, and it ends", stops, 60)
print("1..%d" % len(results))
sys.exit(not all(results))
END
