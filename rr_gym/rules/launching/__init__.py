"""Devices on their way: how they are laid and launched, how they fly, and what the elements of the board do to them."""
