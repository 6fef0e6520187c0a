"""README's table and sentence about the suite heap, and its picture."""

import rows
from pages import machine, wrap
from rows import Suite

OWN = "heapsmith"
# In this order; the newest versions that `heapsmith peers install` builds.
PEERS = ["glibc", "jemalloc", "mimalloc3", "snmalloc", "tcmalloc", "rpmalloc"]
TIME, PEAK, IDLE = "wall_s", "peak_rss_bytes", "rss_idle_bytes"
COLOURS = {"heapsmith": "#d55e00", "glibc": "#5b6472", "jemalloc": "#0072b2", "mimalloc3": "#00896a",
           "snmalloc": "#a87600", "tcmalloc": "#b8478a", "rpmalloc": "#6a51a3"}


def ratios(suite: Suite, peer: str, metric: str) -> dict[rows.Case, rows.Ratio]:
    """The peer over heapsmith, by case."""
    found = {c: rows.ratio(suite, c, metric, peer, OWN) for c in suite.cases(metric)}
    return {case: ratio for case, ratio in found.items() if ratio is not None}


def mean(found: dict[rows.Case, rows.Ratio]) -> float:
    return rows.geometric_mean([r.median for r in found.values()])


def version(suite: Suite, name: str) -> str:
    return next(s["version"] for s in suite.samples.values() if s["contender"] == name)


def table(suite: Suite) -> list[str]:
    lines = ["| allocator | time | peak memory | memory at rest | heapsmith is faster in | slower in "
             "| leaner in | larger in |", "|---|" + "---:|" * 7,
             f"| **heapsmith** {version(suite, OWN)} | 1 | 1 | 1 | | | | |"]
    for peer in PEERS:
        time, peak, idle = (ratios(suite, peer, metric) for metric in (TIME, PEAK, IDLE))
        count = lambda found, outcome: sum(r.outcome() == outcome for r in found.values())
        lines.append(
            f"| {peer} {version(suite, peer)} | {mean(time):.2f} | {mean(peak):.2f} | "
            f"{mean(idle):.2f} | {count(time, 1)} | {count(time, -1)} | {count(peak, 1)} | "
            f"{count(peak, -1)} |")
    return lines


def worst(suite: Suite, metric: str) -> tuple[float, str, str]:
    """The lowest ratio of a peer over heapsmith, the peer and the case."""
    each = ((r.median, peer, rows.label(case)) for peer in PEERS
            for case, r in ratios(suite, peer, metric).items() if r.outcome() == -1)
    return min(each, default=(1.0, "", ""))


def loss(suite: Suite, metric: str, what: str) -> str:
    least, peer, case = worst(suite, metric)
    if not peer:
        return f"No row shows a loss of {what}."
    return f"The largest loss of {what} is in {case}: {1 / least:.2f} of {peer}'s."


def section(suite: Suite) -> str:
    sample = suite.any_sample()
    cases = suite.cases(TIME)
    about = (f"We wrote small programs, each with one pattern of allocation, and ran them with 1 to "
             f"{max(dict(params).get('threads', 1) for _, params in cases)} threads: {len(cases)} "
             f"rows. The numbers are geometric means of the ratios to heapsmith: 1.20 means 20 % "
             f"more. A row counts as faster, "
             f"slower, leaner or larger if the interval of the ratio excludes 1 and the difference "
             f"is at least 1 %. {loss(suite, TIME, 'time')} {loss(suite, PEAK, 'memory')}")
    quick = " --quick" if " --quick" in sample["command"] else ""
    runs = "six rounds of shortened programs" if quick else "whole programs"
    made = (f"`./dev results{quick}` measured this on {sample['created'][:10]}, in {runs}, on "
            f"{machine(sample)}. "
            "[Up to four threads for each CPU](docs/results/scale.md). "
            "[All results](docs/results/README.md), with every round.")
    picture = ("![Time and peak memory of the allocators, relative to "
               "heapsmith](docs/pictures/heap.svg)")
    return "\n".join([*table(suite), "", *wrap(about), "", *wrap(made), "", picture])


def picture(suite: Suite) -> str:
    """Time to the right, memory upwards, both on logarithmic scales: the lower left is best."""
    from math import log2
    places = {OWN: (1.0, 1.0)}
    for peer in PEERS:
        places[peer] = (mean(ratios(suite, peer, TIME)), mean(ratios(suite, peer, PEAK)))
    width, height, left, right, top, bottom = 720, 400, 70, 690, 30, 350
    xs, ys = zip(*places.values())
    x_low, x_high = min(xs) / 1.05, max(xs) * 1.12
    y_low, y_high = min(ys) / 1.08, max(ys) * 1.08
    x = lambda v: left + (right - left) * log2(v / x_low) / log2(x_high / x_low)
    y = lambda v: bottom - (bottom - top) * log2(v / y_low) / log2(y_high / y_low)
    parts = []
    ticks = [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.4, 1.6, 1.8, 2, 2.5, 3, 4]
    for tick in ticks:
        if x_low <= tick <= x_high:
            parts += [f'<path class="grid" d="M{x(tick):.1f} {top}V{bottom}"/>',
                      f'<text x="{x(tick):.1f}" y="{bottom + 20}" text-anchor="middle">{tick:g}</text>']
        if y_low <= tick <= y_high:
            parts += [f'<path class="grid" d="M{left} {y(tick):.1f}H{right}"/>',
                      f'<text x="{left - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>']
    for name, (time, memory) in places.items():
        size, weight = (8, "bold") if name == OWN else (6, "normal")
        # The name stands to the left of its point if another point follows closely.
        is_close = any(0 < x(t) - x(time) < 90 and abs(y(m) - y(memory)) < 14
                       for t, m in places.values())
        at, anchor = (-size - 5, "end") if is_close else (size + 5, "start")
        parts += [f'<circle cx="{x(time):.1f}" cy="{y(memory):.1f}" r="{size}" '
                  f'fill="{COLOURS[name]}"/>',
                  f'<text x="{x(time) + at:.1f}" y="{y(memory) + 4:.1f}" text-anchor="{anchor}" '
                  f'font-weight="{weight}">{name}</text>']
    parts += [f'<text x="{right}" y="{height - 8}" text-anchor="end">time, heapsmith = 1</text>',
              f'<text x="{left - 60}" y="18">peak memory, heapsmith = 1</text>']
    style = ("text{font:13px system-ui,'DejaVu Sans',sans-serif;fill:#1b1f27}.back{fill:#fff}"
             ".grid{stroke:#dfe3ea}@media(prefers-color-scheme:dark){text{fill:#e6e9ef}"
             ".back{fill:#14171d}.grid{stroke:#333a46}}")
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
            f'aria-label="Time and peak memory relative to heapsmith">\n<style>{style}</style>\n'
            f'<rect class="back" width="{width}" height="{height}"/>\n'
            + "\n".join(parts) + "\n</svg>\n")
