"""Hostile programs, each of which tries one attack. They limit themselves, in case a sandbox fails.

Every program gets `facts` about its targets as its only argument, in JSON. It reports on its standard error what it
achieved, and then plays default orders, unless the attack is the way in which it plays.
"""

from __future__ import annotations

PRELUDE = """
import json, os, signal, socket, subprocess, sys, time
facts, begin = json.loads(sys.argv[1]), time.monotonic()
def said(what):
    sys.stderr.write("GOT " + str(what) + "\\n")
    sys.stderr.flush()
def say(line):
    sys.stdout.write(line + "\\n")
    sys.stdout.flush()
def turns():
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "turn":
            yield message
def answer(turn):
    say(json.dumps({"id": turn["id"], "orders": {}}))
def play():
    for turn in turns():
        answer(turn)
def others():
    own = {os.getpid()}
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) not in own]
def look(read):
    try:
        return read()
    except OSError as error:
        return "refused: " + error.strerror
"""

# By description of the attack: the source of the program
HOSTILE: dict[str, str] = {
    "starts processes without end (40, each for 5 s)": """
children = 0
try:
    for _ in range(40):
        subprocess.Popen(["/bin/sleep", "5" + facts["nap"]])
        children += 1
        time.sleep(0.01)
except OSError as error:
    pass
said(f"{children} processes")
play()
""",
    "leaves a child in a session of its own": """
child = subprocess.Popen(["/bin/sleep", "20" + facts["nap"]], start_new_session=True, stdin=-3, stdout=-3, stderr=-3)
said("a child")
play()
""",
    "leaves a grandchild whose parent has ended": """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for stream in range(3):
            os.close(stream)
        os.execv("/bin/sleep", ["sleep", "20" + facts["nap"]])
    os._exit(0)
os.wait()
said("a grandchild")
play()
""",
    "ignores SIGTERM and the end of its input": """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
said("going on")
play()
time.sleep(20)
""",
    "stops itself": "next(turns())\nos.kill(os.getpid(), signal.SIGSTOP)\n",
    "floods its output (20 MB)": """
for turn in turns():
    answer(turn)
    if turn["turn"] == 0:
        for _ in range(20_000):
            say("x" * 1000)
""",
    "floods its standard error (20 MB)": """
for _ in range(20_000):
    sys.stderr.write("x" * 1000 + "\\n")
play()
""",
    "writes a line of 4 MB": """
for turn in turns():
    if turn["turn"] == 0:
        sys.stdout.write("x" * 4_000_000)
        sys.stdout.flush()
    answer(turn)
""",
    "answers late": """
for turn in turns():
    if turn["turn"] == 1:
        time.sleep(0.9)
    answer(turn)
""",
    "answers twice, and before it is asked": """
for turn in turns():
    answer(turn)
    answer(turn)
    say(json.dumps({"id": turn["id"] + 1, "orders": {"power_down": True}}))
""",
    "reads the environment of other processes": """
def read():
    found = 0
    for pid in others():
        try:
            found += facts["secret"].encode() in open(f"/proc/{pid}/environ", "rb").read()
        except OSError:
            pass
    return "the secret" if found else "nothing"
said(look(read))
play()
""",
    "reads the command lines of other processes": """
def read():
    found = 0
    for pid in others():
        try:
            found += b"--salt-of-the-" + b"game=" in open(f"/proc/{pid}/cmdline", "rb").read()
        except OSError:
            pass
    return "a salt that was given there" if found else "nothing"
said(look(read))
play()
""",
    "reads the memory of the game": """
def read():
    with open(f"/proc/{facts['game']}/mem", "rb") as memory:
        memory.seek(facts["address"])
        return "the salt" if memory.read(16).hex() == facts["salt"] else "other bytes"
said(look(read))
play()
""",
    "traces the game": """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
if libc.ptrace(0x4206, facts["game"], 0, 0) == 0:
    said("control of it")
    libc.ptrace(17, facts["game"], 0, 0)
else:
    said("refused: " + os.strerror(ctypes.get_errno()))
play()
""",
    "looks for the salt in the folder of results": """
said(look(lambda: "the salt" if facts["salt"] in open(facts["results"]).read() else "only its SHA-256"))
play()
""",
    "reads a private file of the user": """
said(look(lambda: "the file" if open(facts["private"]).read() else ""))
play()
""",
    "reads the folder of another bot": """
said(look(lambda: "its program" if open(facts["other"]).read() else ""))
play()
""",
    "changes its own files": """
def write():
    with open(sys.argv[0], "a") as file:
        file.write("# changed")
    return "changed"
said(look(write))
play()
""",
    "writes into the folder of results": """
def write():
    with open(facts["results"] + ".forged", "w") as file:
        file.write("I won")
    return "written"
said(look(write))
play()
""",
    "keeps a note for its next game": """
places = [os.environ.get("TMPDIR", "/tmp"), "/tmp", os.path.dirname(sys.argv[0]), "/dev/shm"]
notes = [os.path.join(place, "rr-gym-note-" + facts["mark"]) for place in places]
said("its note" if any(map(os.path.exists, notes)) else "nothing")
for note in notes:
    look(lambda: open(note, "w").close())
play()
""",
    "fills the disk (60 MB)": """
written = 0
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
def write():
    global written
    folder = os.environ.get("TMPDIR", "/tmp")
    for number in range(6):
        with open(os.path.join(folder, "fill-" + facts["mark"] + str(number)), "wb", 0) as file:
            for _ in range(10):
                written += file.write(bytes(1_000_000))
    return ""
refused = look(write)
said(f"{written // 1_000_000} MB" + (", " + refused if refused else ""))
play()
""",
    "takes memory (500 MB)": """
taken = []
try:
    for _ in range(50):
        taken.append(bytearray(b"x") * 10_000_000)
        time.sleep(0.01)
except MemoryError:
    pass
said(f"{len(taken) * 10} MB")
play()
""",
    "uses processor time without end (6 s)": """
while time.process_time() < 6 and time.monotonic() < begin + 20:
    pass
said("6 s")
play()
""",
    "connects to a server on this machine": """
def read():
    with socket.create_connection(("127.0.0.1", facts["port"]), 2):
        return "connected"
said(look(read))
play()
""",
    "listens, for others to connect": """
server = socket.create_server(("127.0.0.1", facts["free"]))
said("listening")
play()
""",
    "kills the game": """
said(look(lambda: os.kill(facts["victim"], signal.SIGKILL) or "killed it"))
play()
""",
    "kills the process that keeps it": """
child = subprocess.Popen(["/bin/sleep", "20" + facts["nap"]], start_new_session=True, stdin=-3, stdout=-3, stderr=-3)
said("a child")
next(turns())
if os.getppid() > 1 and os.getppid() != facts["game"]:
    os.kill(os.getppid(), signal.SIGKILL)
time.sleep(20)
""",
}  # fmt: skip

# By description of the attack: the script of the build step; `$1` is a folder of somebody else
BUILDS: dict[str, str] = {
    "fails": "echo 'there is no rule to make it' >&2\nexit 2\n",
    "never ends, and leaves a child in a session of its own": "setsid sleep 20 &\nsleep 20\n",
    "closes its output and goes on": "exec 1>&- 2>&-\nsleep 20\n",
    "writes into another folder": "echo forged > \"$1/forged\" && echo written >&2\nexit 3\n",
    "reads another folder": "cat \"$1/private\" && echo 'read it' >&2\nexit 3\n",
    "fetches something from a server": (
        "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", '$2'), 1)' 2>/dev/null && "
        "echo connected >&2\nexit 3\n"
    ),
    "writes files without end (600 MB)": (
        "for i in 1 2 3 4 5 6; do head -c 100000000 /dev/zero > big$i || exit 4; done\n"
    ),
}
