"""What learning agents see and say: observations, actions, masks, rewards, and the plain views and orders of people.

Kernels write whole batches straight into arrays that the caller provides.
"""
