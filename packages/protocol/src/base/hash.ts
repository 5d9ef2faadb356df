/**
 * A fast 52-bit hash for positions on rings and in the fact set. It is cyrb53 (public domain) less
 * one bit, so that a number holds the end of the space exactly, too.
 *
 * It is not cryptographic: a node that picks its id can pick its position. Nothing here needs
 * unpredictable positions. Signatures protect against liars. Random links lead out of a
 * neighbourhood that an attacker chose.
 */
export function hash52(text: string, seed = 0): number {
  let h1 = 0xdeadbeef ^ seed
  let h2 = 0x41c6ce57 ^ seed
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    h1 = Math.imul(h1 ^ code, 2654435761)
    h2 = Math.imul(h2 ^ code, 1597334677)
  }
  h1 = Math.imul(h1 ^ (h1 >>> 16), 2246822507) ^ Math.imul(h2 ^ (h2 >>> 13), 3266489909)
  h2 = Math.imul(h2 ^ (h2 >>> 16), 2246822507) ^ Math.imul(h1 ^ (h1 >>> 13), 3266489909)
  return 4294967296 * (1048575 & h2) + (h1 >>> 0)
}

/** One past the largest {@link hash52}. */
export const hashSpace = 2 ** 52
