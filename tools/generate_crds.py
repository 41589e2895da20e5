"""Write the custom resource definitions into `deploy/crds`.

Run it after changing a model in `shared/resources`; a test fails until then.
"""

from pathlib import Path

import yaml

from shared.resources.crd import raycluster_crd

FOLDER = Path(__file__).resolve().parent.parent / "deploy" / "crds"


class _PlainDumper(yaml.SafeDumper):
    """Spell out repeated parts: the API server's readers are people, too."""

    def ignore_aliases(self, _data: object) -> bool:
        return True


def definitions() -> dict[Path, str]:
    """Return the files and what they shall hold."""
    text = yaml.dump(raycluster_crd(), Dumper=_PlainDumper, sort_keys=False, width=100)
    return {FOLDER / "ray.io_rayclusters.yaml": text}


def main() -> None:
    """Write every file."""
    for path, text in definitions().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path.name}")


if __name__ == "__main__":
    main()
