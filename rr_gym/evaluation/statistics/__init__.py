"""Intervals, ratings and scores."""
