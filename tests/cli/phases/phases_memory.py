# SPDX-License-Identifier: MIT
# What reading a trace takes, told by how little address space it still works in: ten times as many runs of the same size take no more, a larger run
# does.
import os, resource, subprocess, sys

tracelayer, maker, stress = sys.argv[1:]
path = os.path.join(os.environ.get("TMPDIR", "/tmp"), "phases-memory.%d" % os.getpid())


def works(limit):
    def limited():
        resource.setrlimit(resource.RLIMIT_AS, (limit * 1024, limit * 1024))

    return subprocess.run([tracelayer, "phases", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=limited).returncode == 0


def least(size, runs):
    """In kB, for a trace of this size and so many runs."""
    with open(path, "wb") as file:
        subprocess.run([maker, str(size), str(runs)], stdout=file, check=True)
    low, high = 1 << 10, 1 << 20
    assert works(high)
    while high - low > 64:
        middle = (low + high) // 2
        low, high = (low, middle) if works(middle) else (middle, high)
    return high


try:
    unit = 500000
    few, many, large = least(2 * unit, 2), least(20 * unit, 20), least(20 * unit, 1)
    print("2 runs: %d kB, 20 runs: %d kB, one as large as those: %d kB" % (few, many, large))
    assert many < few + 256
    assert large > few + 512
    if stress == "1":
        most = least(1000000000, 200)
        print("1 GB of 200 runs: %d kB" % most)
        assert most < few + 4096
finally:
    os.unlink(path)
