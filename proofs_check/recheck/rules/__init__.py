"""The rules of certificates, by the kind of argument; each function checks one kind of step."""
