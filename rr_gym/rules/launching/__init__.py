"""Devices that are laid, launched, fly or ride."""
