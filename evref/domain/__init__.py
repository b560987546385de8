"""The rules of the service, independent of storage and HTTP.

Entities, codes, filtering, access and quota. Uses the standard library only, without a clock and
without input or output: instants and randomness are arguments.
"""
