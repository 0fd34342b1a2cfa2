"""Observations of a seat as numbers, planes and tables, and views for people and programs."""
