"""Tournaments: who meets whom, blocks of games on disk, standings, and their page."""
