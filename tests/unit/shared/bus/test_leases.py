"""Who holds what, as records tell it."""

from shared.bus.leases import Book, Claim, lease_subject, tenancy_subject
from shared.events.codec import encode
from shared.kernel.instants import EPOCH
from shared.ports.event_log import Batch, Message, Reset


def message(sequence: int, subject: str, data: bytes = b"") -> Message:
    return Message(sequence=sequence, at=EPOCH, subject=subject, data=data, gone=not data)


def tenancy(sequence: int, member: str, name: str = "") -> Message:
    return message(sequence, tenancy_subject(member), name.encode())


def lease(sequence: int, kind: str, name: str = "") -> Message:
    claim = encode(Claim(value=f"session of {name}", tenancy=name)) if name else b""
    return message(sequence, lease_subject(kind), claim)


def read(*messages: Message) -> Book:
    book = Book()
    book.learn(Batch(messages=messages, synced=True))
    return book


def test_a_lease_is_held_while_the_tenancy_that_it_names_lasts() -> None:
    book = read(tenancy(1, "a", "a/0"), lease(2, "pod", "a/0"))
    held = book.holder("pod")
    book.learn(Batch(messages=(tenancy(3, "a"),), synced=True))

    assert held == Claim(value="session of a/0", tenancy="a/0")
    assert (book.holder("pod"), book.held()) == (None, {})


def test_another_tenancy_of_the_same_process_holds_nothing_of_the_former() -> None:
    book = read(tenancy(1, "a", "a/0"), lease(2, "pod", "a/0"), tenancy(3, "a", "a/2"))

    assert book.holder("pod") is None


def test_a_lease_that_was_given_back_is_nobodys_and_still_fences() -> None:
    book = read(tenancy(1, "a", "a/0"), lease(2, "pod", "a/0"), lease(3, "pod"))

    assert (book.holder("pod"), book.sequence("pod"), book.sequence("job")) == (None, 3, 0)


def test_what_cannot_be_read_is_nobodys() -> None:
    book = read(tenancy(1, "a", "a/0"), message(2, lease_subject("pod"), b"1:a"))

    assert (book.holder("pod"), book.sequence("pod")) == (None, 2)


def test_that_somebody_stays_is_no_news() -> None:
    book = read(tenancy(1, "a", "a/0"), lease(2, "pod", "a/0"))

    assert not book.learn(Batch(messages=(tenancy(3, "a", "a/0"),), synced=True))
    assert book.learn(Batch(messages=(tenancy(4, "b", "b/3"),), synced=True))


def test_a_log_that_went_back_makes_it_forget() -> None:
    book = read(tenancy(1, "a", "a/0"), lease(2, "pod", "a/0"))

    assert book.learn(Reset())
    assert (book.synced, book.held(), book.sequence("pod")) == (False, {}, 0)


def test_odd_names_are_found_again() -> None:
    book = read(tenancy(1, "a.b", "a.b/0"), lease(2, "courier_x.y", "a.b/0"))

    assert book.holder("courier_x.y") is not None
