"""A page of Markdown for each suite: where the rows come from, and a table for each metric."""

import tomllib
from pathlib import Path

import rows
from rows import Suite

ROOT = Path(__file__).resolve().parent.parent.parent
# Where the suites' manifests lie, but for the suite heap.
MANIFESTS = {"heap": "lab/workloads"}
UNITS = {
    "s": [(1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")],
    "bytes": [(2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"), (1, "B")],
}


def manifest(suite: str) -> dict:
    return tomllib.loads((folder(suite) / "suite.toml").read_text())


def folder(suite: str) -> Path:
    return ROOT / MANIFESTS.get(suite, f"bench/{suite}")


def baseline(suite: str) -> str:
    """The first one; some suites have several, for rows of several kinds."""
    return next(c["name"] for c in manifest(suite)["contender"] if c.get("baseline"))


def digits(value: float) -> str:
    """Three significant digits, never as an exponent."""
    if value == 0:
        return "0"
    if abs(value) >= 999.5:
        return f"{value:.0f}"
    places = 2 if abs(value) < 9.995 else 1 if abs(value) < 99.95 else 0
    return f"{value:#.3g}" if 1e-4 <= abs(value) < 1 else f"{value:.{places}f}"


def show(value: float, unit: str) -> str:
    for size, name in UNITS.get(unit, []):
        if abs(value) >= size:
            return f"{digits(value / size)} {name}"
    return digits(value)


def machine(sample: dict) -> str:
    m = sample["machine"]
    memory = m["memory_bytes"] / 2**30
    return (f"{m['cpu']}, {m['cpus']} CPUs, {memory:.0f} GiB; {m['os']}, Linux {m['kernel']}, "
            f"{m['libc']}; transparent huge pages: {m['transparent_huge_pages']}")


def disturbed(suite: Suite) -> int:
    """The cases while whose rounds other work took more than a tenth of a CPU."""
    busy = set()
    for (case, metric, _), sample in suite.samples.items():
        if metric in ("others_cpus", "stolen_cpus") and sample["median"] > 0.10:
            busy.add(case)
    return len(busy)


def table(suite: Suite, metric: str, base: str) -> list[str]:
    names = suite.contenders(metric)
    cases = suite.cases(metric)
    unit = suite.samples[next(k for k in suite.samples if k[1] == metric)]["unit"]
    higher = any(s["better"] == "higher" for k, s in suite.samples.items() if k[1] == metric)
    lines = [f"| {metric} | " + " | ".join(names) + " |", "|---|" + "---:|" * len(names)]
    for case in cases:
        values = [suite.samples.get((case, metric, name)) for name in names]
        known = [v["median"] for v in values if v]
        best = max(known) if higher else min(known)
        cells = ["–" if v is None else show(v["median"], unit) for v in values]
        marked = [f"**{c}**" if v and v["median"] == best else c for c, v in zip(cells, values)]
        lines.append(f"| {rows.label(case)} | " + " | ".join(marked) + " |")
    if base in names and len(cases) > 1:
        lines.append(f"| mean against {base} | " + " | ".join(
            mean(suite, metric, name, base) for name in names) + " |")
    return lines


def mean(suite: Suite, metric: str, name: str, base: str) -> str:
    """The geometric mean over the cases that both have."""
    if name == base:
        return "1"
    ratios = (rows.ratio(suite, case, metric, name, base) for case in suite.cases(metric))
    known = [r.median for r in ratios if r and r.median > 0]
    return digits(rows.geometric_mean(known)) if known else "–"


def wrap(text: str, width: int = 100) -> list[str]:
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return [*lines, line]


def page(suite: Suite) -> str:
    said = manifest(suite.name)
    sample = suite.any_sample()
    where = folder(suite.name).relative_to(ROOT)
    counts = sorted({s["n"] for s in suite.samples.values() if s["n"] > 1})
    rounds = f"{counts[0]} to {counts[-1]}" if counts[1:] else str(counts[0] if counts else 1)
    facts = (f"{said['about']}. Medians of {rounds} rounds, in each of which every contender ran "
             f"once. The best of a row is bold. The [rows](rows/{suite.name}{rows.ENDING}) hold every "
             f"round and the intervals; [the suite](../../{where}) says what is measured.")
    made = (f"Measured on {sample['created'][:10]} by `{sample['command']}`, version "
            f"{sample['version'] if sample['contender'].startswith('heapsmith') else own(suite)}, "
            f"on {machine(sample)}. Other work disturbed {disturbed(suite)} of "
            f"{len(suite.cases())} rows. More CPUs than these were not measured.")
    lines = [f"# Results of the suite {suite.name}", "", *wrap(facts), "", *wrap(made)]
    for failure in suite.failures:
        case = (failure["workload"], tuple(failure["params"].items()))
        lines += ["", f"{failure['contender']} failed in {rows.label(case)}: {failure['why']}."]
    for metric in [m for m in said["shown"] if m in suite.metrics()]:
        lines += ["", *table(suite, metric, baseline(suite.name))]
    if (folder(suite.name) / "published.jsonl").exists():
        lines += ["", *wrap("`./dev docs` makes an interactive page of these rows, which also draws "
                            "[figures that others published](../../"
                            f"{where}/published.jsonl) for the same work.")]
    return "\n".join(lines) + "\n"


def own(suite: Suite) -> str:
    """heapsmith's version: that of any contender that the manifest calls own."""
    names = [c["name"] for c in manifest(suite.name)["contender"] if c.get("role") == "own"]
    return next(s["version"] for s in suite.samples.values() if s["contender"] in names)
