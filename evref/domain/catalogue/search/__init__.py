"""The search: finds diagnoses and interventions for a text, with the reason for each hit."""
