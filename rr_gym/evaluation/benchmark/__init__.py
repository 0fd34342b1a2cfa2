"""The benchmark of players: suites, reference scores, reports."""
