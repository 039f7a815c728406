"""A release in a repository of its own: version, changelog, commit and tag, or nothing at all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HISTORY = """# Changelog

Newest first.

## Unreleased: 0.2.0

### Reading
- Reads more.

## 0.1.0 (2026-01-02)

- The first.
"""


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Someone")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "someone@example.org")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    (tmp_path / "src/opdiff").mkdir(parents=True)
    (tmp_path / "src/opdiff/__init__.py").write_text('"""opdiff."""\n\n__version__ = "0.1.0"\n')
    (tmp_path / "CHANGELOG.md").write_text(HISTORY)
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "Begin")
    git(tmp_path, "tag", "v0.1.0")
    return tmp_path


def git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout


def release(root: Path, version: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "tools/release.py"), version, "--root", str(root)]
    return subprocess.run(
        [*command, "--date", "2026-11-16"], capture_output=True, text=True, check=False
    )


def test_a_release_is_a_commit_and_a_tag(repository: Path) -> None:
    done = release(repository, "0.2.0")
    assert (done.returncode, done.stderr) == (0, "")
    assert "git push --follow-tags" in done.stdout
    assert '__version__ = "0.2.0"' in (repository / "src/opdiff/__init__.py").read_text()
    assert (repository / "CHANGELOG.md").read_text() == HISTORY.replace(
        "## Unreleased: 0.2.0\n", "## Unreleased\n\nNothing yet.\n\n## 0.2.0 (2026-11-16)\n"
    )
    assert git(repository, "status", "--porcelain") == ""
    assert git(repository, "log", "--format=%s").splitlines() == ["Release 0.2.0", "Begin"]
    assert git(repository, "rev-parse", "v0.2.0^{commit}") == git(repository, "rev-parse", "HEAD")
    assert git(repository, "cat-file", "-t", "v0.2.0").strip() == "tag"
    told = git(repository, "tag", "--list", "--format=%(contents)", "v0.2.0")
    assert told.strip() == "opdiff 0.2.0\n\n### Reading\n- Reads more."


def test_the_next_release_needs_something_to_tell(repository: Path) -> None:
    assert release(repository, "0.2.0").returncode == 0
    done = release(repository, "0.3.0")
    assert (done.returncode, done.stdout) == (2, "")
    assert "nothing under '## Unreleased'" in done.stderr
    changelog = repository / "CHANGELOG.md"
    changelog.write_text(changelog.read_text().replace("Nothing yet.", "- Again more.", 1))
    git(repository, "commit", "-qam", "Read again more")
    assert release(repository, "0.3.0").returncode == 0
    assert changelog.read_text().count("Nothing yet.") == 1
    assert git(repository, "tag").split() == ["v0.1.0", "v0.2.0", "v0.3.0"]


def test_the_version_that_the_files_promise_can_be_released(repository: Path) -> None:
    git(repository, "tag", "--delete", "v0.1.0")
    assert release(repository, "0.1.0").returncode == 0


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("0.1.0", "does not come after 0.1.0"),
        ("0.0.9", "does not come after 0.1.0"),
        ("1.0", "is no version"),
        ("1.0.0rc1", "is no version"),
        ("01.0.0", "is no version"),
    ],
)
def test_a_version_that_cannot_be_is_refused(repository: Path, version: str, said: str) -> None:
    before = git(repository, "rev-parse", "HEAD")
    done = release(repository, version)
    assert done.returncode == 2
    assert said in done.stderr
    assert git(repository, "rev-parse", "HEAD") == before
    assert git(repository, "status", "--porcelain") == ""


@pytest.mark.parametrize("file", ["CHANGELOG.md", "new.txt"])
def test_a_folder_that_is_not_clean_is_refused(repository: Path, file: str) -> None:
    with (repository / file).open("a") as out:
        out.write("more\n")
    done = release(repository, "0.2.0")
    assert done.returncode == 2
    assert "not clean" in done.stderr
    assert file in done.stderr
    assert git(repository, "tag").split() == ["v0.1.0"]


def test_a_commit_that_fails_leaves_the_files_as_they_were(repository: Path) -> None:
    hook = repository / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho no >&2\nexit 1\n")
    hook.chmod(0o755)
    done = release(repository, "0.2.0")
    assert done.returncode == 2
    assert "git commit: no" in done.stderr
    assert (repository / "CHANGELOG.md").read_text() == HISTORY
    assert git(repository, "tag").split() == ["v0.1.0"]
    hook.unlink()
    assert release(repository, "0.2.0").returncode == 0


def test_the_changelog_here_can_be_released() -> None:
    history = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert history.count("\n## Unreleased") == 1
