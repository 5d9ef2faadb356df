/**
 * The peers file keeps a node's data on its pool across restarts. It lies beside the identity file.
 * It holds members that the node met. Through them the node finds its pool again without configured
 * introducers (as in Serf's snapshot). It also holds the latest epoch of each election. So epochs
 * go on rising after all nodes of a pool were off.
 *
 * The file is JSON:
 * `{ "format": "jel-peers/1", "pool": "…", "peers": [{ "addresses":
 * ["/ip4/…/p2p/12D3KooW…"], "seen": 1790000000123 }], "epochs": [["master", 7]] }`.
 * The peer that the node saw last comes first. The node ignores an unusable file, and replaces it
 * at the next save.
 */
import type { Introducer } from '@jel/protocol'
import { parseIntroducer } from '../base/addresses.ts'
import { codeOf, reasonOf } from '../base/errors.ts'
import { canonical } from './lock.ts'
import { readBounded, writeWhole } from './side-file.ts'

const format = 'jel-peers/1'
/**
 * The largest number of members in the file. Guess: some of them are still in the pool at the next
 * start.
 */
const maxPeers = 64
/**
 * The largest number of addresses that the file keeps for one member. Guess: few addresses of a
 * machine are of use to others.
 */
const maxAddresses = 4
/**
 * Largest number of elections in the file. It is twice the number that a node remembers: the file
 * also keeps elections that the node has forgotten.
 */
const maxEpochs = 512
/** Largest file, bytes. The node writes a larger file without its peers. */
const maxFileBytes = 262_144
/**
 * The file keeps a member for this time after the node last saw the member, ms. Guess: longer than
 * a pool stays switched off.
 */
const maxAge = 31 * 86_400_000
/**
 * The largest number of addresses that a node tries at a start. Guess: if all of these fail, the
 * others would fail as well.
 */
const maxIntroducers = 32
/**
 * A node writes an unchanged file again after this time, ms, so that the file states when the node
 * last saw its peers. Guess.
 */
const refreshInterval = 3_600_000

interface Peer {
  /** Multiaddrs, each ending in `/p2p/<id>`. */
  readonly addresses: readonly string[]
  /** Unix ms. */
  readonly seen: number
}

type Warn = (message: string) => void

export class PeersFile {
  readonly #file: string
  readonly #pool: string
  readonly #warn: Warn
  readonly #known = new Map<string, Peer>()
  /**
   * The latest epochs by election. The epochs of elections that the node has forgotten come last.
   */
  #epochs: ReadonlyMap<string, number> = new Map()
  #written = ''
  #writtenAt = 0
  #isFailing = false
  /** The writes, one after the other. Resolves to whether the last write succeeded. */
  #writing: Promise<boolean> = Promise.resolve(true)

