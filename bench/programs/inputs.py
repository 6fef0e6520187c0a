#!/usr/bin/env python3
"""Makes the input of the suite `programs`, the same on every machine: inputs.py CASES FOLDER."""
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path


class Numbers:
    """A generator that no version of Python changes."""

    def __init__(self, seed):
        self.state = seed

    def below(self, bound):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) * bound >> 31


SYLLABLES = "ar be co du el fi go ha in ju ka lo mi nu or pe qui ra so tu un ve wi xe yo za".split()


def words(numbers, count):
    vocabulary = ["".join(SYLLABLES[numbers.below(26)] for _ in range(1 + n % 4)) for n in range(997)]
    return [vocabulary[numbers.below(997) * numbers.below(997) // 997] for _ in range(count)]


def text(seed, count):
    """Lines of words and numbers, some of which come again and again."""
    numbers = Numbers(seed)
    chosen = words(numbers, count)
    lines = [
        f"{start} {chosen[start]}-{numbers.below(10000)} {' '.join(chosen[start + 1:start + 9])}\n"
        for start in range(0, count, 9)
    ]
    return "".join(lines)


def sql(cases, rows):
    """The database of the tests of programs under preload, with more rows."""
    script = (cases / "shop.sql").read_text()
    assert script.count("i < 60000)") == 1
    return script.replace("i < 60000)", f"i < {rows})")


def redis(commands):
    """Values of every type grow, change and end."""
    made = ["CONFIG SET save ''"]
    for i in range(commands // 8):
        made += [
            f"SET string:{i % 30000} {'s' * (i % 300 + 1)}{i}",
            f"APPEND string:{i * 7 % 30000} {'tail' * (i % 9 + 1)}{i}",
            f"RPUSH list:{i % 300} element{i}",
            f"HSET hash:{i % 2000} field{i % 97} {i * 7}",
            f"ZADD sorted:{i % 50} {i % 1000} member{i % 5000}",
            f"SADD set:{i % 700} {i}",
            f"DEL string:{i * 5 % 30000}" if i % 3 == 0 else f"LPOP list:{i * 11 % 300}",
            f"SETRANGE page:{i % 400} {i % 4000} {'p' * (i % 50 + 1)}",
        ]
    return "".join(f"{command}\r\n" for command in made)


def smt(holes, bits, times):
    """Pigeons that do not fit into their holes, a product, and sums of integers: one answer each."""
    out = ["(set-logic ALL)", "(push)"]
    out += [f"(declare-const p{i}_{j} Bool)" for i in range(holes + 1) for j in range(holes)]
    for i in range(holes + 1):
        out.append(f"(assert (or {' '.join(f'p{i}_{j}' for j in range(holes))}))")
    for j in range(holes):
        for i in range(holes + 1):
            out += [f"(assert (or (not p{i}_{j}) (not p{k}_{j})))" for k in range(i)]
    out += ["(check-sat)", "(pop)", "(push)"]
    out += [f"(declare-const {name} (_ BitVec {bits}))" for name in "ab"]
    out += [f"(assert (bvult (_ bv1 {bits}) a))", "(assert (bvult a b))"]
    half = bits // 2
    out += [f"(assert (bvult {name} (_ bv{2**half} {bits})))" for name in "ab"]
    first, second = largest_primes(2**half)
    out += [f"(assert (= (bvmul a b) (_ bv{first * second} {bits})))"]
    out += ["(check-sat)", "(get-value (a b))", "(pop)", "(push)"]
    size = holes
    cells = [[f"x{r}_{c}" for c in range(size)] for r in range(size)]
    out += [f"(declare-const {cell} Int)" for row in cells for cell in row]
    out += [f"(assert (<= 1 {cell} {size}))" for row in cells for cell in row]
    for lane in cells + [list(column) for column in zip(*cells)]:
        out.append(f"(assert (distinct {' '.join(lane)}))")
    for r in range(size):
        for c in range(size):
            if (r * 5 + c * 3) % 7 < 4:
                out.append(f"(assert (= {cells[r][c]} {(r + c) % size + 1}))")
    out += ["(check-sat)", "(pop)"]
    return "\n".join(out[:1] + out[1:] * times) + "\n"


def largest_primes(bound):
    found = []
    number = bound
    while len(found) < 2:
        number -= 1
        if all(number % divisor for divisor in range(2, int(number**0.5) + 1)):
            found.append(number)
    return sorted(found)


def postscript(pages):
    """Pages of text in three fonts, curves, and shaded fields."""
    out = ["%!PS-Adobe-3.0"]
    fonts = ["Times-Roman", "Helvetica-Bold", "Courier"]
    for page in range(pages):
        numbers = Numbers(page)
        for line in range(60):
            font = fonts[(page + line) % 3]
            said = " ".join(words(numbers, 10))
            out.append(f"/{font} findfont {8 + line % 5} scalefont setfont")
            out.append(f"40 {770 - line * 12} moveto ({said}) show")
        for _ in range(150):
            points = " ".join(str(numbers.below(600)) for _ in range(8))
            x1, y1, rest = points.split(" ", 2)
            colour = " ".join(f"0.{numbers.below(10)}" for _ in range(3))
            end = "fill" if numbers.below(3) == 0 else "stroke"
            out.append(f"newpath {colour} setrgbcolor {x1} {y1} moveto {rest} curveto {end}")
        out.append(
            "<< /ShadingType 2 /ColorSpace /DeviceRGB /Coords [0 0 600 0] /Function << "
            "/FunctionType 2 /Domain [0 1] /C0 [1 0 0] /C1 [0 0 1] /N 1 >> >> "
            f"gsave 50 {20 + page} 500 90 rectclip shfill grestore showpage"
        )
    return "\n".join(out) + "\n"


def history(versions, files):
    """A stream for git fast-import: in each version a third of the files changes a little."""
    contents = [text(1000 + file, 900).splitlines(keepends=True) for file in range(files)]
    out = []
    for version in range(versions):
        out.append(
            "commit refs/heads/main\n"
            f"committer author <author@localhost> {1700000000 + version * 60} +0000\n"
            f"data <<END\nversion {version}\nEND\n"
        )
        for file in range(files):
            if version > 0 and (file + version) % 3:
                continue
            lines = contents[file]
            lines[version * 7 % len(lines)] = f"version {version} of line in file {file}\n"
            lines.insert(version * 13 % len(lines), f"a new line {version}\n")
            content = "".join(lines)
            out.append(
                f"M 100644 inline folder{file % 17}/file{file}\ndata {len(content)}\n{content}\n"
            )
    return "".join(out)


def repository(path, stream):
    plain = dict(os.environ, GIT_CONFIG_NOSYSTEM="1", GIT_CONFIG_GLOBAL="/dev/null")
    git = ["git", "-c", "fastimport.unpackLimit=0", "-c", "core.compression=1"]
    create = ["init", "-q", "--bare", "--template=", "-b", "main", str(path)]
    subprocess.run([*git, *create], env=plain, check=True)
    command = [*git, "-C", str(path), "fast-import", "--quiet", "--force"]
    subprocess.run(command, input=stream.encode(), env=plain, check=True)


def folders(path, files):
    """A tree for searches. Each folder has rules of its own about what not to search."""
    for folder in range(40):
        (path / f"folder{folder}").mkdir(parents=True)
        rules = [f"*.{word}" for word in words(Numbers(folder), 40)]
        (path / f"folder{folder}" / ".ignore").write_text("\n".join(rules) + "\n")
    for file in range(files):
        (path / f"folder{file % 40}" / f"file{file}.txt").write_text(text(file, 1200))


def records(count):
    """A document in JSON."""
    numbers = Numbers(5)
    chosen = words(numbers, count + 40)
    made = [{"id": n, "kind": chosen[n % 37], "name": chosen[n],
             "weights": [numbers.below(1000) for _ in range(n % 12)],
             "text": " ".join(chosen[n:n + 1 + n % 30])} for n in range(count)]
    return json.dumps(made)


def picture(side):
    """Smooth fields and noise, as PPM."""
    numbers = Numbers(6)
    noise = bytes(numbers.below(32) for _ in range(4099))
    row = lambda y: bytes((x * 3 + y // 2 + noise[(x * y + x) % 4099]) % 256 for x in range(3 * side))
    return b"P6\n%d %d\n255\n" % (side, side) + b"".join(row(y) for y in range(side))


def drawing(shapes):
    """Curves that shine through: each is drawn in a layer of its own, which is as large as the page."""
    numbers = Numbers(7)
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="1200">']
    for _ in range(shapes):
        points = " ".join(str(numbers.below(1200)) for _ in range(6))
        start, colour = f"{numbers.below(1200)} {numbers.below(1200)}", numbers.below(0x1000000)
        out.append(f'<path d="M {start} C {points}" fill="#{colour:06x}" stroke="#000" opacity="0.5"/>')
    return "\n".join(out) + "\n</svg>\n"


def make(cases, folder, size):
    """Size 4 is the whole input, and 1 that of short runs."""
    folder.mkdir(parents=True)
    (folder / "text").write_text(text(1, 250_000 * size))
    (folder / "shop.sql").write_text(sql(cases, 40_000 * size))
    (folder / "commands").write_text(redis(120_000 * size))
    (folder / "puzzles.smt2").write_text(smt(8, 18, (size + 2) // 2))
    (folder / "pages.ps").write_text(postscript(10 * size))
    repository(folder / "history.git", history(40, 40 * size))
    folders(folder / "tree", 800 * size)
    (folder / "records.json").write_text(records(4_000 * size))
    (folder / "picture.ppm").write_bytes(picture(600 * size))
    (folder / "drawing.svg").write_text(drawing(200 * size))


def main():
    cases, folder = Path(sys.argv[1]), Path(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    make(cases, folder / "whole", 4)
    make(cases, folder / "quick", 1)


main()
