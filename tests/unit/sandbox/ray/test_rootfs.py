"""The script that makes a container's root."""

from sandbox.ray.rootfs import Mount, names, script, system
from sandbox.ray.volumes import SHARED_MEMORY


def lines(*mounts: Mount) -> list[str]:
    return script("/r", "/pid", "one", mounts).splitlines()


def test_programs_are_read_only() -> None:
    made = lines(*system(["/usr"], ["/envs/ray"]))

    for path in ("/usr", "/envs/ray"):
        assert f"mount --bind {path} /r{path}" in made
        assert f"mount -o remount,bind,ro /r{path}" in made


def test_nothing_hides_what_is_below_it() -> None:
    made = lines(Mount(target="/etc/hosts", source="/h", kind="file"), *system(["/etc"], []))

    assert made.index("mount --bind /etc /r/etc") < made.index("mount --bind /h /r/etc/hosts")


def test_names_are_looked_up_in_our_files() -> None:
    made = lines(*names("/h", "/resolver"))

    assert "mount --bind /h /r/etc/hosts" in made
    assert "mount -o remount,bind,ro /r/etc/hosts" not in made


def test_paths_of_users_cannot_become_commands() -> None:
    made = lines(Mount(target="/a; rm -rf b", source="/s"))

    assert "mkdir -p '/r/a; rm -rf b'" in made


def test_shared_memory_is_not_the_machines() -> None:
    made = lines(Mount(target=SHARED_MEMORY, kind="memory"))

    assert made.index("mount --rbind /dev /r/dev") < made.index("mount -t tmpfs tmpfs /r/dev/shm")


def test_the_program_comes_last_after_telling_its_number() -> None:
    made = lines()

    assert "exec chroot /r" in made[-1]
    assert made[-2].endswith("> /pid")
