"""Moving devices: laying and launching them, their flights, and the effects of board elements on them."""
