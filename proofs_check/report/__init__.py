"""Verdicts for people and for machines: terminal tables, JSON, JUnit, and statements as text."""
