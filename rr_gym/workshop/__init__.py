"""Improve a bot: play it and keep what it lost, again when its files change; feed recorded games to it again."""
