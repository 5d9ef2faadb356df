/**
 * Bytes that one side of a worker's port may send before the other side takes them. A guess: the
 * largest message fits.
 */
export const MAX_UNTAKEN = 4 * 1024 * 1024
