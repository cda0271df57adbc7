# SPDX-License-Identifier: MIT
"""pti_view.py LIBRARY PROGRAM: runs a Python program under Intel's Profiling Tools Interfaces (libpti_view.so, a subscriber of XPTI), and prints each call
of SYCL's runtime that it has recorded: its name, its number, and what it gave back. In the end, the dispatchers of XPTI in the process."""
import ctypes
import runpy
import sys

library, program = sys.argv[1:3]
pti = ctypes.CDLL(library)
pti.ptiVersionString.restype = pti.ptiResultTypeToString.restype = ctypes.c_char_p
SIZE = 1 << 22
RUNTIME_CALLS = 6  # enum pti_view_kind


class Record(ctypes.Structure):
    """pti_view_record_api, as far as it is read here."""
    _fields_ = [("kind", ctypes.c_uint32), ("pad", ctypes.c_uint32), ("start", ctypes.c_uint64), ("end", ctypes.c_uint64), ("group", ctypes.c_uint32),
                ("api", ctypes.c_uint32), ("process", ctypes.c_uint32), ("thread", ctypes.c_uint32), ("correlation", ctypes.c_uint32),
                ("result", ctypes.c_uint32)]


def checked(result):
    if result:
        raise SystemExit("pti: " + pti.ptiResultTypeToString(result).decode())


buffers, records = [], []


@ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t))
def give_buffer(pointer, size):
    buffers.append(ctypes.create_string_buffer(SIZE))
    pointer[0], size[0] = ctypes.addressof(buffers[-1]), SIZE


@ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
def take_buffer(pointer, size, used):
    at, name = ctypes.POINTER(Record)(), ctypes.c_char_p()
    while pointer and pti.ptiViewGetNextRecord(ctypes.c_void_p(pointer), ctypes.c_size_t(used), ctypes.byref(at)) == 0:
        record = at.contents
        if record.kind == RUNTIME_CALLS:
            checked(pti.ptiViewGetApiIdName(record.group, record.api, ctypes.byref(name)))
            records.append((record.correlation, name.value.decode(), record.result, record.end >= record.start))


checked(pti.ptiViewSetCallbacks(give_buffer, take_buffer))
checked(pti.ptiViewEnable(RUNTIME_CALLS))
runpy.run_path(program)
checked(pti.ptiViewDisable(RUNTIME_CALLS))
checked(pti.ptiFlushAllViews())
print(pti.ptiVersionString().decode(), len(records), "calls")
for record in sorted(records):
    print(*record)
print("dispatchers:", *sorted({line.split()[-1] for line in open("/proc/self/maps") if "libxptifw" in line or "libtracelayer-xpti" in line}))
