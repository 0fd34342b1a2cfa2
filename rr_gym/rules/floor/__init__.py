"""What lies and stands where: ground, levels, elevators, copies, sight."""
