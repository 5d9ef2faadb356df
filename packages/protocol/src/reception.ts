/**
 * Reception: frames and broadcasts from peers, hostile until checked and bounded.
 *
 * Size and rate are looked at before a byte is decoded. Whoever breaks a rule is warned of by name, disconnected at the third time, also if
 * it came back in between, and kept away for a while. A broadcast comes through honest forwarders: nobody is blamed for one, and only what its bytes alone
 * prove wrong is rejected.
 */
import type { Config } from './base/config.ts'
import { FrameError } from './base/errors.ts'
import type { BroadcastVerdict, Encoded, Milliseconds, NodeId } from './base/io.ts'
import { Budgets } from './context/budgets.ts'
import type { Context } from './context/context.ts'
import type { Link } from './context/links.ts'
import type { Told } from './facts/fact.ts'
import type { Alarm, Message } from './frames/message.ts'

export class Reception<Data extends Encoded> {
  readonly #context: Context<Data>
  /** Bytes of the largest state there can be, as far as is known without having seen it. */
  readonly #stateBytes: number
  readonly #banned = new Map<NodeId, Milliseconds>()
  /** Rules broken lately, and when the last was. They are held against the peer, not the link: a new link is no clean slate. */
  readonly #strikes = new Map<NodeId, { readonly count: number; readonly at: Milliseconds }>()

  /** What all who publish may cost together. */
  readonly #topic = new Budgets()
  /** Facts that were forwarded, by position: in which version, and when. */
  readonly #forwarded = new Map<number, { readonly low: number; readonly at: Milliseconds }>()

  constructor(context: Context<Data>) {
    this.#context = context
    const { members, bytesPerSecond } = context.config.limits
    this.#stateBytes = Math.max(members * memberBytes(context.config.limits), bytesPerSecond * 10)
  }

  /** Decodes a frame within its bounds and hands it over. A {@link FrameError} on the way is the peer's fault. */
  frame(from: NodeId, data: Data, take: (link: Link, message: Message) => void): void {
    const { links, config, now } = this.#context
    const link = links.get(from)
    if (link === undefined) return
    try {
      const { frameBytes, framesPerSecond, bytesPerSecond, strikes } = config.limits
      if (data.length > frameBytes) throw new FrameError(`a frame has at most ${frameBytes} bytes, not ${data.length}`)
      if (!link.budgets.spend('frames', now, framesPerSecond)) {
        this.#strike(from, `more than ${framesPerSecond} frames a second`, strikes)
        return
      }
      if (!link.budgets.spend('bytes', now, bytesPerSecond, data.length, this.#isNew ? this.#stateBytes : undefined)) {
        this.#strike(from, `more than ${bytesPerSecond} bytes a second`, strikes)
        return
      }
      const message = this.#context.wire.decodeFrame(data)
      link.lastHeard = now
      take(link, message.alarm === undefined ? message : { alarm: this.#affordable(link, message.alarm) })
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
      this.#strike(from, error.message)
    }
  }

  broadcast(data: Data, take: (facts: readonly Told[], how: 'broadcast' | 'echo') => void): BroadcastVerdict {
    const { frameBytes, broadcastFactsPerSecond } = this.#context.config.limits
    try {
      if (data.length > frameBytes) throw new FrameError(`a broadcast has at most ${frameBytes} bytes, not ${data.length}`)
      const { facts } = this.#context.wire.decodeBroadcast(data)
      if (!this.#topic.spend('checks', this.#context.now, broadcastFactsPerSecond, Math.max(facts.length, 1))) return 'ignore'
      const isKnown = facts.every(({ fact }) => this.#wasForwarded(fact))
      // Certificates of one death differ and mean the same. What else differs from what was forwarded is forged.
      if (isKnown && facts.every(({ fact }) => fact.says === 'died')) {
        take(facts, 'echo')
        return 'ignore'
      }
      take(facts, 'broadcast')
      // Only what was checked is noted, or a forgery would keep the truth from being forwarded.
      for (const { fact } of facts) this.#forward(fact)
      return isKnown ? 'ignore' : 'accept'
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
      return 'reject'
    }
  }

  /** Disconnects a peer that was banned a short while ago. False for any other. */
  turnsAway(link: Link): boolean {
    const { now, effects } = this.#context
    const until = this.#banned.get(link.peer)
    if (until === undefined) return false
    if (now >= until) {
      this.#banned.delete(link.peer)
      return false
    }
    link.goodbye = true
    effects.push({ type: 'disconnect', peer: link.peer, reason: 'banned for breaking the rules' })
    return true
  }

  /** A newcomer is told a whole pool at once, by each whom it asked: some are still at it when the first is done. */
  get #isNew(): boolean {
    const { now, wholeSince, config } = this.#context
    return now - wholeSince < config.limits.credulity
  }

  /** As much of an alarm as the peer may cost: signatures to check, members to look after. */
  #affordable({ budgets }: Link, { statements, doubted }: Alarm): Alarm {
    const { now, config } = this.#context
    const { checksPerSecond, hintsPerSecond } = config.limits
    return {
      statements: statements.filter(() => budgets.spend('checks', now, checksPerSecond)),
      doubted: doubted.filter(() => budgets.spend('hints', now, hintsPerSecond)),
    }
  }

  /** The host cut this peer off for what it sent. */
  misbehaved(peer: NodeId, problem: string): void {
    this.#strike(peer, problem)
  }

  /** What this node forwarded lately its neighbours have: who publishes it again and again is heard by those alone who are linked with it. */
  #wasForwarded({ position, low }: Told['fact']): boolean {
    const last = this.#forwarded.get(position)
    return last?.low === low && this.#context.now - last.at < this.#context.config.limits.forwardOnce
  }

  #forward(fact: Told['fact']): void {
    if (this.#wasForwarded(fact)) return
    const { now, config } = this.#context
    remember(this.#forwarded, fact.position, { low: fact.low, at: now }, config.limits.forwarded)
    for (const [position, { at }] of this.#forwarded) {
      if (now - at < config.limits.forwardOnce) break
      this.#forwarded.delete(position)
    }
  }

  /** `weight`: so many strikes at once. */
  #strike(peer: NodeId, problem: string, weight = 1): void {
    const { config, now, effects, links } = this.#context
    const { strikes, ban, bans } = config.limits
    this.#context.warn('PEER_MISBEHAVED', `${peer} sent a bad frame: ${problem}`)
    const before = this.#strikes.get(peer)
    const count = (before === undefined || now - before.at >= ban ? 0 : before.count) + weight
    remember(this.#strikes, peer, { count, at: now }, bans)
    if (count < strikes) return
    this.#strikes.delete(peer)
    remember(this.#banned, peer, now + ban, bans)
    const link = links.get(peer)
    if (link === undefined) return
    link.goodbye = true
    this.#context.send(peer, { goodbye: { reason: problem } })
    effects.push({ type: 'disconnect', peer, reason: problem })
  }
}

/** Bytes of the largest joined-statement: what it may hold, and a key, a signature and numbers. */
function memberBytes({ tagBytes, locationBytes, addresses, addressBytes }: Config['limits']): number {
  return tagBytes + locationBytes + addresses * addressBytes + 256
}

/** Puts an entry at the end, and drops the oldest above the limit. */
function remember<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, limit: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= limit) return
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}
