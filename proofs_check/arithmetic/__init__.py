"""Expressions as our own trees and as SymPy: grammar, exact values, balls, fields, derivatives."""
