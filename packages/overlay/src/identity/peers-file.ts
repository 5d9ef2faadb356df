/**
 * What this node knew of its pool, across restarts: members that it met, beside its identity, so that it finds its pool again without an introducer (Serf's
 * snapshot), and the latest epochs of elections, so that a pool that was off as a whole goes on above them.
 *
 * The file is JSON: `{ "format": "jel-peers/1", "pool": "…", "peers": [{ "addresses": ["/ip4/…/p2p/12D3KooW…"], "seen": 1790000000123 }],
 * "epochs": { "master": 7 } }`, the peers seen last first. One that can't be used is ignored, and replaced at the next occasion.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import type { Introducer } from '@jel/protocol'
import { parseIntroducer } from '../base/addresses.ts'
import { codeOf, reasonOf } from '../base/errors.ts'
import { canonical } from './lock.ts'

const format = 'jel-peers/1'
/** Members that are kept. Guess: of so many some are there, whatever happened meanwhile. */
const maxPeers = 64
/** Of each. Guess: a machine has few that others can use. */
const maxAddresses = 4
/** As many elections as a node remembers. */
const maxEpochs = 256
/** Above what those have, bytes. */
const maxFileBytes = 262_144
/** How long one is kept that was not seen again, ms. Guess: longer than a pool is switched off for. */
const maxAge = 31 * 86_400_000
/** Ways in that are tried. Guess: a few of those must answer, or nobody does. */
const maxIntroducers = 32
/** A file that says the same is written anew after this time, ms: for when its peers were seen. Guess. */
const refreshInterval = 3_600_000

/** How often it is looked whether others are there, ms. Guess: a process that is killed in its first seconds has nothing to remember. */
export const peersInterval = 5_000

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
  /** The latest epochs by election, the one that changed last at the end. */
  readonly #epochs = new Map<string, number>()
  #written = ''
  #writtenAt = 0
  #isFailing = false
  /** One write after the other. Whether the last one was made. */
  #writing: Promise<boolean> = Promise.resolve(true)

  /** `identityFile`: it is beside this one. `warn` is told of a file that can't be used, and why. */
  constructor(identityFile: string, pool: string, warn: Warn) {
    this.#file = `${canonical(identityFile)}.peers`
    this.#pool = pool
    this.#warn = warn
    for (const peer of this.#read()) this.#keep(peer)
  }

  /** The latest epochs that this node knows, by election. */
  get epochs(): ReadonlyMap<string, number> {
    return this.#epochs
  }

  /** To be written down with the next {@link save}. */
  elected(election: string, epoch: number): void {
    const latest = Math.max(epoch, this.#epochs.get(election) ?? 0)
    this.#epochs.delete(election)
    this.#epochs.set(election, latest)
    const [oldest] = this.#epochs.keys()
    if (this.#epochs.size > maxEpochs && oldest !== undefined) this.#epochs.delete(oldest)
  }

  /** Ways into the pool, those that were seen last first. */
  introducers(now = Date.now()): Introducer[] {
    const addresses = this.#latest(now).flatMap((peer) => peer.addresses)
    return addresses.slice(0, maxIntroducers).map((address) => ({ ...parseIntroducer(address), remembered: true }))
  }

  /**
   * Takes in who is a member now, and writes that down if it is news, beside whatever else this process does. Never rejects. Resolves to whether the file says so.
   * `members`: without this node.
   */
  async save(members: readonly { readonly id: string; readonly addresses: readonly string[] }[], now = Date.now()): Promise<boolean> {
    for (const { addresses } of this.#pickSome(members))
      this.#keep({ addresses: addresses.filter(isWayIn).slice(0, maxAddresses), seen: now })
    const peers = this.#latest(now)
    this.#known.clear()
    for (const peer of peers) this.#keep(peer)
    this.#writing = this.#writing.then(async () => await this.#writeNews(peers, now))
    return await this.#writing
  }

  async #writeNews(peers: readonly Peer[], now: number): Promise<boolean> {
    const epochs = Object.fromEntries(this.#epochs)
    const who = JSON.stringify([peers.map(({ addresses }) => addresses.join(' ')).toSorted(), epochs])
    const isNews = peers.length + this.#epochs.size > 0 && (who !== this.#written || now - this.#writtenAt >= refreshInterval)
    if (!isNews) return true
    if (!(await this.#write({ format, pool: this.#pool, peers, epochs }))) return false
    this.#written = who
    this.#writtenAt = now
    return true
  }

  /** Of more than are kept those that were known before, and then any: the same ones would be asked by all. */
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
      const { format: given, pool, peers, epochs = {} } = JSON.parse(readBounded(this.#file)) as Record<string, unknown>
      if (given !== format || !Array.isArray(peers)) throw new Error(`it is not of the format ${format}`)
      // Under one identity a node may be in another pool than the last time.
      if (pool !== this.#pool) return []
      const known = peers.slice(0, maxPeers).map(checkPeer)
      for (const [election, epoch] of checkEpochs(epochs)) this.#epochs.set(election, epoch)
      return known
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') this.#warn(`the file of remembered peers ${this.#file} is ignored: ${reasonOf(error)}`)
      return []
    }
  }

  /** All or nothing. After a power failure it may be the old file, which is no worse. */
  async #write(content: object): Promise<boolean> {
    const temporary = `${this.#file}.tmp`
    try {
      await rm(temporary, { force: true })
      await writeFile(temporary, `${JSON.stringify(content, undefined, 1)}\n`, { mode: 0o600, flag: 'wx' })
      await rename(temporary, this.#file)
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) this.#warn(`can't write the file of remembered peers ${this.#file}: ${reasonOf(error)}`)
      this.#isFailing = true
    }
    return !this.#isFailing
  }
}

/** Members announce what they like. */
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
  const epochs = Object.entries(value ?? {}).slice(0, maxEpochs)
  if (!epochs.every(([, epoch]) => Number.isSafeInteger(epoch) && epoch > 0)) throw new Error('an epoch is no whole number')
  return epochs
}

function readBounded(file: string): string {
  const descriptor = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(maxFileBytes + 1)
    const length = readSync(descriptor, bytes, 0, bytes.length, 0)
    if (length > maxFileBytes) throw new Error(`it is larger than ${maxFileBytes} bytes`)
    return bytes.toString('utf8', 0, length)
  } finally {
    closeSync(descriptor)
  }
}
