#!/usr/bin/env python3
"""Puts a built `spi` into what people install: an archive and a Python wheel.

    packages/bundle.py BINARY TARGET [FOLDER]

BINARY is run to write its manual pages and completions, so it must run here. TARGET is the triple it was built for. Both
packages hold the program, the licences, manual pages and completions. Needs nothing but Python. The same input gives the same
bytes: dates are that of SOURCE_DATE_EPOCH.
"""

import base64
import gzip
import hashlib
import io
import os
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))  # the first date that a zip file can hold

# The name of the wheel: `spi` is another project there. A static Linux program runs whatever the C library.
WHEEL = "spi_calculus"
PLATFORMS = {
    "x86_64-unknown-linux-musl": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    "aarch64-unknown-linux-musl": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    "x86_64-apple-darwin": "macosx_10_12_x86_64",
    "aarch64-apple-darwin": "macosx_11_0_arm64",
    "x86_64-pc-windows-msvc": "win_amd64",
    # Not released: it needs the C library of the machine that built it.
    "x86_64-unknown-linux-gnu": "linux_x86_64",
}

# Where each shell looks below a prefix, and what the script is called there.
SHELLS = {
    "bash": "bash-completion/completions/spi",
    "zsh": "zsh/site-functions/_spi",
    "fish": "fish/vendor_completions.d/spi.fish",
}
# What it is called in the archive.
ALONE = {"bash": "spi.bash", "zsh": "_spi", "fish": "spi.fish", "powershell": "_spi.ps1", "elvish": "spi.elv"}


def field(name):
    """A field of the manifest that stands on a line of its own."""
    for line in (TOP / "Cargo.toml").read_text(encoding="utf-8").splitlines():
        key, _, value = line.partition(" = ")
        if key == name:
            return value.strip('"')
    sys.exit(f"Cargo.toml has no `{name}`")


def said(binary, *words):
    """What the program prints."""
    return subprocess.run([str(binary), *words], check=True, stdout=subprocess.PIPE).stdout


def manuals(binary):
    """The manual pages, by name."""
    listed = said(binary, "--help").decode().partition("Commands:")[2].partition("\n\n")[0]
    commands = [line.split()[0] for line in listed.splitlines() if line.startswith("  ") and line[2] != " "]
    pages = {"spi.1": said(binary, "man")}
    for command in commands:
        if command != "help":
            pages[f"spi-{command}.1"] = said(binary, "man", command)
    return pages


def archive(binary, target, version, pages, out):
    """What `cargo binstall` and people fetch: one folder with everything."""
    top = f"spi-{version}-{target}"
    windows = "windows" in target
    files = {f"spi{'.exe' if windows else ''}": binary.read_bytes()}
    for name in ["README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE-MIT", "LICENSE-APACHE"]:
        files[name] = (TOP / name).read_bytes()
    files |= {f"man/{name}": page for name, page in pages.items()}
    for shell, name in ALONE.items():
        files[f"completions/{name}"] = said(binary, "completions", shell)
    if windows:
        path = out / f"{top}.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as to:
            for name, data in files.items():
                to.writestr(entry(f"{top}/{name}", name.startswith("spi")), data)
        return path
    path = out / f"{top}.tgz"
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", mtime=EPOCH, fileobj=raw) as packed:
        with tarfile.open(fileobj=packed, mode="w") as to:
            for name, data in files.items():
                info = tarfile.TarInfo(f"{top}/{name}")
                info.size, info.mtime, info.mode = len(data), EPOCH, 0o755 if name == "spi" else 0o644
                to.addfile(info, io.BytesIO(data))
    return path


def entry(name, executable=False):
    """The entry of a file in a zip archive."""
    info = zipfile.ZipInfo(name, time.gmtime(max(EPOCH, 315532800))[:6])
    # A regular file: installers give no permission to anything else.
    info.external_attr = (0o100755 if executable else 0o100644) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def wheel(binary, target, version, pages, out):
    """A wheel that puts the program beside Python, with its pages and completions where shells look."""
    tags = [f"py3-none-{platform}" for platform in PLATFORMS[target].split(".")]
    data, info = f"{WHEEL}-{version}.data", f"{WHEEL}-{version}.dist-info"
    program = f"{data}/scripts/spi{'.exe' if 'windows' in target else ''}"
    files = {program: binary.read_bytes()}
    files |= {f"{data}/data/share/man/man1/{name}": page for name, page in pages.items()}
    for shell, path in SHELLS.items():
        files[f"{data}/data/share/{path}"] = said(binary, "completions", shell)
    for name in ["LICENSE-MIT", "LICENSE-APACHE"]:
        files[f"{info}/licenses/{name}"] = (TOP / name).read_bytes()
    files[f"{info}/METADATA"] = "\n".join([
        "Metadata-Version: 2.4",
        f"Name: {WHEEL.replace('_', '-')}",
        f"Version: {version}",
        f"Summary: {field('description')}",
        f"License-Expression: {field('license')}",
        "License-File: LICENSE-MIT",
        "License-File: LICENSE-APACHE",
        "Requires-Python: >=3.7",
        "Description-Content-Type: text/markdown",
        "",
        (TOP / "README.md").read_text(encoding="utf-8"),
    ]).encode()
    files[f"{info}/WHEEL"] = "\n".join(
        ["Wheel-Version: 1.0", "Generator: spi", "Root-Is-Purelib: false"] + [f"Tag: {tag}" for tag in tags] + [""]
    ).encode()
    record = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(data)}")
    record.append(f"{info}/RECORD,,\n")
    files[f"{info}/RECORD"] = "\n".join(record).encode()
    path = out / f"{WHEEL}-{version}-py3-none-{PLATFORMS[target]}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as to:
        for name, data in files.items():
            to.writestr(entry(name, name == program), data)
    return path


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[2] not in PLATFORMS:
        sys.exit(f"{__doc__}\nTargets: {', '.join(PLATFORMS)}")
    binary, target = Path(sys.argv[1]), sys.argv[2]
    out = Path(sys.argv[3] if len(sys.argv) == 4 else "dist")
    out.mkdir(parents=True, exist_ok=True)
    version, pages = field("version"), manuals(binary)
    for path in [archive(binary, target, version, pages, out), wheel(binary, target, version, pages, out)]:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        Path(f"{path}.sha256").write_text(f"{digest}  {path.name}\n", encoding="utf-8")
        print(path)


main()
