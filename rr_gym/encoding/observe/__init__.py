"""Observations of seats as flat numbers, planes and tables, and views for people and programs."""
