"""Use cases of accounts, with fakes."""

from dataclasses import dataclass, field

from evref.application.accounts.passwords import Attempts, Bulkhead, Passwords
from evref.application.accounts.people import People
from evref.application.accounts.refused_sign_ins import RefusedSignIns
from evref.application.accounts.sign_in import SignIn
from evref.ports.storage import Storage
from tests.fakes import FakeClock, QuickPasswordHasher, SeededRandomness, SingleGuess


@dataclass
class Fakes:
    """What the use cases need besides storage."""

    clock: FakeClock = field(default_factory=FakeClock)
    randomness: SeededRandomness = field(default_factory=SeededRandomness)
    passwords: QuickPasswordHasher = field(default_factory=QuickPasswordHasher)
    guesser: SingleGuess = field(default_factory=SingleGuess)
    bulkhead: Bulkhead = field(default_factory=Bulkhead)

    def people(self, storage: Storage) -> People:
        return People(
            storage=storage,
            bulkhead=self.bulkhead,
            passwords=Passwords(self.passwords, self.guesser),
            clock=self.clock,
            randomness=self.randomness,
        )

    def sign_in(self, storage: Storage) -> SignIn:
        return SignIn(
            storage=storage,
            attempts=Attempts(storage, self.bulkhead, self.clock),
            refused=RefusedSignIns(storage.audit, self.clock),
            passwords=Passwords(self.passwords, self.guesser),
            clock=self.clock,
            randomness=self.randomness,
        )
