"""Aiming, lasers, and weapons that displace robots."""
