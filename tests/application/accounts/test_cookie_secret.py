"""What cookies are signed with is the same for all who serve, or what the operator gave."""

from evref.adapters.outbound.memory import MemoryStorage
from evref.application.accounts.cookie_secret import CookieSecret
from tests.fakes import SeededRandomness


def test_the_operators_secret_is_taken_as_it_is(storage: MemoryStorage) -> None:
    share = CookieSecret(storage.secrets, SeededRandomness(), "the operator's")

    assert share() == "the operator's"
    assert storage.state.secrets == {}


def test_without_one_all_who_serve_share_the_first_that_was_made(storage: MemoryStorage) -> None:
    workers = [CookieSecret(storage.secrets, SeededRandomness(seed), None) for seed in range(3)]
    shared = {worker() for worker in workers}

    assert len(shared) == 1
    assert len(shared.pop()) == 64


def test_two_services_never_share_a_secret_by_chance() -> None:
    secrets = {
        CookieSecret(MemoryStorage().secrets, SeededRandomness(seed), None)() for seed in range(3)
    }

    assert len(secrets) == 3
