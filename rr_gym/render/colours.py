"""Eight robot colours that people with any kind of colour vision tell apart, by seat."""

ROBOT_COLOURS = ("#e69f00", "#0072b2", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#f0e442", "#4a4f57")
# Of the numbers on them.
INK_ON_ROBOT = ("#1b1b1b", "#ffffff", "#ffffff", "#ffffff", "#1b1b1b", "#1b1b1b", "#1b1b1b", "#ffffff")
