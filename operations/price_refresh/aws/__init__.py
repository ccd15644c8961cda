"""The AWS price list: an offer a service, a file a region, without a login."""
