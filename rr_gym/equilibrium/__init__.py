"""One turn as a Bayesian game: payoffs of programs, equilibria, and a player."""
