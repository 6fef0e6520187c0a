# The default program of `./dev try`. It parses modules of Python's standard library, keeps their
# syntax trees, turns each tree back into source and prints one digest of all sources.
import ast
import collections
import hashlib
import sysconfig
from pathlib import Path

MODULES = """argparse ast calendar codecs configparser csv datetime decimal difflib dis doctest
enum fractions ftplib functools gettext heapq inspect mailbox nntplib optparse os pathlib pdb
pickle pickletools platform plistlib posixpath pprint pydoc random shutil smtplib socket ssl
statistics string subprocess tarfile tempfile textwrap threading tokenize trace traceback turtle
typing uuid warnings weakref zipfile""".split()


def main() -> None:
    library = Path(sysconfig.get_path("stdlib"))
    kinds: collections.Counter[str] = collections.Counter()
    digest = hashlib.sha256()
    trees = {}
    for name in MODULES:
        path = library / f"{name}.py"
        if path.exists():
            trees[name] = ast.parse(path.read_bytes())
    for name, tree in trees.items():
        kinds.update(type(node).__name__ for node in ast.walk(tree))
        digest.update(f"{name}\n{ast.unparse(tree)}\n".encode())
    nodes = sum(kinds.values())
    print(f"{len(trees)} modules, {nodes} nodes, {digest.hexdigest()[:16]}")


main()
