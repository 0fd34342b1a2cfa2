"""Scenarios: rules as small positions with what must come out (docs/scenario-format.md)."""

from rr_gym.scenarios.load import Difference, Result, Scenario, load_scenarios

__all__ = ["Difference", "Result", "Scenario", "load_scenarios", "run_scenario"]


def run_scenario(scenario: Scenario) -> Result:
    """Play a scenario and compare what comes out with what it expects.

    Args:
        scenario: One of `load_scenarios`.

    Returns:
        What differs, if anything. A scenario that cannot be read or run differs in the field ``error``, with the file,
        the line, its name and the reason, unless it expects that error.
    """
    # Imported here: the rules take a while to load.
    from rr_gym.scenarios.play import play_scenario

    return play_scenario(scenario)
