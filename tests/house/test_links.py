"""Links between our documents lead somewhere."""

import re
from pathlib import Path
from urllib.parse import unquote

from tests.house.sources import everything, name

LINK = re.compile(r"!?\[[^\]]*\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+\s+(.+?)\s*$", re.MULTILINE)


def words(path: Path) -> str:
    """Return a document without its code blocks."""
    return FENCE.sub("", path.read_text(encoding="utf-8"))


def anchors(path: Path) -> set[str]:
    """Return the addresses of a document's headings, as code hosts make them."""
    plain = (re.sub(r"[^\w\- ]", "", title.lower()) for title in HEADING.findall(words(path)))
    return {title.replace(" ", "-") for title in plain}


def leads_nowhere(document: Path, link: str) -> bool:
    """Say whether a relative link misses its file or heading."""
    address, _, anchor = unquote(link).partition("#")
    target = (document.parent / address).resolve() if address else document
    if not target.exists():
        return True
    return bool(anchor) and target.suffix == ".md" and anchor not in anchors(target)


def test_relative_links_lead_somewhere() -> None:
    links = [(path, link) for path in everything(".md") for link in LINK.findall(words(path))]
    ours = [(path, link) for path, link in links if "://" not in link]

    assert [(name(path), link) for path, link in ours if leads_nowhere(path, link)] == []
