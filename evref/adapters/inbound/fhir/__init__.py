"""The catalogue as FHIR R4 (4.0.1), below `/fhir`: https://hl7.org/fhir/R4/."""
