"""The methods that find out whether a claim is true; each returns its own evidence."""
