/**
 * The names of a pool on the wire. All derive from a hash of the pool's name. So they are short in
 * every message, and nodes of different pools have no protocol in common.
 */
import { sha256 } from '#platform/crypto'
import { nameProblem } from '@jel/protocol'
import { concat, fromString, toString } from 'uint8arrays'
import { InvalidPoolNameError } from './errors.ts'

/**
 * The versions of this release, newest first: the current one and, once there are two, the previous
 * one. Two peers use the first version that both support.
 */
const versions = ['2.0.0'] as const

export interface PoolNames {
  /** Protocol ids of the streams that make a link, newest version first. */
  readonly links: readonly string[]
  /** Protocol ids of the second stream of a link, for failure detection. In the same order. */
  readonly urgent: readonly string[]
  /** The protocol id of the streams on which members report their links. */
  readonly reports: string
  /** The protocol id of the streams on which members check whether they can dial a member. */
  readonly reach: string
  /** The protocol id of the streams on which two hidden members agree to dial each other. */
  readonly punch: string
  /** The protocol ids of the streams to a relay, and of those from a relay. */
  readonly circuits: { readonly relay: string; readonly circuit: string }
  /** The gossipsub topic. */
  readonly topic: string
}

/** Throws {@link InvalidPoolNameError}. */
export function poolNames(pool: string): PoolNames {
  const problem = nameProblem(pool)
  if (problem !== undefined) throw new InvalidPoolNameError(`the pool name ${problem}`)
  const short = digest(pool)
  return {
    links: versions.map((version) => `/jel/${short}/${version}`),
    urgent: versions.map((version) => `/jel/${short}/${version}/urgent`),
    reports: `/jel/${short}/links/1.0.0`,
    reach: `/jel/${short}/reach/1.0.0`,
    punch: `/jel/${short}/punch/1.0.0`,
    circuits: { relay: `/jel/${short}/relay/1.0.0`, circuit: `/jel/${short}/circuit/1.0.0` },
    topic: `/jel/${short}/${versions[0].slice(0, versions[0].indexOf('.'))}`,
  }
}

/**
 * Returns the name of the mDNS service. Nodes of another pool, or with another key, have another
 * name and don't answer.
 */
export function serviceName(pool: string, key?: Uint8Array): string {
  return `_jel-${digest(pool, key)}._udp.local`
}

/** 64 bits are enough to keep pools from meeting by accident. A pool key keeps strangers out. */
function digest(pool: string, key?: Uint8Array): string {
  const named = fromString(pool)
  return toString(sha256(key ? concat([named, Uint8Array.of(0), key]) : named), 'base16').slice(0, 16)
}
