import type { WebPort } from '@jel/overlay'
import { countProblem, spanProblem } from './base/arguments.ts'
import type { WarningDetail } from './base/events.ts'
import { InvalidOptionError } from './errors.ts'

/**
 * How the ledger of a pool begins, and which nodes vote in it. The ledger is the replicated log of
 * the pool's joins, ends, candidacies, reigns and ordered messages.
 */
export interface LedgerOptions {
  /**
   * Whether this node founds the ledger, if there is none. Give it to one node: two founders that
   * don't see each other make two ledgers, which never become one. Default: no.
   */
  found?: boolean
  /**
   * The ids of the nodes that found the ledger together, an odd number. The ledger begins when more
   * than half of them have joined. All nodes give the same ids. Not together with `found`.
   */
  founders?: readonly string[]
  /**
   * The largest number of voters, odd, from 1 to 15. The ledger goes on as long as more than half
   * of its voters live. The pool replaces dead voters by itself. Default: 5.
   */
  voters?: number
  /** Whether this node may be a voter. Default: yes. */
  vote?: boolean
}

/** The options of `joinPool`. All are optional. */
export interface PoolOptions {
  /**
   * Consistency of the membership news (JEL §3.3). `'unreliable'` (default): best effort, in any
   * order, repaired until all nodes hold the same view. `'off'`: no news. `'reliable'`: all nodes
   * that ask for it get the same joins and ends in the same order, see `ledger`.
   */
  joins?: 'reliable' | 'unreliable' | 'off'
  /**
   * Consistency of elections (JEL §3.3). `'non-uniform'` (default): elections converge to one
   * winner. Before that, different nodes may name different winners. `'off'`: no elections.
   * `'uniform'`: one winner for each epoch, known to all nodes that ask for it, see `ledger`.
   */
  elections?: 'uniform' | 'non-uniform' | 'off'
  /**
   * How the ledger of the pool begins, for `joins: 'reliable'` and `elections: 'uniform'`. Without
   * `found` and `founders` this node enters a ledger that another node founds. With a `poolSize`
   * the first members found the ledger: it begins when more than half of that many have joined.
   */
  ledger?: LedgerOptions
  /**
   * Addresses of members to enter the pool through (introducers): `host:port`, or multiaddrs with
   * or without `/p2p/…`. Without any the node finds the pool by mDNS, or founds it.
   */
  bootstrap?: readonly string[]
  /**
   * With `bootstrap`: whether this node founds the pool if none of its introducers lets it in. If
   * it does not found the pool, it is no candidate in elections until it has reached an introducer.
   * Otherwise it would elect itself, while the pool that it can't reach may have another winner.
   * Default: no.
   */
  found?: boolean
  /**
   * `joinPool` resolves only when there are this many members, this node included. It rejects with
   * TooFewMembersError if too few join in time.
   */
  requireMembers?: number
  /**
   * Time limit of `requireMembers`, and of the entry into the ledger, ms. Give it only with
   * `requireMembers`, `joins: 'reliable'` or `elections: 'uniform'`. Default: 30,000.
   */
  timeout?: number
  /**
   * Where to listen: `ip:port` or multiaddrs. Default: one free TCP port of all interfaces, on IPv4
   * and IPv6. Without IPv6 the node listens on IPv4 alone.
   */
  listen?: readonly string[]
  /**
   * Addresses at which others reach this node, if it does not listen there itself: behind a port
   * mapping, in a container. `host:port` or multiaddrs, at most 8.
   */
  announce?: readonly string[]
  /**
   * Takes browsers as members, over WebSockets at a port that serves the application's pages, too.
   * Default: no. `web.serve` needs `thread: 'main'`.
   */
  web?: WebPort
  /**
   * Makes the router map a port to this node (UPnP). Default: no; then the node does not look for a
   * router. Not together with `announce`.
   */
  portMapping?: boolean
  /**
   * Ids of the nodes that may connect to this node. This node connects to no other nodes either.
   * Give all nodes the same list. Default: everybody. See `Pool.allowList`.
   */
  allow?: readonly string[]
  /**
   * The location of this node: levels from fine to coarse joined by `@`, as in
   * `node7@rack2@delft@nl`. At most 256 bytes. Default: the host name.
   */
  location?: string
  /**
   * The application's own data about this node. Every member receives it. At most 1,024 bytes; text
   * is sent as UTF-8. Default: none.
   */
  tag?: Uint8Array | string
  /**
   * Makes the pool private: the content of a swarm key file, see `generatePoolKey` and
   * `readPoolKey`. Nobody can enter or read anything without the same key. The first of several
   * keys is the primary key, see `Pool.keys`.
   */
  key?: Uint8Array | string | readonly (Uint8Array | string)[]
  /**
   * A file that keeps this node's key and incarnation across starts. The node creates a missing
   * file with mode 0600, and locks the file while in use. Beside it, `<identityFile>.peers` keeps
   * the members that this node met, so that the node finds its pool again without `bootstrap`.
   * `<identityFile>.peers` also keeps the latest epochs of elections. `<identityFile>.records`
   * keeps the records, even while all nodes are off. Default: a new id at each start.
   */
  identityFile?: string
  /**
   * Whether to find other nodes on the local network (mDNS). Default: yes, unless the node listens
   * on loopback only.
   */
  mdns?: boolean
  /**
   * Where the node runs. `'main'` (default): in this thread. While the application computes without
   * yielding, the node sends nothing, and after 15 s the others declare it dead. `'worker'`: in a
   * thread of its own. The application may block as long as it likes, and all events wait in order.
   * A thread costs memory and start-up time, and the application can't use `pool.libp2p`.
   */
  thread?: 'main' | 'worker'
  /**
   * A pool for this many members, like a closed world of the Ibis Portability Layer. All nodes give
   * the same size. `waitForPoolClosed()` waits until that many members have joined. A later node is
   * refused with PoolClosedError. A node with another size is refused with PoolSizeMismatchError.
   * Default: no limit, or the size that another member announced.
   */
  poolSize?: number
  /**
   * Whether it is an error, PoolTerminatedError, to join a terminated pool. Default: no;
   * `pool.terminated` reports it.
   */
  requireRunning?: boolean
  /**
   * Called with each problem until `joinPool` resolves, for example an introducer that can't be
   * reached. From then on `warning` events report problems.
   */
  onWarning?: (warning: WarningDetail) => void
  /** Aborts `joinPool`. It has no effect after that. */
  signal?: AbortSignal
}

