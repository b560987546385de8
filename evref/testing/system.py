"""The contracts of the ports `Clock`, `Randomness`, `PasswordHasher` and `PasswordGuesser`."""

from datetime import timedelta

import pytest

from evref.ports.clock import Clock
from evref.ports.passwords import PasswordGuesser, PasswordHasher
from evref.ports.randomness import Randomness
from evref.testing.contract import Contract


class ClockContract(Contract):
    port = Clock

    @pytest.fixture
    def clock(self) -> Clock:
        clock: Clock = self.adapter()
        return clock

    def test_now_is_in_utc(self, clock: Clock) -> None:
        """The instant knows its time zone."""
        assert clock.now().utcoffset() == timedelta(0)

    def test_monotonic_time_never_goes_back(self, clock: Clock) -> None:
        """Each look is at the same moment as the one before, or later."""
        looks = [clock.monotonic() for _ in range(100)]

        assert looks == sorted(looks)


class RandomnessContract(Contract):
    port = Randomness

    @pytest.fixture
    def randomness(self) -> Randomness:
        randomness: Randomness = self.adapter()
        return randomness

    def test_every_number_below_the_bound_comes_and_no_other(self, randomness: Randomness) -> None:
        """Of a thousand numbers below three, each of the three is there."""
        assert {randomness.below(3) for _ in range(1000)} == {0, 1, 2}

    def test_large_numbers_do_not_repeat(self, randomness: Randomness) -> None:
        """As many as fit into a key's secret."""
        assert len({randomness.below(62**40) for _ in range(1000)}) == 1000


class PasswordHasherContract(Contract):
    port = PasswordHasher

    @pytest.fixture
    def passwords(self) -> PasswordHasher:
        passwords: PasswordHasher = self.adapter()
        return passwords

    def test_a_hash_verifies_the_password_that_it_was_made_of(
        self, passwords: PasswordHasher
    ) -> None:
        """And no other one, be it as close."""
        password_hash = passwords.hash("correct horse 🐴")

        assert passwords.verify("correct horse 🐴", password_hash)
        assert not passwords.verify("Correct horse 🐴", password_hash)

    def test_a_hash_is_an_argon2id_string_and_never_the_same(
        self, passwords: PasswordHasher
    ) -> None:
        """Two members with one password cannot be told by their hashes."""
        first, second = passwords.hash("password"), passwords.hash("password")

        assert first.startswith("$argon2id$")
        assert first != second

    def test_where_there_is_no_hash_no_password_is_right(self, passwords: PasswordHasher) -> None:
        """Not even an empty one."""
        assert not passwords.verify("password", None)
        assert not passwords.verify("", None)

    @pytest.mark.parametrize("damaged", ["", "password", "$argon2id$v=19$m=65536"])
    def test_what_is_no_hash_verifies_nothing(
        self, passwords: PasswordHasher, damaged: str
    ) -> None:
        """It is an answer, and no error."""
        assert not passwords.verify("password", damaged)


class PasswordGuesserContract(Contract):
    port = PasswordGuesser

    @pytest.fixture
    def guesser(self) -> PasswordGuesser:
        guesser: PasswordGuesser = self.adapter()
        return guesser

    @pytest.mark.parametrize(
        "password",
        [
            "passwordpassword",
            "Passw0rd!Passw0rd!",
            "iloveyouiloveyou",
            "123456789012345",
            "qwertyuiopasdfgh",
            "abcdefghijklmnop",
            "aaaaaaaaaaaaaaaaaaaa",
            "GeneralHospital2026",
            "ward@example.org",
        ],
    )
    def test_what_many_people_would_take_is_soon_tried(
        self, guesser: PasswordGuesser, password: str
    ) -> None:
        """Long as it is; and what is known about its owner, too."""
        assert guesser.soon_tries(password, ["ward@example.org", "GeneralHospital"])

    @pytest.mark.parametrize(
        "password",
        [
            "correct horse battery",
            "3f9a8c2b1d7e6f40",
            "sieben Äpfel im Tresor",
            "猫と犬が庭で静かに本を読んでいる",
        ],
    )
    def test_words_that_do_not_belong_together_are_not(
        self, guesser: PasswordGuesser, password: str
    ) -> None:
        """Nor are random characters; in whichever language."""
        assert not guesser.soon_tries(password, ["ward@example.org"])

    def test_the_longest_password_is_judged(self, guesser: PasswordGuesser) -> None:
        """It is judged by what it repeats."""
        assert guesser.soon_tries("ab" * 512, ["ward@example.org"])
