"""The table of docs/tuning.md: what each setting does to workloads that it concerns."""

import rows
from pages import machine, wrap
from rows import Suite

NAME = "settings"  # of the rows; no suite has it
DEFAULT = "heapsmith"
COLUMNS = {"time": "wall_s", "peak memory": "pss_peak_bytes", "mean memory": "pss_mean_bytes",
           "memory at the end": "pss_end_bytes", "page faults": "page_faults"}


def variable(suite: Suite, contender: str) -> str:
    sample = next(s for s in suite.samples.values() if s["contender"] == contender)
    return "`" + " ".join(f"{name}={value}" for name, value in sample["settings"]) + "`"


def cell(suite: Suite, case: rows.Case, metric: str, contender: str) -> str:
    """A ratio whose interval has 1 is in brackets."""
    found = rows.ratio(suite, case, metric, contender, DEFAULT)
    if found is None:
        return "–"
    return f"{found.median:.2f}" if found.outcome() else f"({found.median:.2f})"


def table(suite: Suite) -> list[str]:
    lines = [f"| setting | workload | {' | '.join(COLUMNS)} |", "|---|---|" + "---:|" * len(COLUMNS)]
    for case in suite.cases("wall_s"):
        measured = {c for other, metric, c in suite.samples if (other, metric) == (case, "wall_s")}
        for contender in suite.contenders():
            if contender in measured and contender not in (DEFAULT, "as-built"):
                cells = (cell(suite, case, metric, contender) for metric in COLUMNS.values())
                lines.append(f"| {variable(suite, contender)} | {case[0]} | {' | '.join(cells)} |")
    return lines


def section(suite: Suite) -> str:
    sample = suite.any_sample()
    made = (f"Ratios to heapsmith without the setting, medians of {sample['n']} rounds; those in "
            "brackets may be 1, or differ from it by less than 1 %. `./dev results settings` "
            f"measured them on {sample['created'][:10]}, on {machine(sample)}. "
            "`bench/settings/run` has the workloads.")
    return "\n".join([*table(suite), "", *wrap(made)])
