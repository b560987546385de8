"""The contracts of the ports `Clock`, `Randomness`, `PasswordHasher` and `PasswordGuesser`."""

from datetime import timedelta

import pytest

from evref.ports.accounts import PasswordGuesser, PasswordHasher
from evref.ports.system import Clock, Randomness
from evref.testing.contract import Contract


class ClockContract(Contract):
    port = Clock

    def test_now_is_in_utc(self, instance: Clock) -> None:
        """The time has a time zone."""
        assert instance.now().utcoffset() == timedelta(0)

    def test_monotonic_time_never_goes_back(self, instance: Clock) -> None:
        """Each reading is equal to the previous one or later."""
        looks = [instance.monotonic() for _ in range(100)]

        assert looks == sorted(looks)


class RandomnessContract(Contract):
    port = Randomness

    def test_every_number_below_the_bound_comes_and_no_other(self, instance: Randomness) -> None:
        """A thousand numbers below three include 0, 1 and 2."""
        assert {instance.below(3) for _ in range(1000)} == {0, 1, 2}

    def test_large_numbers_do_not_repeat(self, instance: Randomness) -> None:
        """The numbers have the size of a key's secret."""
        assert len({instance.below(62**40) for _ in range(1000)}) == 1000


class PasswordHasherContract(Contract):
    port = PasswordHasher

    def test_a_hash_verifies_the_password_that_it_was_made_of(
        self, instance: PasswordHasher
    ) -> None:
        """It verifies no other password, even a similar one."""
        password_hash = instance.hash("correct horse 🐴")

        assert instance.verify("correct horse 🐴", password_hash)
        assert not instance.verify("Correct horse 🐴", password_hash)

    def test_a_hash_is_an_argon2id_string_and_never_the_same(
        self, instance: PasswordHasher
    ) -> None:
        """Hashes do not reveal that two members have the same password."""
        first, second = instance.hash("password"), instance.hash("password")

        assert first.startswith("$argon2id$")
        assert first != second

    @pytest.mark.parametrize("damaged", [None, "", "password", "$argon2id$v=19$m=65536"])
    def test_anything_but_a_hash_verifies_nothing(
        self, instance: PasswordHasher, damaged: str | None
    ) -> None:
        """None, for a member without a password, verifies nothing either. Nothing is raised."""
        assert not instance.verify("password", damaged)
        assert not instance.verify("", damaged)


class PasswordGuesserContract(Contract):
    port = PasswordGuesser

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
            "ab" * 512,
        ],
    )
    def test_what_many_people_would_take_is_guessable(
        self, instance: PasswordGuesser, password: str
    ) -> None:
        """This holds for long passwords too, and for known data about the owner."""
        assert instance.is_guessable(password, ["ward@example.org", "GeneralHospital"])

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
        self, instance: PasswordGuesser, password: str
    ) -> None:
        """Random characters are not either; the language does not matter."""
        assert not instance.is_guessable(password, ["ward@example.org"])

    def test_the_first_forty_characters_decide(self, instance: PasswordGuesser) -> None:
        """So the time of an estimate is bounded for any password."""
        assert instance.is_guessable("a" * 40 + "correct horse battery", [])
        assert not instance.is_guessable("a" * 20 + "correct horse battery", [])
