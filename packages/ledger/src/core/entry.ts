import { concat, toString } from 'uint8arrays'

/**
 * An entry as messages carry it. The receiver computes the hash from it and from the entries
 * before.
 */
export interface Content {
  readonly term: number
  /** `begin`, `voters`, or a kind of the fold. */
  readonly kind: string
  readonly body: Uint8Array
}

/** An entry of a log. */
export interface Entry extends Content {
  /** Names this entry and all before it, 32 hexadecimal digits. */
  readonly hash: string
}

/** The first entry of each term. A leader commits it first (Raft §5.4.2, §8). */
export const BEGIN = 'begin'
/** A change of voters. */
export const VOTERS = 'voters'

/** SHA-256. Tests use a faster function. */
export type Digest = (bytes: Uint8Array) => Uint8Array

const text = new TextEncoder()

/** The hash of an empty log. */
export function firstHash(digest: Digest, ledger: string): string {
  return hashOf(digest, text.encode(`jel ledger\0${ledger}`))
}

/** Adds the hash, which chains the entry to the one before. */
function chained(digest: Digest, before: string, { term, kind, body }: Content): Entry {
  const head = text.encode(`${before} ${term} ${kind}\0`)
  return { term, kind, body, hash: hashOf(digest, concat([head, body])) }
}

/** Adds hashes to entries that follow each other. */
export function chain(digest: Digest, before: string, contents: readonly Content[]): Entry[] {
  let hash = before
  return contents.map((content) => {
    const entry = chained(digest, hash, content)
    hash = entry.hash
    return entry
  })
}

function hashOf(digest: Digest, bytes: Uint8Array): string {
  return toString(digest(bytes).subarray(0, 16), 'base16')
}
