"""Scenarios: small positions with the outcome that the rules require (docs/scenario-format.md)."""

from rr_gym.scenarios.load import Difference, Scenario, ScenarioResult, load_scenarios

__all__ = ["Difference", "Scenario", "ScenarioResult", "load_scenarios", "run_scenario"]


def run_scenario(scenario: Scenario) -> ScenarioResult:
    """Play a scenario and compare the outcome with what the scenario expects.

    Args:
        scenario: One of `load_scenarios`.

    Returns:
        The fields that differ, if any. A scenario that cannot be read or run differs in the field ``error`` (file,
        line, name and reason), unless it expects that error.
    """
    # Imported here: the rules take a while to load.
    from rr_gym.scenarios.play import play_scenario

    return play_scenario(scenario)
