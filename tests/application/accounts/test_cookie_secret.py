"""What cookies are signed with is the same for all who serve, or what the operator gave."""

from evref.adapters.outbound.memory import MemorySharedSecrets, MemoryState
from evref.application.accounts.cookie_secret import CookieSecret
from tests.fakes import SeededRandomness


def test_the_operators_secret_is_taken_as_it_is(state: MemoryState) -> None:
    share = CookieSecret(MemorySharedSecrets(state), SeededRandomness(), "the operator's")

    assert share() == "the operator's"
    assert state.secrets == {}


def test_without_one_all_who_serve_share_the_first_that_was_made(state: MemoryState) -> None:
    workers = [
        CookieSecret(MemorySharedSecrets(state), SeededRandomness(seed), None) for seed in range(3)
    ]
    shared = {worker() for worker in workers}

    assert len(shared) == 1
    assert len(shared.pop()) == 64


def test_two_services_never_share_a_secret_by_chance() -> None:
    secrets = {
        CookieSecret(MemorySharedSecrets(MemoryState()), SeededRandomness(seed), None)()
        for seed in range(3)
    }

    assert len(secrets) == 3