  /** The file is beside `identityFile`. If the file can't be used, `warn` receives the reason. */
  constructor(identityFile: string, pool: string, warn: Warn) {
    this.#file = `${canonical(identityFile)}.peers`
    this.#pool = pool
    this.#warn = warn
    for (const peer of this.#read()) this.#keep(peer)
  }

  /** The latest epochs that this node knew at its last save, by election. */
  get epochs(): ReadonlyMap<string, number> {
    return this.#epochs
  }

  /**
   * Returns the addresses of remembered members, as introducers. The members that this node saw
   * last come first.
   */
  introducers(now = Date.now()): Introducer[] {
    const addresses = this.#latest(now).flatMap((peer) => peer.addresses)
    return addresses.slice(0, maxIntroducers).map((address) => ({ ...parseIntroducer(address), remembered: true }))
  }

  /**
   * Notes the present members, and writes the file if its content changed or it is old. Does not
   * block the process, and never rejects. Resolves to whether the file is up to date. `members`:
   * the members except this node. `epochs`: the latest epochs of the elections that this node
   * remembers. If the file is full, it first drops epochs that are not in `epochs`. So made-up
   * elections can't fill the file: this node remembers only a fair share of each member's
   * elections.
   */
  async save(
    members: readonly { readonly id: string; readonly addresses: readonly string[] }[],
    epochs: ReadonlyMap<string, number> = new Map(),
    now = Date.now(),
  ): Promise<boolean> {
    for (const { addresses } of this.#pickSome(members))
      this.#keep({ addresses: addresses.filter(isWayIn).slice(0, maxAddresses), seen: now })
    const peers = this.#latest(now)
    this.#known.clear()
    for (const peer of peers) this.#keep(peer)
    const latest = this.#merge(epochs)
    this.#epochs = latest
    this.#writing = this.#writing.then(async () => await this.#writeNews(peers, latest, now))
    return await this.#writing
  }

  #merge(present: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
    const known = this.#epochs
    const latest = [...present].map(([election, epoch]) => [election, Math.max(epoch, known.get(election) ?? 0)] as const)
    return new Map([...latest, ...[...known].filter(([election]) => !present.has(election))].slice(0, maxEpochs))
  }

  async #writeNews(peers: readonly Peer[], latest: ReadonlyMap<string, number>, now: number): Promise<boolean> {
    const epochs = [...latest]
    const who = JSON.stringify([peers.map(({ addresses }) => addresses.join(' ')).toSorted(), epochs])
    const isNews = peers.length + latest.size > 0 && (who !== this.#written || now - this.#writtenAt >= refreshInterval)
    if (!isNews) return true
    const whole = textOf({ format, pool: this.#pool, peers, epochs })
    const isTooLarge = Buffer.byteLength(whole) > maxFileBytes
    if (!(await this.#write(isTooLarge ? textOf({ format, pool: this.#pool, peers: [], epochs }) : whole))) return false
    this.#written = who
    this.#writtenAt = now
    return true
  }

  /**
   * If there are too many members, returns those that are known already, and others at random. If
   * all nodes chose alike, they would all ask the same members later.
   */
  #pickSome<Member extends { readonly id: string }>(members: readonly Member[]): readonly Member[] {
    if (members.length <= maxPeers) return members
    const known = members.filter(({ id }) => this.#known.has(id)).slice(0, maxPeers)
    const rest = members.filter(({ id }) => !this.#known.has(id))
    while (known.length < maxPeers) known.push(...rest.splice(Math.floor(Math.random() * rest.length), 1))
    return known
  }

  #latest(now: number): Peer[] {
    const recent = [...this.#known.values()].filter(({ seen }) => now - seen < maxAge)
    return recent.toSorted((a, b) => b.seen - a.seen).slice(0, maxPeers)
  }

  #keep(peer: Peer): void {
    const id = peer.addresses[0]?.split('/p2p/')[1]
    if (id !== undefined) this.#known.set(id, peer)
  }

  #read(): Peer[] {
    try {
      const {
        format: given,
        pool,
        peers,
        epochs = {},
      } = JSON.parse(readBounded(this.#file, maxFileBytes).toString()) as Record<string, unknown>
      if (given !== format || !Array.isArray(peers)) throw new Error(`it is not of the format ${format}`)
      // A node may join another pool under the same identity. The file is of no use there.
      if (pool !== this.#pool) return []
      const known = peers.slice(0, maxPeers).map(checkPeer)
      this.#epochs = new Map(checkEpochs(epochs))
      return known
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') this.#warn(`the file of remembered peers ${this.#file} is ignored: ${reasonOf(error)}`)
      return []
    }
  }

  /**
   * A power failure may bring back the old file. An epoch may then be used twice, unless another
   * member remembers it.
   */
  async #write(text: string): Promise<boolean> {
    try {
      await writeWhole(this.#file, text)
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) this.#warn(`can't write the file of remembered peers ${this.#file}: ${reasonOf(error)}`)
      this.#isFailing = true
    }
    return !this.#isFailing
  }
}

function textOf(content: object): string {
  return `${JSON.stringify(content, undefined, 1)}\n`
}

/** Whether an address is valid and has a peer id. Members can announce anything. */
function isWayIn(address: string): boolean {
  try {
    return parseIntroducer(address).id !== undefined
  } catch {
    return false
  }
}

function checkPeer(value: unknown): Peer {
  const { addresses, seen } = (value ?? {}) as { addresses?: unknown; seen?: unknown }
  if (!Array.isArray(addresses) || typeof seen !== 'number' || !Number.isFinite(seen))
    throw new Error('a peer has no "addresses" or no "seen"')
  const checked = addresses.slice(0, maxAddresses).map((address) => {
    if (typeof address !== 'string' || parseIntroducer(address).id === undefined) throw new Error('an address of a peer has no id')
    return address
  })
  return { addresses: checked, seen }
}

function checkEpochs(value: unknown): readonly (readonly [string, number])[] {
  // Earlier versions wrote an object. An object would put names made of digits first.
  const pairs: readonly unknown[] = Array.isArray(value) ? value : Object.entries(value ?? {})
  return pairs.slice(0, maxEpochs).map((pair) => {
    const [election, epoch] = (Array.isArray(pair) ? pair : []) as unknown[]
    if (typeof election !== 'string' || !Number.isSafeInteger(epoch) || Number(epoch) < 1)
      throw new Error('an epoch has no name, or is no positive whole number')
    return [election, Number(epoch)]
  })
}
