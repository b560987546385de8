"""What is true whatever stores or serves it: entities, codes, filtering, access, quota.

Standard library only, no clock and no input or output: instants and randomness come in as
arguments. A clinician or an auditor who asks what the rules are finds them here.
"""
