"""HL7 Infobutton (Context-Aware Knowledge Retrieval): `/infobutton`, for the buttons of records.

A request is as in the URL-based implementation guide, release 4; a response is an Atom feed as in
the service-oriented implementation guide, in the XML and JSON of MedlinePlus Connect.
"""
