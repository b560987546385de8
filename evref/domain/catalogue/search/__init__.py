"""Search: from what people type to diagnoses and interventions, with the reason of each hit."""
