"""Write the custom resource definitions into `deploy/crds`.

Run it after changing a model in `shared/resources`; a test fails until then.
"""

from pathlib import Path

import yaml

from shared.kernel.manifests import Raw, text_at
from shared.resources.crd import definitions

FOLDER = Path(__file__).resolve().parent.parent / "deploy" / "crds"


class _PlainDumper(yaml.CSafeDumper):
    """Spell out repeated parts: the API server's readers are people, too."""

    def ignore_aliases(self, _data: object) -> bool:
        return True


def files() -> dict[Path, str]:
    """Return the files and what they shall hold."""
    return {FOLDER / file_name(each): _text(each) for each in definitions()}


def file_name(definition: Raw) -> str:
    """Return the name that KubeRay's users know a definition by."""
    names = text_at(definition, "spec", "names", "plural")
    return f"{text_at(definition, 'spec', 'group')}_{names}.yaml"


def _text(definition: Raw) -> str:
    return yaml.dump(definition, Dumper=_PlainDumper, sort_keys=False, width=100)


def main() -> None:
    """Write every file."""
    for path, text in files().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path.name}")


if __name__ == "__main__":
    main()
