"""Devices on the board: laying, looking, contact, blasts."""
