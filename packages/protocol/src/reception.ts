/**
 * Reception takes in frames and broadcasts from peers. These are hostile until they are checked and
 * bounded.
 *
 * It checks the size before it decodes a byte. It also checks first whether the peer that sent a
 * frame is in debt. The host reads more slowly from a peer that sends too much. Only content that
 * no honest peer sends is a fault: forged signatures, and bytes that are unreadable or out of
 * bounds. A warning names the peer. The third fault disconnects the peer and bans it for a while,
 * even if it used several links. A broadcast comes through honest forwarders, so this node blames
 * nobody for it. This node rejects a broadcast only if its bytes alone prove it wrong.
 */
import { FrameError } from './base/errors.ts'
import type { BroadcastVerdict } from './base/effect.ts'
import type { Encoded, Milliseconds, NodeId } from './base/values.ts'
import { Recent } from './base/recent.ts'
import { remember } from './base/remember.ts'
import type { Context } from './context/context.ts'
import type { Link } from './context/links.ts'
import type { AgedFact } from './facts/fact.ts'
import { spareBytes } from './facts/statement-codec.ts'
import { broadcastBytes } from './frames/encoded-size.ts'
import { isUrgent, type Message } from './frames/message.ts'
import { Penalties } from './penalties.ts'

/** Maximum number of bytes of an urgent frame. An alarm of 64 accusations has 15 KB. */
const urgentBytes = 16_384

/**
 * Maximum number of warnings of misbehaviour within `warningsSpan` ms. Guess: a reader of the
 * warnings knows enough by then.
 */
export const warningsAtOnce = 16
/** The time in which warnings count together, ms. Guess, with `warningsAtOnce`. */
const warningsSpan = 60_000

/**
 * A node forwards a fact on the topic once in this time, ms. Guess: far longer than any message
 * travels.
 */
export const forwardOnce = 60_000
/** Forwarded facts that a node remembers. Guess. */
const forwarded = 8_192

export class Reception<Data extends Encoded> {
  readonly #context: Context<Data>
  readonly #penalties: Penalties
  readonly #warnings = new Recent(warningsAtOnce, warningsSpan)
  /** Number of warnings that this node left out since the last warning. */
  #unsaid = 0
  /** Forwarded facts by position, each with its version and the time. */
  readonly #forwarded = new Map<number, { readonly low: number; readonly at: Milliseconds }>()

  constructor(context: Context<Data>) {
    this.#context = context
    this.#penalties = new Penalties(context.config)
  }

  /**
   * Decodes a frame within its bounds and passes it to `take`. A {@link FrameError} of the decoding
   * or of `take` is the peer's fault.
   */
  frame(from: NodeId, data: Data, take: (link: Link, message: Message) => void): void {
    const { links, config, now } = this.#context
    const link = links.get(from)
    if (link === undefined) return
    try {
      const { frameBytes } = config.limits
      if (data.length > frameBytes) throw new FrameError(`a frame has at most ${frameBytes} bytes, not ${data.length}`)
      // Urgent frames can't be held back, and are worthless later. So a peer in debt may still
      // spend its own budget for urgent frames.
      const { budgets } = this.#context
      const isInDebt = !this.#mayRead(link)
      if (isInDebt && (data.length > urgentBytes || !budgets.spend(link, 'urgent', now))) return
      const message = this.#context.wire.decodeFrame(data)
      if (isUrgent(message)) {
        if (!isInDebt && !budgets.spend(link, 'urgent', now)) {
          // The decoding has cost as much as that of any frame.
          this.#context.charge(link, 'frames')
          return
        }
      } else {
        if (isInDebt) return
        this.#context.charge(link, 'frames')
        this.#context.charge(link, 'bytes', data.length)
      }
      link.lastHeard = now
      take(link, this.#affordable(link, message))
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
      this.#penalize(from, error.message)
    }
  }

  /** False for a peer so far in debt that this host should have held its frames back. */
  #mayRead(link: Link): boolean {
    return this.#context.charge(link, 'frames', 0) && this.#context.charge(link, 'bytes', 0)
  }

