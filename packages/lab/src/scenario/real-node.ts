/** A node process for the runner of a scenario, with the node's reports about itself and others. */
import type { Command, Member, NodeId, Reign } from '@jel/protocol'
import type { Dialable, Place, TestbedEndpoint, TestbedNode } from '@jel/simulator'
import type { LabHost } from '../network/host.ts'
import type { ProcessNode } from '../swarm/process-node.ts'

/** The node's place in the network. */
class RealEndpoint implements TestbedEndpoint {
  readonly index: number
  readonly machine: LabHost
  readonly dialable: Dialable
  readonly #site: string | undefined
  silent = false
  side = 0
  /** Share of its packets that get lost, in both directions. */
  loss = 0
  /** Extra delay of its own line, ms: none. */
  lag = 0
  /** The laboratory can't see the links of a process from outside. So this map stays empty. */
  readonly connections: TestbedEndpoint['connections'] = new Map()
  readonly mostLinks = 0

  constructor({ index, host, dialable, place: { site } }: RealNodeFields) {
    this.index = index
    this.machine = host
    this.dialable = dialable
    this.#site = site
  }

  dialableFrom(other: RealEndpoint): boolean {
    return this.dialable === 'site' ? this.#site === other.#site : this.dialable
  }
}

export interface RealNodeFields {
  readonly index: number
  readonly id: NodeId
  readonly host: LabHost
  readonly place: Place
  readonly dialable: Dialable
  readonly startedAt: number
  readonly honest?: boolean
  /** Returns the bytes on its host's interfaces, divided by the number of nodes on that host. */
  bytes(): number
}

export class RealNode implements TestbedNode {
  readonly index: number
  readonly id: NodeId
  readonly host: LabHost
  readonly startedAt: number
  readonly endpoint: RealEndpoint
  readonly honest: boolean
  readonly addresses = []
  readonly traffic: TestbedNode['traffic']
  state: TestbedNode['state'] = 'running'
  leaves = false
  /** Undefined while the process starts. */
  process: ProcessNode | undefined
  readonly #lives: number[] = []
  readonly #waiting: Command[] = []
  readonly #up = Promise.withResolvers<void>()

  constructor(fields: RealNodeFields) {
    this.index = fields.index
    this.id = fields.id
    this.host = fields.host
    this.startedAt = fields.startedAt
    this.honest = fields.honest ?? true
    this.endpoint = new RealEndpoint(fields)
    this.traffic = {
      received: {
        get bytes() {
          return fields.bytes()
        },
      },
      dials: 0,
      hostProbes: 0,
    }
  }

  /** Records an incarnation in which the node reported itself as a member. */
  entered(incarnation: number): void {
    if (!this.#lives.includes(incarnation)) this.#lives.push(incarnation)
  }

  lived(incarnation: number): boolean {
    return this.#lives.includes(incarnation)
  }

  /** Called when the process has started. Carries out the commands that waited for it. */
  started(process: ProcessNode): void {
    this.process = process
    this.#up.resolve()
    for (const command of this.#waiting.splice(0)) carryOut(process, command)
  }

  /** Resolves when the process has started, so that the node has an address. */
  get isUp(): Promise<void> {
    return this.#up.promise
  }

  command(command: Command): void {
    if (this.process === undefined) this.#waiting.push(command)
    else carryOut(this.process, command)
  }

  get protocol(): TestbedNode['protocol'] {
    const { process, id } = this
    const last = this.#lives.at(-1)
    return {
      self: last === undefined ? undefined : memberOf(id, last),
      members: () => [...(process?.view.keys() ?? [])].map((each) => memberOf(each, 1)),
      reign: (election): Reign | undefined => {
        const reign = process?.reigns.get(election)
        return reign && { election, epoch: reign.epoch, winner: memberOf(reign.winner, reign.incarnation) }
      },
    }
  }
}

/** Makes a member from the fields that scenarios need. */
export function memberOf(id: NodeId, incarnation: number): Member {
  return { id, incarnation, location: '', tag: new Uint8Array(), addresses: [], constants: new Map(), reach: 'direct', joinedAt: 0 }
}

function carryOut(process: ProcessNode, command: Command): void {
  if (!process.running) return
  if (command.type === 'elect' || command.type === 'withdraw') process.command({ command: command.type, election: command.election })
  else if (command.type === 'maybeDead') process.command({ command: 'maybeDead', node: command.id })
  else throw new Error(`no scenario has ${command.type}`)
}
