"""Records of the catalogue as JSON documents, for adapters that store or write them."""
