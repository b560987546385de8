"""The rules of the service, independent of storage and HTTP.

They use the standard library only, without a clock and without input or output: instants and
random numbers are arguments. An entity that would break a rule is not made: `InvalidValueError`.
"""
