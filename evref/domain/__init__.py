"""The rules of the service, independent of storage and HTTP.

They use the standard library only, without a clock and without input or output: instants and
random numbers are arguments.
"""