/** The longest time that a timer takes, ms: 2³¹ - 1. */
const MAX_TIMEOUT = 2 ** 31 - 1

/** Returns the problem with a value, or undefined if it is valid. */
type Check = (value: unknown) => string | undefined

const text: Check = (value) => (typeof value === 'string' ? undefined : 'must be a string')
const file: Check = (value) => (typeof value === 'string' && value !== '' ? undefined : 'must be a string that is not empty')
const flag: Check = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false')
const bytes: Check = (value) => (typeof value === 'string' || value instanceof Uint8Array ? undefined : 'must be a Uint8Array or a string')
const addresses: Check = (value) =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')
    ? undefined
    : "must be an array of strings, as in ['192.0.2.7:4001']"
const ids: Check = (value) =>
  Array.isArray(value) && value.every((each) => typeof each === 'string') ? undefined : 'must be an array of ids of nodes'
const keys: Check = (value) =>
  (Array.isArray(value) ? value : [value]).every((each) => bytes(each) === undefined)
    ? undefined
    : 'must be a Uint8Array or a string, or an array of them'
/** The fields of a value of any type. Other values than objects have none. */
const fieldsOf = <Name extends string>(value: unknown): Partial<Record<Name, unknown>> =>
  typeof value === 'object' && value !== null ? value : {}
const webProblem: Check = (value) => {
  const { listen, origins = [], serve, tls } = fieldsOf<keyof WebPort>(value)
  if (text(listen) !== undefined) return "listen: must be an address, as in '0.0.0.0:8080'"
  if (addresses(origins) !== undefined) return "origins: must be an array of strings, as in ['https://pool.example.org']"
  if (serve !== undefined && typeof serve !== 'function') return 'serve: must be a function'
  const { cert, key } = fieldsOf<'cert' | 'key'>(tls)
  return tls === undefined || (text(cert) === undefined && text(key) === undefined) ? undefined : 'tls: must have cert and key, in PEM'
}
const oneOf =
  (...offered: readonly string[]): Check =>
  (value) =>
    offered.some((each) => each === value) ? undefined : `${inspect(value)} is unknown; offered are ${quoted(offered)}`