  broadcast(data: Data, take: (facts: readonly AgedFact[], how: 'broadcast' | 'echo') => void): BroadcastVerdict {
    const { config, budgets, now } = this.#context
    const { frameBytes } = config.limits
    try {
      if (data.length > frameBytes) throw new FrameError(`a broadcast has at most ${frameBytes} bytes, not ${data.length}`)
      const batch = this.#context.wire.decodeBroadcast(data)
      const { facts } = batch
      const most = broadcastBytes(batch) + (1 + facts.length) * spareBytes
      if (data.length > most && !batch.isPartial)
        throw new FrameError(`a broadcast with ${data.length} bytes around ${facts.length} facts: most of it is padding`)
      const affordable = facts.filter(
        ({ fact }) =>
          budgets.mayPublish(fact.author, now, fact.says === 'died' ? 'deaths' : 'published') &&
          (!fact.isRecord || budgets.maySendRecord(fact.author, now)),
      )
      if (facts.length === 0 && !budgets.mayPublish(undefined, now)) return 'ignore'
      const isKnown = affordable.every(({ fact }) => this.#wasForwarded(fact))
      // Certificates of one death may differ and mean the same. A fact of any other kind is forged
      // if it has the version of the forwarded fact but other content. So this node checks it.
      if (isKnown && affordable.every(({ fact }) => fact.says === 'died')) {
        take(affordable, 'echo')
        return 'ignore'
      }
      take(affordable, 'broadcast')
      // Notes only checked facts. Otherwise a forgery would keep this node from forwarding the true
      // fact.
      for (const { fact } of affordable) this.#forward(fact)
      return isKnown || batch.isPartial || affordable.length < facts.length ? 'ignore' : 'accept'
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
      return 'reject'
    }
  }

  /** Disconnects a banned peer. Returns false for a peer that is not banned. */
  turnsAway(link: Link): boolean {
    const { now, effects } = this.#context
    if (!this.#penalties.isBanned(link.peer, now)) return false
    link.goodbye = true
    effects.push({ type: 'disconnect', peer: link.peer, reason: 'banned for breaking the rules' })
    return true
  }

  /**
   * Cuts a message of failure detection down to the peer's budgets for signatures to check and
   * members to probe.
   */
  #affordable(link: Link, message: Message): Message {
    const { now, budgets } = this.#context
    const { alarm, pingReq, pingReqAck } = message
    const isChecked = (): boolean => budgets.spend(link, 'checks', now)
    if (alarm !== undefined) return { alarm: { statements: alarm.statements.filter(isChecked) } }
    if (pingReq !== undefined) return { pingReq: { subjects: pingReq.subjects.filter(() => budgets.spend(link, 'pingReqs', now)) } }
    if (pingReqAck !== undefined) return { pingReqAck: { ...pingReqAck, reached: pingReqAck.reached.filter(isChecked) } }
    return message
  }

  /** Penalizes a peer that the host disconnected for its data. */
  misbehaved(peer: NodeId, problem: string): void {
    this.#penalize(peer, problem)
  }

  /**
   * True for a fact that this node forwarded recently, so its neighbours have it. A peer that
   * publishes it again and again reaches only its own links.
   */
  #wasForwarded({ position, low }: AgedFact['fact']): boolean {
    const last = this.#forwarded.get(position)
    return last?.low === low && this.#context.now - last.at < forwardOnce
  }

  #forward(fact: AgedFact['fact']): void {
    if (this.#wasForwarded(fact)) return
    const { now } = this.#context
    remember(this.#forwarded, fact.position, { low: fact.low, at: now }, forwarded)
    for (const [position, { at }] of this.#forwarded) {
      if (now - at < forwardOnce) break
      this.#forwarded.delete(position)
    }
  }

  /**
   * Warns of a fault. The warnings are bounded: anybody can use a thousand ids, and commit two
   * faults under each.
   */
  #warn(peer: NodeId, problem: string): void {
    const { now } = this.#context
    if (this.#warnings.isOften(now)) {
      this.#unsaid += 1
      return
    }
    this.#warnings.note(now)
    const more = this.#unsaid === 0 ? '' : `; ${this.#unsaid} more like this were not told`
    this.#unsaid = 0
    this.#context.warn('PEER_MISBEHAVED', `${peer} sent a bad frame: ${problem}${more}`)
  }

  #penalize(peer: NodeId, problem: string): void {
    const { now, effects, links } = this.#context
    this.#warn(peer, problem)
    if (!this.#penalties.add(peer, now)) return
    const link = links.get(peer)
    if (link === undefined) return
    link.goodbye = true
    this.#context.send(peer, { goodbye: { reason: problem } })
    effects.push({ type: 'disconnect', peer, reason: problem })
  }
}
