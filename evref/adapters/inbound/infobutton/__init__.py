"""HL7 Infobutton (Context-Aware Knowledge Retrieval): `/infobutton`, for health record systems.

Requests follow the URL-based implementation guide, release 4. A response is an Atom feed as in
the service-oriented implementation guide, in the XML and JSON of MedlinePlus Connect.
"""
