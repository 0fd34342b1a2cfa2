"""People play in browsers: a server on this machine, and for each of them a page that shows what the seat may see."""

from rr_gym.web.app import application
from rr_gym.web.host import Host
from rr_gym.web.room import Room
from rr_gym.web.server import serve

__all__ = ["Host", "Room", "application", "serve"]