function ledgerProblem(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return 'must be an object'
  const unknown = Object.keys(value).find((name) => !['found', 'founders', 'voters', 'vote'].includes(name))
  if (unknown !== undefined) return `${unknown}: there is no such option; there are found, founders, voters, vote`
  const { found, founders, voters, vote } = value as Readonly<Record<keyof LedgerOptions, unknown>>
  if (found !== undefined && typeof found !== 'boolean') return 'found: must be true or false'
  if (vote !== undefined && typeof vote !== 'boolean') return 'vote: must be true or false'
  if (voters !== undefined && !isOddCount(voters)) return 'voters: must be an odd number from 1 to 15'
  if (founders === undefined) return undefined
  if (found === true) return 'found and founders both say who founds the ledger: give one'
  const problem = ids(founders)
  if (problem !== undefined) return `founders: ${problem}`
  const all = founders as readonly string[]
  const bad = all.find((id) => !isNodeId(id))
  if (bad !== undefined) return `founders: ${JSON.stringify(bad.slice(0, 64))} is no id of a node`
  if (new Set(all).size !== all.length) return 'founders: must not name an id twice'
  return isOddCount(all.length) ? undefined : `founders: must be an odd number of ids, up to 15, and there are ${all.length}`
}

function isOddCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 && value <= 15 && value % 2 === 1
}

/** Whether a text has the form of an id: a PeerId of an Ed25519 key. */
function isNodeId(id: string): boolean {
  return /^12D3KooW[1-9A-HJ-NP-Za-km-z]{44}$/u.test(id)
}

const CHECKS: Readonly<Record<keyof PoolOptions, Check>> = {
  joins: oneOf('reliable', 'unreliable', 'off'),
  elections: oneOf('uniform', 'non-uniform', 'off'),
  ledger: ledgerProblem,
  bootstrap: addresses,
  found: flag,
  requireMembers: countProblem,
  timeout: (value) => spanProblem(value, MAX_TIMEOUT),
  listen: addresses,
  announce: addresses,
  web: webProblem,
  portMapping: flag,
  allow: ids,
  location: text,
  tag: bytes,
  key: keys,
  identityFile: file,
  mdns: flag,
  thread: oneOf('main', 'worker'),
  poolSize: countProblem,
  requireRunning: flag,
  onWarning: (value) => (typeof value === 'function' ? undefined : 'must be a function'),
  signal: (value) => (value instanceof AbortSignal ? undefined : 'must be an AbortSignal'),
}

/**
 * Throws InvalidOptionError, which names the option. Callers in plain JavaScript get their type
 * errors from this check.
 */
export function checkOptions(options: unknown): asserts options is PoolOptions {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new InvalidOptionError(`the options of joinPool must be an object, not ${inspect(options)}`)
  }
  for (const [name, value] of Object.entries(options)) {
    const check = Object.hasOwn(CHECKS, name) ? CHECKS[name as keyof PoolOptions] : undefined
    if (check === undefined) throw new InvalidOptionError(`${name}: there is no such option; there are ${Object.keys(CHECKS).join(', ')}`)
    if (value === undefined) continue
    const problem = check(value)
    if (problem !== undefined) throw new InvalidOptionError(`${name}: ${problem}`)
  }
  const { timeout, requireMembers, ledger, poolSize } = options as PoolOptions
  const isStrong = needsLedger(options)
  if (timeout !== undefined && requireMembers === undefined && !isStrong)
    throw new InvalidOptionError("timeout: needs requireMembers, joins: 'reliable' or elections: 'uniform'")
  if (poolSize !== undefined && (ledger?.found === true || ledger?.founders !== undefined))
    throw new InvalidOptionError('poolSize: not together with ledger.found or ledger.founders, since the first members found the ledger')
  if (ledger !== undefined && !isStrong) throw new InvalidOptionError("ledger: needs joins: 'reliable' or elections: 'uniform'")
}

/** Whether these options need a ledger. */
export function needsLedger({ joins, elections }: PoolOptions): boolean {
  return joins === 'reliable' || elections === 'uniform'
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(' and ')
}

/** Returns a value as text for an error message. */
function inspect(value: unknown): string {
  return typeof value === 'string'
    ? JSON.stringify(value.slice(0, 64))
    : Array.isArray(value)
      ? 'an array'
      : value === null
        ? 'null'
        : `a ${typeof value}`
}
