"""The benchmark: a fixed table of rows, measured against a yardstick in the same run, and the stored trajectories."""
