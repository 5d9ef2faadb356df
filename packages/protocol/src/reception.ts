/**
 * Reception: frames and broadcasts from peers, hostile until checked and bounded.
 *
 * Size and rate are looked at before a byte is decoded. Whoever breaks a rule is warned of by name, disconnected at the third time, and
 * kept away for a while. A broadcast comes through honest forwarders: nobody is blamed for one, and only what its bytes alone
 * prove wrong is rejected.
 */
import type { Context } from './context.ts'
import { FrameError } from './errors.ts'
import type { Told } from './fact.ts'
import type { BroadcastVerdict, Encoded, Milliseconds, NodeId } from './io.ts'
import type { Link } from './links.ts'
import type { Message } from './message.ts'

export class Reception<Data extends Encoded> {
  readonly #context: Context<Data>
  readonly #banned = new Map<NodeId, Milliseconds>()

  constructor(context: Context<Data>) {
    this.#context = context
  }

  /** Decodes a frame within its bounds and hands it over. A {@link FrameError} on the way is the peer's fault. */
  frame(from: NodeId, data: Data, take: (link: Link, message: Message) => void): void {
    const { links, config, now } = this.#context
    const link = links.get(from)
    if (link === undefined) return
    try {
      const { frameBytes, framesPerSecond, strikes } = config.limits
      if (data.length > frameBytes) throw new FrameError(`a frame has at most ${frameBytes} bytes, not ${data.length}`)
      if (!link.spend(now, framesPerSecond)) {
        link.strikes = strikes
        throw new FrameError(`more than ${framesPerSecond} frames a second`)
      }
      const message = this.#context.wire.decodeFrame(data)
      link.lastHeard = now
      take(link, message)
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
      this.#strike(link, error)
    }
  }

  broadcast(data: Data, take: (facts: readonly Told[]) => void): BroadcastVerdict {
    const { frameBytes } = this.#context.config.limits
    try {
      if (data.length > frameBytes) throw new FrameError(`a broadcast has at most ${frameBytes} bytes, not ${data.length}`)
      take(this.#context.wire.decodeBroadcast(data).facts)
      return 'accept'
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
      return 'reject'
    }
  }

  /** True for a peer that was disconnected for breaking the rules a short while ago. */
  isBanned(peer: NodeId): boolean {
    const until = this.#banned.get(peer)
    if (until === undefined || this.#context.now < until) return until !== undefined
    this.#banned.delete(peer)
    return false
  }

  #strike(link: Link, error: FrameError): void {
    const { config, now, effects } = this.#context
    link.strikes += 1
    this.#context.warn('PEER_MISBEHAVED', `${link.peer} sent a bad frame: ${error.message}`)
    if (link.strikes < config.limits.strikes) return
    this.#banned.set(link.peer, now + config.limits.ban)
    if (this.#banned.size > config.limits.bans)
      for (const oldest of this.#banned.keys()) {
        this.#banned.delete(oldest)
        break
      }
    link.goodbye = true
    this.#context.send(link.peer, { goodbye: { reason: error.message } })
    effects.push({ type: 'disconnect', peer: link.peer, reason: error.message })
  }
}
