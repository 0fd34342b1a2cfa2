"""The names of players: those of the built-in ones, and the words that other names are made of. It imports nothing."""

from __future__ import annotations

# The built-in players by name, each with one line on how it plays; `rr_gym.registry` makes them.
BUILT_IN = {
    "champion": "a network that tries whole turns before it decides",
    "equilibrium": "plays an equilibrium of the turn, so that little is gained by knowing how it plays; "
    "equilibrium:5k, equilibrium:400@champion+veteran",
    "grandmaster": "the best network in duels: champion, with a second one that values the turns it tries",
    "greedy": "runs for the next flag as if it were alone on the floor",
    "planner": "tries programs against likely ones of the others; planner:20k simulates 20,000 turns, "
    "planner:100ms takes 100 ms",
    "racer": "fewest expected turns to its last flag as if it were alone on the floor",
    "random": "a uniformly random legal program, random uses of options; never powers down",
    "rookie": "a network after a few minutes of duels, such as `rr-gym demo` trains",
    "strategist": "searches as planner does, with champion for what others do and what positions are worth; "
    "strategist:5k, strategist:500ms, strategist:@runs/mine, strategist:400@champion+veteran",
    "veteran": "a quick network: it imitated planner, then learned in a league",
}
POLICIES = ("champion", "grandmaster", "rookie", "veteran")  # those of them that are policies
PROGRAM = "program"  # the first part of names such as program:COMMAND
BOT = "bot"  # the first part of names such as bot:DIR, a submission
PERSON = "human"  # the name of a person in replays, and among the players of `rr-gym play --web`
MODEL = ".zip"  # suffix of the files that Stable-Baselines3 saves
SPEC_FILE, WEIGHTS_FILE = "policy.json", "policy.safetensors"  # the files in the folder of a policy
