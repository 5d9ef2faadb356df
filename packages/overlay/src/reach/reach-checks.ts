/**
 * Checks whether others can dial a member, on a stream of its own. The asked member dials the
 * addresses that the asker has signed, and says whether one of them answered with the asker's key.
 */
import { canDial } from '#platform/network'
import type { Address, NodeId } from '@jel/protocol'
import type { Connection, Stream } from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import { dialAddress, isPublic } from '../base/addresses.ts'
import { takeLine } from '../circuits/take-line.ts'
import { TokenBucket } from '../host/token-bucket.ts'
import type { ApplicationStreams } from '../streams/application-streams.ts'
import { later } from '../base/timers.ts'

/**
 * Checks a second, for all askers together. Guess: each costs some dials. A member asks at its
 * entry, after a change of its addresses, and every ten minutes.
 */
const checksPerSecond = 5
/** Time until a member may ask the same member again, ms. Guess. */
const askAgain = 10_000
/** Dials of one check. Guess: a host has an address of each family, and a port of its router. */
const maxDials = 4
/** Time for all dials of a check, ms: for a connect and a handshake on a busy machine. Guess. */
const dialTime = 8_000
/** Time for an answer, ms. */
const answerTime = dialTime + 4_000
const longestAnswer = 16

export interface ReachChecksOptions {
  readonly streams: Pick<ApplicationStreams, 'open' | 'handle'>
  readonly protocol: string
  /** Returns the addresses that a member has signed. */
  readonly addressesOf: (id: NodeId) => readonly Address[]
  /** Opens a new connection, even if there is another one. */
  readonly dial: (address: Multiaddr, signal: AbortSignal) => Promise<Connection>
  /** Closes a connection later, unless something uses it by then. */
  readonly release: (connection: Connection) => void
}

export class ReachChecks {
  readonly #options: ReachChecksOptions
  readonly #limiter = new TokenBucket(checksPerSecond)
  /** Members that have asked a moment ago. */
  readonly #recent = new Set<NodeId>()

  constructor(options: ReachChecksOptions) {
    this.#options = options
  }

  /** Starts to answer. */
  async start(): Promise<void> {
    const { streams, protocol } = this.#options
    await streams.handle(protocol, async (stream, from) => {
      if (this.#recent.has(from) || !this.#limiter.spend()) throw new Error('asked too often')
      this.#recent.add(from)
      later(() => this.#recent.delete(from), askAgain)
      await this.#answer(stream, from)
    })
  }

  /** Asks a member whether it can dial this node. Undefined: it does not say. */
  async ask(id: NodeId): Promise<boolean | undefined> {
    const { streams, protocol } = this.#options
    const signal = AbortSignal.timeout(answerTime)
    let stream: Stream | undefined
    try {
      stream = await streams.open(id, protocol, signal)
      const answer = await takeLine(stream, longestAnswer, signal)
      return answer === 'direct' ? true : answer === 'hidden' ? false : undefined
    } catch {
      return undefined
    } finally {
      stream?.abort(new Error('the answer is read'))
    }
  }

  async #answer(stream: Stream, from: NodeId): Promise<void> {
    // An asker has nothing to send. Its bytes would stay unread, and take memory.
    stream.addEventListener('message', () => stream.abort(new Error('a question has no bytes')))
    const answer = (await this.#reaches(from)) ? 'direct' : 'hidden'
    stream.send(new TextEncoder().encode(`${answer}\n`))
    later(() => stream.abort(new Error('the answer is given')), answerTime)
    await stream.close()
  }

  /**
   * Dials public addresses only. A private address means another host here, and a name could lead
   * anywhere.
   */
  async #reaches(id: NodeId): Promise<boolean> {
    const { addressesOf, dial, release } = this.#options
    const parsed = addressesOf(id).flatMap((address) => dialAddress(address, id) ?? [])
    const addresses = parsed.filter((address) => isPublic(address) && canDial(address)).slice(0, maxDials)
    // One after the other: libp2p joins dials to one peer that begin at the same time.
    for (const address of addresses) {
      try {
        const connection = await dial(address, AbortSignal.timeout(dialTime / addresses.length))
        release(connection)
        if (connection.remoteAddr.toString().startsWith(address.toString().replace(/\/p2p\/.*$/u, ''))) return true
      } catch {
        // The next address may answer.
      }
    }
    return false
  }
}
