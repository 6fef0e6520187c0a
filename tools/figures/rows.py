"""The rows of a suite, read from compressed JSON lines, and the statistics of docs/verdict.md over them."""

import gzip
import json
from dataclasses import dataclass, field
from math import comb, exp, log
from pathlib import Path
from statistics import median

Case = tuple[str, tuple[tuple[str, object], ...]]


@dataclass
class Suite:
    """Samples by case, metric and contender, in the order of the file."""

    name: str
    samples: dict[tuple[Case, str, str], dict] = field(default_factory=dict)
    failures: list[dict] = field(default_factory=list)

    def cases(self, metric: str | None = None) -> list[Case]:
        return list(dict.fromkeys(c for c, m, _ in self.samples if metric in (None, m)))

    def metrics(self) -> list[str]:
        return list(dict.fromkeys(m for _, m, _ in self.samples))

    def contenders(self, metric: str | None = None) -> list[str]:
        return list(dict.fromkeys(c for _, m, c in self.samples if metric in (None, m)))

    def any_sample(self) -> dict:
        return next(iter(self.samples.values()))


ENDING = ".jsonl.gz"


def read(path: Path) -> Suite:
    suite = Suite(path.name.removesuffix(ENDING))
    for line in gzip.decompress(path.read_bytes()).decode().splitlines():
        row = json.loads(line)
        if row["kind"] == "sample":
            case = (row["workload"], tuple(row["params"].items()))
            suite.samples[case, row["metric"], row["contender"]] = row
        elif row["kind"] == "failure":
            suite.failures.append(row)
    return suite


def label(case: Case) -> str:
    """As the command writes it: the workload, and its parameters."""
    workload, params = case
    words = (f"×{value}" if key == "threads" else str(value) for key, value in params)
    return " ".join([workload, *words])


def rank(n: int, miss: float = 0.05) -> int | None:
    """The largest k for which the k-th smallest and the k-th largest of n values enclose the median
    but for the probability `miss`; None if no k does."""
    below, best = 0.0, None
    for k in range(1, n // 2 + 1):
        below += comb(n, k - 1) / 2**n
        if 2 * below > miss:
            break
        best = k
    return best


@dataclass
class Ratio:
    """The median of the ratios of the rounds, with its 95 % interval."""

    median: float
    low: float
    high: float

    def outcome(self) -> int:
        """-1 if it is lower, 1 if it is higher, 0 if the interval has 1 or lies within 1 %."""
        if self.high < 1 and self.median < 0.99:
            return -1
        return 1 if self.low > 1 and self.median > 1.01 else 0


def ratio(suite: Suite, case: Case, metric: str, one: str, other: str) -> Ratio | None:
    """`one` over `other`, from the rounds in which both have a value above zero."""
    samples = [suite.samples.get((case, metric, name)) for name in (one, other)]
    if None in samples:
        return None
    rounds = zip(*(sample["samples"] for sample in samples))
    ratios = sorted(a / b for a, b in rounds if a and b)
    k = rank(len(ratios))
    if k is None:
        # A count is the same in every round.
        return Ratio(ratios[0], ratios[0], ratios[0]) if len(ratios) == 1 else None
    return Ratio(median(ratios), ratios[k - 1], ratios[-k])


def geometric_mean(values: list[float]) -> float:
    return exp(sum(map(log, values)) / len(values))
