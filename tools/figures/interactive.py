"""Interactive pages of the rows, drawn by `heapsmith report`, with what others published."""

import gzip
import subprocess
import tempfile
from pathlib import Path

import pages
import rows

HEAD = ("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Interactive results</title>"
        "<style>body{font:1rem system-ui,sans-serif;margin:2rem}</style><h1>Interactive results</h1>")


def draw(suites: list[rows.Suite], measured: Path, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for suite in suites:
        published = pages.folder(suite.name) / "published.jsonl"
        lines = gzip.decompress((measured / f"{suite.name}{rows.ENDING}").read_bytes()).decode()
        with tempfile.TemporaryDirectory() as folder:
            both = Path(folder) / f"{suite.name}.jsonl"
            both.write_text(lines + (published.read_text() if published.exists() else ""))
            command = [pages.ROOT / "build/release/heapsmith", "report", both, "--baseline",
                       pages.baseline(suite.name), "-o", out / f"{suite.name}.html"]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    items = (f'<li><a href="{s.name}.html">{s.name}</a>: {pages.manifest(s.name)["about"]}</li>'
             for s in suites)
    (out / "index.html").write_text(f"{HEAD}<ul>{''.join(items)}</ul></html>\n")
