# Ten times as many runs of the same size take no more memory; nor does a file that is mostly other programs' rows.
import os, subprocess, sys

tracelayer, maker, stress = sys.argv[1:]


def peak(size, runs, through_pipe):
    """What reading such a trace takes at most, in kB."""
    path = os.path.join(os.environ.get("TMPDIR", "/tmp"), "phases-memory.%d" % os.getpid())
    with open(path, "wb") as file:
        subprocess.run([maker, str(size), str(runs)], stdout=file, check=True)
    try:
        pid = os.fork()
        if not pid:
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, 1)
            if through_pipe:
                os.dup2(subprocess.Popen(["cat", path], stdout=subprocess.PIPE).stdout.fileno(), 0)
            os.execv(tracelayer, [tracelayer, "phases", "-" if through_pipe else path])
        _, status, usage = os.wait4(pid, 0)
        assert status == 0, status
        return usage.ru_maxrss
    finally:
        os.unlink(path)


unit = 500000
few, many, piped = peak(4 * unit, 4, False), peak(40 * unit, 40, False), peak(40 * unit, 40, True)
print(few, many, piped)
assert many < few + 1024 and piped < few + 1024
large = peak(8 * unit, 1, False)
print("a run eight times as large:", large)
assert large > few, "a larger run shows: what is measured is not nothing"
if stress == "1":
    most = peak(1000000000, 200, False)
    print("1 GB of 200 runs:", most)
    assert most < few + 16384
