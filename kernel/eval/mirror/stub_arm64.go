package mirror

// stubSize is how far apart the addresses of the stock are.
const stubSize = 8
