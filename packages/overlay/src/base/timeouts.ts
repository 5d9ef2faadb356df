/**
 * A host counts as silent if a connect takes longer than this time, ms. Linux repeats a lost SYN
 * after 1 s and again after 3 s. So one lost SYN does no harm.
 */
export const connectTimeout = 2_000

/**
 * Time from the start of a dial to the end of the handshake, at either end, ms. The opening of the
 * link gets the same time once more. {@link TurnTimeout} counts it. Guess: enough for busy hosts.
 */
export const handshakeTimeout = 5_000
