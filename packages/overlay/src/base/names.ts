/**
 * What a pool is called on the wire. All names derive from a hash of the pool's name, so that pools of any name are short in every
 * message and nodes of different pools have nothing to say to one another.
 */
import { createHash } from 'node:crypto'
import { nameProblem } from '@jel/protocol'
import { InvalidPoolNameError } from './errors.ts'

/** Newest first: the current and, once there is one, the previous version. A peer is spoken to in the first version that both know. */
const versions = ['2.0.0'] as const

export interface PoolNames {
  /** Protocol ids of the streams that make a link, newest version first. */
  readonly links: readonly string[]
  /** Those of the streams beside them for failure detection, in the same order. */
  readonly urgent: readonly string[]
  /** The protocol id of the streams on which members tell their links. */
  readonly reports: string
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
    topic: `/jel/${short}/${versions[0].slice(0, versions[0].indexOf('.'))}`,
  }
}

/** The mDNS service: nodes of other pools, and of the same name with another key, don't answer to it. */
export function serviceName(pool: string, key?: Uint8Array): string {
  return `_jel-${digest(pool, key)}._udp.local`
}

/** 64 bits: enough that pools don't meet by accident. Who wants to keep others out uses a pool key. */
function digest(pool: string, key?: Uint8Array): string {
  const hash = createHash('sha256').update(pool)
  if (key) hash.update('\0').update(key)
  return hash.digest('hex').slice(0, 16)
}
