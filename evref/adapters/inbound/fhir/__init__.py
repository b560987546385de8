"""The catalogue as FHIR R4 (4.0.1), below `/fhir`: https://hl7.org/fhir/R4/.

`blueprint` has the views; `search` reads the parameters; `filtering` applies them to what `sources`
have; `index` finds resources by FHIR id; `resources` renders them and `bundle` their lists, with
the tables in `mappings`; `definitions` has the code systems and extensions that they use;
`capability` is the CapabilityStatement; `interface` renders errors as OperationOutcome.
"""
