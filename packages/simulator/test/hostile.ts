import type { BroadcastVerdict, Effect, Input, Member, Message, Milliseconds, NodeId, AgedFact } from '@jel/protocol'
import { factOf } from '@jel/protocol/internals'
import { Attacker, type Attack } from '../src/hostile/attacker.ts'
import { accusationsIn, factsIn, type Accusation } from '../src/hostile/words.ts'
import type { JelNode, Payload, ProtocolParts, Simulation } from '../src/index.ts'
import type { PoolNode } from './simulated-swarm.ts'

/** A member that follows the protocol and also carries out the test's orders. */
export class Accomplice {
  readonly node: PoolNode
  /** The suspicions that it received, the latest last. */
  readonly accusations: Accusation[] = []
  readonly #orders: ((attacker: Attacker) => void)[] = []
  #attacker: Attacker | undefined

  /**
   * `hides`: it conceals all suspicions of this member, and as a helper claims to miss everybody.
   */
  constructor(simulation: Simulation<JelNode>, introducers: readonly PoolNode[], hides?: NodeId) {
    const attack: Attack = {
      heard: (message) => this.accusations.push(...accusedIn(message)),
      turn: (attacker) => {
        for (const order of this.#orders.splice(0)) order(attacker)
      },
    }
    const createProtocol = (parts: ProtocolParts): Attacker => {
      const options = { attack, from: 0, until: Infinity, victims: [] }
      this.#attacker = hides === undefined ? new Attacker(parts, options) : new Discreet(parts, options, hides)
      return this.#attacker
    }
    this.node = simulation.spawn({ createProtocol, introducers })
  }

  /** Signs a suspicion of this member with this heartbeat. Sends nothing. */
  suspects(member: Member, heartbeat: number): Accusation {
    return (this.#attacker as Attacker).words.suspects(member, heartbeat) as Accusation
  }

  /** Publishes the accusation on the pool's topic, at its next turn. */
  publishes(accusation: Accusation): void {
    this.#orders.push((attacker) => attacker.publish([factOf({ statement: accusation })]))
  }

  /**
   * Sends the message at its next turn, within a tenth of a second. It goes to the members of `to`
   * that have a link with this node. Default: to all peers.
   */
  says(message: Message, to?: readonly NodeId[]): void {
    this.#orders.push((attacker) => {
      for (const link of attacker.links) if (to?.includes(link) ?? true) attacker.send(link, message)
    })
  }
}

/**
 * Conceals the suspicions of one member. As a helper it claims to miss each member that it is asked
 * to reach.
 */
class Discreet extends Attacker {
  readonly #codec: ProtocolParts['services']['codec']
  readonly #about: NodeId

  constructor(parts: ProtocolParts, options: ConstructorParameters<typeof Attacker>[1], about: NodeId) {
    super(parts, options)
    this.#codec = parts.services.codec
    this.#about = about
  }

  override handle(input: Input<Payload>, now: Milliseconds): Effect<Payload>[] {
    return super.handle(input, now).flatMap((effect) => {
      // Messages that the test orders are bytes.
      if (effect.type !== 'send' || effect.data instanceof Uint8Array) return [effect]
      const message = this.#codec?.decodeFrame(effect.data) ?? {}
      if (this.#tells(message)) return []
      const { pingReqAck } = message
      if (pingReqAck === undefined || this.#codec === undefined) return [effect]
      const missed = [...pingReqAck.missed, ...pingReqAck.reached.map(({ signer }) => signer)]
      return [{ ...effect, data: this.#codec.encodeFrame({ pingReqAck: { ...pingReqAck, reached: [], missed } }) }]
    })
  }

  override handleBroadcast(data: Payload, now: Milliseconds): { verdict: BroadcastVerdict; effects: Effect<Payload>[] } {
    const { verdict, effects } = super.handleBroadcast(data, now)
    return { verdict: this.#tells(asMessage(this.#codec?.decodeBroadcast(data).facts ?? [])) ? 'ignore' : verdict, effects }
  }

  #tells(message: Message): boolean {
    return accusedIn(message).some(({ content }) => content.suspect === this.#about)
  }
}

function asMessage(facts: readonly AgedFact[]): Message {
  return { facts: { facts, fresh: true } }
}

/** Returns the suspicions in a message, in any form. */
function accusedIn(message: Message): Accusation[] {
  const published = factsIn(message).flatMap(({ fact }) => ('statement' in fact.content ? [fact.content.statement] : []))
  return [...accusationsIn(message), ...accusationsIn({ alarm: { statements: published } })]
}
