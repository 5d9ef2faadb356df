import type { BroadcastVerdict, Effect, Input, Member, Milliseconds, NodeId, Reach, Reign } from '@jel/protocol'
import {
  constantDelay,
  Simulation,
  type NetworkOptions,
  type Protocol,
  type ProtocolParts,
  type SimulatedNode,
  type SimulationOptions,
} from '../src/index.ts'

/** A passive protocol. It records its inputs and does what the test orders. */
export class Puppet implements Protocol {
  readonly parts: ProtocolParts
  readonly inputs: { readonly input: Input; readonly now: Milliseconds }[] = []
  /** Returns the effects of an input. */
  answer: (input: Input, now: Milliseconds) => Effect[] = () => []
  verdict: BroadcastVerdict = 'accept'
  self: Member | undefined
  /** Its view. */
  readonly view = new Map<NodeId, Member>()

  constructor(parts: ProtocolParts) {
    this.parts = parts
  }

  handle(input: Input, now: Milliseconds): Effect[] {
    this.inputs.push({ input, now })
    return this.answer(input, now)
  }

  handleBroadcast(data: Uint8Array, now: Milliseconds): { verdict: BroadcastVerdict; effects: Effect[] } {
    return { verdict: this.verdict, effects: this.handle({ type: 'broadcast', data }, now) }
  }

  members(): Member[] {
    return [...this.view.values()]
  }

  member(id: NodeId): Member | undefined {
    return this.view.get(id)
  }

  reign(): Reign | undefined {
    return undefined
  }

  /** Returns the inputs of one type, in order. */
  got<T extends Input['type']>(type: T): Extract<Input, { type: T }>[] {
    return this.inputs.map(({ input }) => input).filter((input) => input.type === type) as Extract<Input, { type: T }>[]
  }

  types(): string[] {
    return this.inputs.map(({ input }) => input.type)
  }
}

export type PuppetNode = SimulatedNode<Puppet>

export function puppets(options: Partial<SimulationOptions<Puppet>> = {}): Simulation<Puppet> {
  return new Simulation({ seed: 1, createProtocol: (parts) => new Puppet(parts), ...options })
}

/** Makes the puppet carry out effects at once. */
export function act(node: PuppetNode, ...effects: Effect[]): void {
  const { answer } = node.protocol
  node.protocol.answer = () => effects
  node.inject({ type: 'command', command: { type: 'withdraw', election: 'act' } })
  node.protocol.answer = answer
}

export function connect(from: PuppetNode, to: PuppetNode): void {
  act(from, { type: 'connect', peer: to.id, addresses: to.addresses })
}

/** Makes a puppet a member in the view of another one. */
export function know(node: PuppetNode, { id, addresses }: PuppetNode, reach: Reach): void {
  const rest = { incarnation: 1, location: '', tag: new Uint8Array(), constants: new Map(), joinedAt: 0 }
  node.protocol.view.set(id, { id, addresses, reach, ...rest })
}

export function send(from: PuppetNode, to: PuppetNode, text: string): void {
  act(from, { type: 'send', to: to.id, data: new TextEncoder().encode(text) })
}

/** Returns the texts of the frames that arrived. */
export function texts(node: PuppetNode): string[] {
  return node.protocol.got('frame').map(({ data }) => new TextDecoder().decode(data))
}

export interface Pair {
  readonly sim: Simulation<Puppet>
  readonly a: PuppetNode
  readonly b: PuppetNode
}

/** Returns two nodes with a link, `after` ms after the dial. The one-way delay is 10 ms. */
export function pair(network: Partial<NetworkOptions> = {}, after: Milliseconds = 99): Pair {
  const sim = puppets({ network: { delay: constantDelay(10), ...network } })
  const [a, b] = [sim.spawn(), sim.spawn()]
  sim.run(1)
  connect(a, b)
  sim.run(after)
  return { sim, a, b }
}
