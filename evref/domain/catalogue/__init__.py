"""The reference data: diagnoses and their codes, interventions and their evidence."""
