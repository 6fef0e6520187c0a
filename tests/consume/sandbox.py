"""A machine of its own for a test, made of mount namespaces: what is installed there is gone later.

/usr/local is empty, /etc and ldconfig's caches are copies, and /home has one user. As root, commands
of the ordinary user run as nobody. Without the right to make namespaces, the program exits with 77."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

SKIPPED = 77
STAGE = Path(os.environ.get("HEAPSMITH_SANDBOX", "/nowhere"))
USER = "nobody"


def call(*command: str | Path, check: bool = True) -> None:
    subprocess.run([str(part) for part in command], check=check, stdout=subprocess.DEVNULL)


def bind(folder: Path, over: str | Path) -> None:
    call("mount", "--bind", folder, over)


def enter() -> None:
    """Starts the program again inside the namespaces, and ends with its exit code."""
    if "HEAPSMITH_SANDBOX" in os.environ:
        return
    namespaces = ["unshare", "--mount", "--propagation", "private"]
    if os.geteuid() != 0:
        namespaces.append("--map-root-user")
    if subprocess.run([*namespaces, "true"], stderr=subprocess.DEVNULL).returncode != 0:
        print("skipped: this user may not make mount namespaces")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory(prefix="heapsmith-sandbox-") as stage:
        os.chmod(stage, 0o755)
        environment = os.environ | {
            "HEAPSMITH_SANDBOX": stage, "WAS_ROOT": str(int(os.geteuid() == 0))}
        done = subprocess.run([*namespaces, sys.executable, *sys.argv], env=environment)
    sys.exit(done.returncode)


def is_root() -> bool:
    return os.environ["WAS_ROOT"] == "1"


def ordinary_user() -> list[str]:
    """The beginning of a command that runs as an ordinary user."""
    if not is_root():
        return []  # root of the namespace is the user who started the test
    return ["setpriv", f"--reuid={USER}", f"--regid={USER_GROUP}", "--clear-groups", "--"]


USER_GROUP = "nogroup" if Path("/etc/debian_version").exists() else USER


def give_to_user(path: Path) -> None:
    if is_root():
        call("chown", "-R", f"{USER}:{USER_GROUP}", path)


def copy_sources(source: Path, to: Path) -> None:
    """Copies the files that git knows, changed or not, and makes a repository of them."""
    listed = subprocess.run(
        ["git", "-c", f"safe.directory={source}", "-C", source, "ls-files", "-co", "-z",
         "--exclude-standard"], check=True, capture_output=True).stdout
    to.mkdir(parents=True)
    packed = subprocess.Popen(
        ["tar", "-C", source, "--null", "--ignore-failed-read", "--warning=no-failed-read", "-cf", "-",
         "-T", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    unpacking = subprocess.Popen(["tar", "-C", to, "--no-same-owner", "-xf", "-"], stdin=packed.stdout)
    packed.stdin.write(listed)
    packed.stdin.close()
    if packed.wait() + unpacking.wait() != 0:
        sys.exit("the sources cannot be copied")
    git = ["git", "-C", to, "-c", "user.name=you", "-c", "user.email=you@localhost"]
    call(*git, "init", "--quiet")
    call(*git, "add", "--all")
    call(*git, "commit", "--quiet", "--message", "The sources")


def packages_behind(crate: str, lock: Path) -> dict[str, dict]:
    """The packages that the crate depends on, as Cargo.lock lists them, by name."""
    packages = {package["name"]: package for package in tomllib.loads(lock.read_text())["package"]}
    found, names = {}, [crate]
    while names:
        package = packages[names.pop().split()[0]]
        if package["name"] not in found:
            found[package["name"]] = package
            names += package.get("dependencies", [])
    return {name: package for name, package in found.items() if "checksum" in package}


def lend_packages(source: Path, home: Path) -> None:
    """Gives Cargo the packages that the sources were built with, so that it needs no network."""
    cache = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo")) / "registry" / "cache"
    packages = home / ".cargo" / "packages"
    packages.mkdir(parents=True)
    for name, package in packages_behind("heapsmith-sys", source / "Cargo.lock").items():
        folder = f"{name}-{package['version']}"
        packed = next(cache.glob(f"*/{folder}.crate"), None)
        if packed is None:
            return  # Cargo fetches them
        call("tar", "-C", packages, "--no-same-owner", "-xzf", packed)
        checksums = {"files": {}, "package": package["checksum"]}
        (packages / folder / ".cargo-checksum.json").write_text(json.dumps(checksums))
    (home / ".cargo" / "config.toml").write_text(
        '[source.crates-io]\nreplace-with = "lent"\n'
        '[source.lent]\ndirectory = "/home/you/.cargo/packages"\n')


def rust_tools() -> list[str]:
    """The folder of Cargo, made accessible to the ordinary user. Empty if the PATH has it anyway."""
    sysroot = Path(subprocess.run(["rustc", "--print", "sysroot"], check=True, text=True,
                                  capture_output=True).stdout.strip())
    if sysroot == Path("/usr"):
        return []
    toolchain = STAGE / "toolchain"
    toolchain.mkdir()
    bind(sysroot, toolchain)
    return [str(toolchain / "bin")]


def furnish(source: Path) -> tuple[Path, dict[str, str]]:
    """Makes the machine. Returns the user's home and environment."""
    home = STAGE / "home" / "you"
    copy_sources(source, home / "heapsmith")
    lend_packages(source, home)
    tools = rust_tools()
    # Tools of /usr/local stay usable under another path.
    for name in ("local", "old-local", "ldconfig"):
        (STAGE / name).mkdir()
    bind(Path("/usr/local"), STAGE / "old-local")
    tools.append(str(STAGE / "old-local" / "bin"))
    # An ordinary user cannot read all of it, and needs none of that.
    subprocess.run(["cp", "-dR", "--preserve=mode", "/etc", STAGE / "etc"], stderr=subprocess.DEVNULL)
    give_to_user(home)
    bind(STAGE / "local", "/usr/local")
    bind(STAGE / "etc", "/etc")
    if Path("/var/cache/ldconfig").is_dir():
        bind(STAGE / "ldconfig", "/var/cache/ldconfig")
    bind(STAGE / "home", "/home")
    path = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin", *tools]
    return Path("/home/you"), {
        "HOME": "/home/you", "PATH": ":".join(path), "LANG": "C.UTF-8",
        "CMAKE_BUILD_PARALLEL_LEVEL": str(os.cpu_count() or 1)}


def forget_installation() -> None:
    """Empties /usr/local, the loader's cache of it, and the list of files that root installed."""
    for entry in Path("/usr/local").iterdir():
        shutil.rmtree(entry)
    Path("/home/you/heapsmith/build/install_manifest.txt").unlink(missing_ok=True)
    call("ldconfig", check=False)
