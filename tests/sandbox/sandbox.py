#!/usr/bin/env python3
"""Runs everything that the heap does behind filters of system calls.

Arguments: the program `sandboxed`, the preload library, the source tree, a C compiler. The filters
are exactly the list of docs/deployment.md, with the arguments that it names; the same with the rows
for settings; and those of real services, in filters/."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SKIPPED = 77
REFUSED = 31

# Calls of the program and of libc.
PROGRAM = {"write", "exit_group", "rt_sigreturn"}
THREADS = {"clone3", "clone", "set_robust_list", "rseq", "mprotect", "rt_sigprocmask", "rt_sigaction", "exit",
           "wait4", "mmap", "munmap", "madvise", "futex", "getpid", "gettid", "set_tid_address"}
FOREIGN = {"brk", "getrandom"}
SLEEP = {"clock_nanosleep"}
RAISE = {"gettid", "tgkill", "rt_sigprocmask"}

ALONE = "small,tables,maps,grow,refuse,purge,heaps"
# The values of the names that the page has for arguments: of x86-64 and most other processors.
VALUES = {"PROT_READ | PROT_WRITE": 3, "MAP_PRIVATE | MAP_ANONYMOUS": 0x22, "MREMAP_MAYMOVE": 1,
          "MADV_DONTNEED": 4, "MADV_DONTNEED_LOCKED": 24, "MADV_POPULATE_WRITE": 23,
          "MADV_HUGEPAGE": 14, "MADV_NOHUGEPAGE": 15,
          "FUTEX_WAIT_PRIVATE": 128, "FUTEX_WAKE_PRIVATE": 129, "FUTEX_CMP_REQUEUE_PRIVATE": 132}
PLACES = {"mmap": (2, 3), "mremap": (3,), "madvise": (2,), "futex": (1,)}

failures = 0


def numbers(compiler: str) -> dict[str, int]:
    text = subprocess.run([*compiler.split(), "-E", "-dM", "-"], input="#include <sys/syscall.h>\n",
                          text=True, capture_output=True, check=True).stdout
    return {name: int(n) for name, n in re.findall(r"#define __NR_(\w+) (\d+)$", text, re.MULTILINE)}


def listed(page: str) -> dict[str, set[str]]:
    """The rows of the table of system calls: those at the start, and the others."""
    table = page.split("| when | system calls |")[1].split("\n\n")[0]
    rows = {}
    for when, calls in re.findall(r"^\| (.+?) \| (.+?) \|$", table, re.MULTILINE)[0:]:
        rows[when.replace("`", "")] = set(re.findall(r"`(\w+)`", calls))
    rows.pop("---", None)
    return rows


def with_arguments(page: str) -> dict[str, list[str]]:
    """What the page says of the arguments: for each call the conditions, one of which must hold."""
    conditions: dict[str, list[str]] = {}
    for call, names in re.findall(r"^- `(\w+)`: (.*?)(?=^- |\n\n)", page, re.MULTILINE | re.DOTALL):
        values = [VALUES[name] for name in re.findall(r"`([A-Z_ |]+)`", " ".join(names.split()))]
        places = PLACES[call]
        if len(places) == 2:
            conditions[call] = ["".join(f":{p}={v}" for p, v in zip(places, values))]
        else:
            conditions[call] = [f":{places[0]}={v}" for v in values]
    return conditions


class Sandbox:
    def __init__(self, program: Path, preload: Path, known: dict[str, int]) -> None:
        self.program, self.preload, self.known = program, preload, known

    def calls(self, names: set[str], conditions: dict[str, list[str]]) -> str:
        return ",".join(f"{self.known[name]}{condition}" for name in sorted(names)
                        if name in self.known for condition in conditions.get(name, [""]))

    def run(self, when: str, what: str, names: set[str], conditions: dict[str, list[str]] | None = None,
            **settings: str) -> tuple[int, str]:
        environment = {key: value for key, value in os.environ.items()
                       if not key.startswith("HEAPSMITH_")}
        environment |= {"LD_PRELOAD": str(self.preload)} | settings
        done = subprocess.run([self.program, when, what, self.calls(names, conditions or {})],
                              env=environment, text=True, capture_output=True, timeout=100)
        if done.returncode == SKIPPED:
            print("skipped: the kernel has no filters")
            sys.exit(SKIPPED)
        said = done.stdout.strip()
        if number := re.search(r"refused (\d+)", said):
            said = "refused " + next((name for name, n in self.known.items()
                                      if n == int(number[1])), number[1])
        if done.returncode == -signal.SIGABRT:
            said += done.stderr[-1000:]  # what was wrong
        return done.returncode, said

    def expect_fine(self, title: str, *arguments, **settings: str) -> None:
        code, said = self.run(*arguments, **settings)
        tell(title, code == 0 and said.endswith("ok"), f"status {code}, {said}")


def tell(title: str, is_fine: bool, otherwise: str = "") -> None:
    global failures
    print(f"ok: {title}" if is_fine else f"FAILED: {title}: {otherwise}", flush=True)
    failures += not is_fine


def check_page(box: Sandbox, page: str) -> None:
    rows, conditions = listed(page), with_arguments(page)
    usual = rows["at work"]
    for when in "early", "warm":
        box.expect_fine(f"the page's list, {when}", when, ALONE, usual | PROGRAM, conditions)
        box.expect_fine(f"it, with blocks of libc's, {when}", when, ALONE + ",foreign",
                        usual | PROGRAM | FOREIGN)
        box.expect_fine(f"it, at the limit of address space, {when}", when, ALONE + ",exhaust",
                        usual | PROGRAM, conditions)
        box.expect_fine(f"it, with threads and children, {when}", when, ALONE + ",threads,fork",
                        usual | PROGRAM | THREADS)
        for wanted in "0", "1":
            box.expect_fine(f"it, with huge_pages={wanted}, {when}", when, ALONE,
                            usual | PROGRAM, conditions, HEAPSMITH_HUGE_PAGES=wanted)
    for name in usual:
        code, said = box.run("early", ALONE, usual - {name} | PROGRAM)
        tell(f"without {name} it is refused", code == REFUSED and said == f"refused {name}",
             f"status {code}, {said}")
    with tempfile.TemporaryDirectory() as folder:
        for row, what, own, settings in (
                ("messages, statistics on stderr", "small", set(),
                 {"HEAPSMITH_STATS": "1", "HEAPSMITH_VERBOSE": "1"}),
                ("statistics in a file", "small", set(), {"HEAPSMITH_STATS_FILE": f"{folder}/s"}),
                ("hs_prefault", "prefault", set(), {}),
                ("purge_thread=1", "purger", SLEEP,
                 {"HEAPSMITH_PURGE_THREAD": "1", "HEAPSMITH_PURGE_DELAY_MS": "50"})):
            box.expect_fine(f"the row {row}", "warm", what, usual | rows[row] | PROGRAM | own,
                            **settings)
            box.expect_fine(f"the row {row}, early", "early", what,
                            usual | rows[row] | PROGRAM | own, **settings)


def check_signal(box: Sandbox, page: str) -> None:
    """The report that a process writes when SIGTERM ends it."""
    rows = listed(page)
    names = (rows["at work"] | rows["statistics in a file"] | rows["statistics on signals"] |
             PROGRAM - {"rt_sigreturn", "exit_group"} | RAISE)

    def run(names: set[str]) -> tuple[int, str, bool]:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "figures")
            ended = box.run("early", "small,terminate", names, HEAPSMITH_STATS_FILE=str(file))
            return *ended, file.exists() and "statistics of" in file.read_text()

    code, said, is_told = run(names)
    tell("the row statistics on signals", code == -signal.SIGTERM and is_told,
         f"status {code}, {said}")
    for name in rows["statistics on signals"]:
        code, said, _ = run(names - {name} | {"exit_group"})
        tell(f"without {name} it is refused", code == REFUSED and said == f"refused {name}",
             f"status {code}, {said}")


def check_services(box: Sandbox, folder: Path) -> None:
    def names(service: str) -> set[str]:
        return set(re.sub(r"#.*", "", (folder / f"{service}.calls").read_text()).split())

    for service, what in ("sshd", ALONE), ("chronyd", ALONE + ",fork"), \
            ("named", ALONE.replace("grow,", "")):
        for when in "early", "warm":
            box.expect_fine(f"behind the filter of {service}, {when}", when, what,
                            names(service) | PROGRAM)
    everything = ALONE + ",foreign,threads,fork,exhaust,prefault"
    for service in "redis-server", "system-service":
        for when in "early", "behind":
            box.expect_fine(f"behind the filter of {service}, {when}", when, everything,
                            names(service))
        box.expect_fine(f"behind it, with statistics and the purger", "behind",
                        everything + ",purger", names(service), HEAPSMITH_STATS="1",
                        HEAPSMITH_PURGE_THREAD="1", HEAPSMITH_PURGE_DELAY_MS="50")
    check_redis(box, names("redis-server"))


def check_redis(box: Sandbox, names: set[str]) -> None:
    """Debian's redis-server behind the filter of its unit, while tables grow."""
    if not shutil.which("redis-server") or not shutil.which("redis-cli"):
        print("skipped: there is no redis-server")
        return
    load = ("for i=1,200000 do redis.call('sadd','s',i*7) end "
            "for i=1,200000 do redis.call('hset','h'..(i%1000),'f'..i,'v'..i) end return 'loaded'")
    with tempfile.TemporaryDirectory() as folder:
        socket = f"{folder}/socket"
        server = subprocess.Popen(
            [box.program, "behind", "", box.calls(names, {}), "redis-server", "--port", "0",
             "--unixsocket", socket, "--dir", folder, "--save", ""],
            env=os.environ | {"LD_PRELOAD": str(box.preload)}, stdout=subprocess.DEVNULL)
        for _ in range(100):
            if os.path.exists(socket) or server.poll() is not None:
                break
            time.sleep(0.05)
        said = subprocess.run(["redis-cli", "-s", socket, "eval", load, "0"], text=True, timeout=100,
                              capture_output=True).stdout.strip()
        alive = server.poll() is None
        server.terminate()
        tell("redis-server behind the filter of its unit", said == "loaded" and alive,
             f"{said}, status {server.wait()}")


def main() -> None:
    program, preload, source = (Path(argument).resolve() for argument in sys.argv[1:4])
    box = Sandbox(program, preload, numbers(sys.argv[4]))
    page = (source / "docs/deployment.md").read_text()
    check_page(box, page)
    check_signal(box, page)
    check_services(box, source / "tests/sandbox/filters")
    sys.exit(failures != 0)


main()
