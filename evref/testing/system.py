"""The contracts of the ports `Clock`, `Randomness`, `PasswordHasher` and `PasswordGuesser`."""

from datetime import timedelta

import pytest

from evref.ports.accounts.passwords import PasswordGuesser, PasswordHasher
from evref.ports.clock import Clock
from evref.ports.randomness import Randomness
from evref.testing.contract import Contract


class ClockContract(Contract):
    port = Clock

    @pytest.fixture
    def clock(self) -> Clock:
        clock: Clock = self.adapter()
        return clock

    def test_now_is_in_utc(self, clock: Clock) -> None:
        """The time has a time zone."""
        assert clock.now().utcoffset() == timedelta(0)

    def test_monotonic_time_never_goes_back(self, clock: Clock) -> None:
        """Each reading is equal to the previous one or later."""
        looks = [clock.monotonic() for _ in range(100)]

        assert looks == sorted(looks)


class RandomnessContract(Contract):
    port = Randomness

    @pytest.fixture
    def randomness(self) -> Randomness:
        randomness: Randomness = self.adapter()
        return randomness

    def test_every_number_below_the_bound_comes_and_no_other(self, randomness: Randomness) -> None:
        """A thousand numbers below three include 0, 1 and 2."""
        assert {randomness.below(3) for _ in range(1000)} == {0, 1, 2}

    def test_large_numbers_do_not_repeat(self, randomness: Randomness) -> None:
        """The numbers have the size of a key's secret."""
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
        """It verifies no other password, even a similar one."""
        password_hash = passwords.hash("correct horse 🐴")

        assert passwords.verify("correct horse 🐴", password_hash)
        assert not passwords.verify("Correct horse 🐴", password_hash)

    def test_a_hash_is_an_argon2id_string_and_never_the_same(
        self, passwords: PasswordHasher
    ) -> None:
        """Hashes do not reveal that two members have the same password."""
        first, second = passwords.hash("password"), passwords.hash("password")

        assert first.startswith("$argon2id$")
        assert first != second

    def test_where_there_is_no_hash_no_password_is_right(self, passwords: PasswordHasher) -> None:
        """This includes the empty password."""
        assert not passwords.verify("password", None)
        assert not passwords.verify("", None)

    @pytest.mark.parametrize("damaged", ["", "password", "$argon2id$v=19$m=65536"])
    def test_what_is_no_hash_verifies_nothing(
        self, passwords: PasswordHasher, damaged: str
    ) -> None:
        """The result is False; nothing is raised."""
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
    def test_what_many_people_would_take_is_guessable(
        self, guesser: PasswordGuesser, password: str
    ) -> None:
        """This holds for long passwords too, and for known data about the owner."""
        assert guesser.is_guessable(password, ["ward@example.org", "GeneralHospital"])

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
        """Random characters are not either; the language does not matter."""
        assert not guesser.is_guessable(password, ["ward@example.org"])

    def test_the_longest_password_is_judged(self, guesser: PasswordGuesser) -> None:
        """Its estimate depends on its repetitions."""
        assert guesser.is_guessable("ab" * 512, ["ward@example.org"])

    def test_the_first_forty_characters_decide(self, guesser: PasswordGuesser) -> None:
        """So the time of an estimate is bounded, whatever the password."""
        assert guesser.is_guessable("a" * 40 + "correct horse battery", [])
        assert not guesser.is_guessable("a" * 20 + "correct horse battery", [])
