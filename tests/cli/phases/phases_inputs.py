# SPDX-License-Identifier: MIT
# The trace in each form that a trace comes in: phases_inputs.py TRACE FOLDER
import base64, gzip, os, sys

trace, folder = open(sys.argv[1]).read(), sys.argv[2]


def write(name, data):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data.encode() if isinstance(data, str) else data)


def page(script):
    lines = "<!DOCTYPE html>\n<html>\n<script>\nvar header = 'TASK-PID';\n" + "x" * 3000000 + "\n</script>\n"
    return lines + script + "\n</script>\n</body>\n</html>\n"


packed = gzip.compress(trace.encode())
letters = base64.b64encode(packed).decode()
write("plain.html", page('<script class="trace-data" type="application/text">\n# tracer: nop\n' + trace))
write("packed.html", page('<script id="viewer-data" type="application/text">\n' + letters))
write("wrapped.html", page('<script id="viewer-data" type="application/text">' + "\n".join(letters[i:i + 76] for i in range(0, len(letters), 76))))
write("text.gz", packed)
write("page.gz", gzip.compress(page('<script id="viewer-data" type="application/text">\n' + letters).encode()))
write("two.gz", gzip.compress(trace[:200].encode()) + gzip.compress(trace[200:].encode()))
write("cut.gz", packed[:-20])
write("cut.html", page('<script id="viewer-data" type="application/text">\n' + letters)[:3000400])
write("damaged.gz", packed[:60] + b"\xff\xff\xff\xff\xff\xff\xff\xff" + packed[68:])
write("dos.txt", trace.replace("\n", "\r\n"))
write("mac.txt", trace.replace("\n", "\r"))
write("no_end.txt", trace.rstrip("\n"))
write("long.txt", trace + "  foreign-1 " + "y" * 3000000 + "\n")
write("newer.txt", trace.replace("#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION",
                                 "#           TASK-PID    TGID       CPU#  |||||  TIMESTAMP  FUNCTION").replace("...1", "d..1."))
write("newer_old.txt", trace.replace("#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION",
                                     "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION").replace("( 5143) ", "").replace("(  774) ", ""))
write("dashes.txt", trace.replace("( 5143)", "(-------)"))
write("nothing.txt", "")
