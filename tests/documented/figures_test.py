#!/usr/bin/env python3
# The figures of the documents follow from the rows: rows with known answers.

import gzip
import json
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools/figures"))

import keep  # noqa: E402
import pages  # noqa: E402
import readme  # noqa: E402
import rows  # noqa: E402
import settings  # noqa: E402

MACHINE = {"cpu": "a CPU", "cpus": 2, "memory_bytes": 2**31, "kernel": "6.1", "os": "Debian",
           "libc": "glibc 2.36", "governor": "unknown", "transparent_huge_pages": "madvise"}


def sample(contender: str, metric: str, samples: list, workload: str = "grow") -> dict:
    unit = "s" if metric.endswith("_s") else "bytes"
    known = sorted(v for v in samples if v is not None)
    return {"kind": "sample", "suite": "heap", "workload": workload, "params": {"threads": 2},
            "contender": contender, "version": "1", "metric": metric, "unit": unit,
            "better": "lower", "n": len(known), "median": known[len(known) // 2],
            "samples": samples, "machine": MACHINE, "command": "./dev bench heap",
            "created": "2026-01-02T00:00:00Z", "library": f"{ROOT}/build/release/x.so"}


def suite(samples: list[dict], folder: str) -> rows.Suite:
    path = Path(folder) / "heap.jsonl.gz"
    path.write_bytes(gzip.compress("".join(json.dumps(s) + "\n" for s in samples).encode()))
    return rows.read(path)


def heap(factors: dict[str, float]) -> list[dict]:
    """Every metric of each contender is its factor, but for a little noise."""
    noise = [0, 1, -1, 2, -2, 0, 1, -1]
    return [sample(name, metric, [size * factor * (1 + n / 1000) for n in noise])
            for name, factor in factors.items()
            for metric, size in ((readme.TIME, 1), (readme.PEAK, 2**20), (readme.IDLE, 2**19))]


class Figures(unittest.TestCase):
    def test_ranks_are_those_of_the_binomial_distribution(self):
        self.assertEqual([rows.rank(n) for n in (5, 6, 8, 9, 11, 20)], [None, 1, 1, 2, 2, 6])

    def test_a_ratio_pairs_rounds_and_leaves_out_those_that_failed(self):
        with tempfile.TemporaryDirectory() as folder:
            one = sample("a", "wall_s", [2, None, 4, 6, 8, 10, 12, 14])
            other = sample("b", "wall_s", [1, 9, 2, 3, 4, 5, 6, 7])
            made = suite([one, other], folder)
            found = rows.ratio(made, made.cases()[0], "wall_s", "a", "b")
            self.assertEqual((found.median, found.low, found.high), (2, 2, 2))
            self.assertEqual(found.outcome(), 1)

    def test_small_and_undecided_differences_do_not_count(self):
        self.assertEqual(rows.Ratio(1.005, 1.001, 1.008).outcome(), 0)
        self.assertEqual(rows.Ratio(0.9, 0.7, 1.1).outcome(), 0)
        self.assertEqual(rows.Ratio(0.9, 0.8, 0.95).outcome(), -1)

    def test_the_table_and_the_losses_of_README(self):
        factors = {name: 1.5 for name in readme.PEERS} | {"heapsmith": 1.0, "rpmalloc": 0.8}
        with tempfile.TemporaryDirectory() as folder:
            made = suite(heap(factors), folder)
            table = readme.table(made)
            self.assertEqual(table[3], "| glibc 1 | 1.50 | 1.50 | 1.50 | 1 | 0 | 1 | 0 |")
            self.assertEqual(table[-1], "| rpmalloc 1 | 0.80 | 0.80 | 0.80 | 0 | 1 | 0 | 1 |")
            text = " ".join(readme.section(made).split())
            self.assertIn("The largest loss of time is in grow ×2: 1.25 of rpmalloc's.", text)
            self.assertIn("(docs/results/scale.md)", text)
            self.assertIn(">rpmalloc</text>", readme.picture(made))

    def test_a_page_shows_values_with_units_and_marks_the_best(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pages.page(suite(heap({"glibc": 2.0, "heapsmith": 1.0}), folder))
            self.assertIn("| grow ×2 | 2.00 s | **1.00 s** |", page)
            self.assertIn("| grow ×2 | 2.00 MiB | **1.00 MiB** |", page)

    def test_a_setting_is_compared_with_none(self):
        rounds = [1, 1.01, 0.99, 1, 1.02, 0.98]
        made = []
        for metric in settings.COLUMNS.values():
            none = sample("heapsmith", metric, rounds, "shrinks") | {"settings": []}
            less = sample("delay.0", metric, [v / 2 for v in rounds], "shrinks")
            equal = sample("delay.1", metric, rounds[::-1], "shrinks")
            made += [none, less | {"settings": [["HEAPSMITH_DELAY", "0"]]},
                     equal | {"settings": [["HEAPSMITH_DELAY", "1"]]}]
        with tempfile.TemporaryDirectory() as folder:
            text = settings.section(suite(made, folder))
            cells = " | ".join(["0.50"] * len(settings.COLUMNS))
            self.assertIn(f"| `HEAPSMITH_DELAY=0` | shrinks | {cells} |", text)
            self.assertIn("| `HEAPSMITH_DELAY=1` | shrinks | (1.00) |", text)

    def test_kept_rows_have_no_path_of_the_machine(self):
        with tempfile.TemporaryDirectory() as folder:
            measured = Path(folder) / "heap.jsonl"
            lines = [*heap({"glibc": 1.0}), {"kind": "ratio"}]
            measured.write_text("".join(json.dumps(line) + "\n" for line in lines))
            kept = Path(folder) / "kept.jsonl.gz"
            keep.keep(measured, kept, ROOT)
            text = gzip.decompress(kept.read_bytes()).decode()
            self.assertNotIn(str(ROOT), text)
            self.assertEqual(len(text.splitlines()), 3)


if __name__ == "__main__":
    unittest.main()
