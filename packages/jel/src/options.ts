import { InvalidOptionError, UnsupportedConsistencyError } from './errors.ts'

/** What `joinPool` may be told. Everything is optional. */
export interface PoolOptions {
  /**
   * Consistency of the membership news (JEL §3.3): `'unreliable'` (default) is best effort in any order, repaired until all
   * nodes hold the same view; `'off'` delivers none. The paper's `'reliable'` needs a coordinator and is refused.
   */
  joins?: 'unreliable' | 'off'
  /**
   * Consistency of elections (JEL §3.3): `'non-uniform'` (default) converges to one winner, and different nodes may name
   * different winners before that; `'off'` refuses elections. The paper's `'uniform'` is refused.
   */
  elections?: 'non-uniform' | 'off'
  /**
   * Addresses of members through which the pool may be entered: `host:port`, or multiaddrs with or without `/p2p/…`. None: the node founds the
   * pool, or finds it by mDNS.
   */
  bootstrap?: readonly string[]
  /**
   * With `bootstrap`: whether this node is the pool where none of its introducers lets it in. Default: no. Until it has reached one it stands in no
   * election then, so that no second master comes up beside the pool that it can't reach.
   */
  found?: boolean
  /** `joinPool` resolves only when so many members are here, this node included, and rejects with TooFewMembersError if they don't come in time. */
  requireMembers?: number
  /** How long `requireMembers` may take, ms. Default: 30,000. */
  timeout?: number
  /** Where to listen: `ip:port` or multiaddrs. Default: all IPv4 interfaces on a free TCP port. */
  listen?: readonly string[]
  /** Where this node is, from fine to coarse joined by `@`, as in `node7@rack2@delft@nl`. Default: the host name. */
  location?: string
  /** Bytes of the application's own that every member gets to know, at most 1,024. Default: none. */
  tag?: Uint8Array
  /** A private pool: the text of a swarm key file. Without the same key nobody enters, and nothing can be read. */
  key?: Uint8Array
  /** Keeps this node's key and incarnation across starts. Created with mode 0600 if it is missing; locked while in use. Default: a new id at each start. */
  identityFile?: string
  /** Find other nodes on the local network. Default: yes, unless the node listens on loopback only. */
  mdns?: boolean
  /**
   * Where the node runs. `'main'` (default): in this thread; while the application computes without yielding the node says nothing, and after 15 s the
   * others declare it dead. `'worker'`: in a thread of its own; the application may block as long as it likes and finds all events
   * waiting in order. That costs memory and start-up time, and `pool.libp2p` can't be reached.
   */
  thread?: 'main' | 'worker'
  /** Aborts the joining; after that it has no effect. */
  signal?: AbortSignal
}

const CONSISTENCY = {
  joins: { offered: ['unreliable', 'off'], refused: 'reliable' },
  elections: { offered: ['non-uniform', 'off'], refused: 'uniform' },
} as const

/** Throws if it is no number that things can be counted to. */
export function checkCount(option: string, value: unknown): void {
  if (!Number.isSafeInteger(value) || (value as number) < 1) throw new InvalidOptionError(`${option}: must be a whole number above 0`)
}

/** Throws if it is neither thread. */
export function checkThread(thread: string): void {
  if (thread !== 'main' && thread !== 'worker') {
    throw new InvalidOptionError(`thread: ${JSON.stringify(thread)} is unknown; offered are 'main' and 'worker'`)
  }
}

/** Throws if a consistency level is not one that this implementation gives. */
export function checkConsistency(option: keyof typeof CONSISTENCY, level: string): void {
  const { offered, refused } = CONSISTENCY[option]
  if (offered.some((name) => name === level)) return
  if (level === refused) throw new UnsupportedConsistencyError(option, level, offered)
  throw new InvalidOptionError(
    `${option}: ${JSON.stringify(level)} is unknown; offered are ${offered.map((name) => `'${name}'`).join(' and ')}`,
  )
}
