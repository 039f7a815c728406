"""What was built runs by itself: ``make dist`` in short, without other packages being installed."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

from opdiff import __version__

ROOT = Path(__file__).parents[2]


def test_the_wheel_runs_where_it_is_unpacked(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=120)
    (wheel,) = tmp_path.glob("*.whl")
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    program = tmp_path / "opdiff"
    program.write_text(
        f"#!{sys.executable} -I\n"
        f"import sys\nsys.path.insert(0, {str(site)!r})\n"
        "import opdiff.__main__\n"
        f"assert opdiff.__file__.startswith({str(site)!r})\n"
        "sys.exit(opdiff.__main__.program())\n"
    )
    program.chmod(0o755)
    picture = tmp_path / "window.png"
    command = ["sh", str(ROOT / "tools/try-program"), program, site / "opdiff/samples", picture]
    environment = {**os.environ, "VERSION": __version__}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=240, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert picture.read_bytes().startswith(b"\x89PNG")
