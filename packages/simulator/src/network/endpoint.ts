import type { NodeId } from '@jel/protocol'
import type { Connection } from './connection.ts'
import type { GossipMessage } from './gossip-message.ts'
import type { Traffic } from './traffic.ts'

/** What the network tells a process. */
export interface EndpointEvents {
  linkUp(peer: Endpoint, dialable: boolean): void
  linkDown(peer: Endpoint): void
  frame(from: Endpoint, data: Uint8Array): void
  message(from: Endpoint, message: GossipMessage): void
}

/** One process as the network sees it. */
export class Endpoint {
  /** In the order of starting. */
  readonly index: number
  readonly id: NodeId
  /** Which machine it listens on: its address. */
  readonly machine: number
  /** False behind a NAT: it can dial, it can't be dialled. */
  readonly dialable: boolean
  readonly traffic: Traffic
  readonly events: EndpointEvents
  /** The process runs, or is at least stopped and not dead. */
  listening = true
  /** The process does something; otherwise its kernel accepts for it. */
  awake = true
  /** The machine's cable is pulled: nothing comes, nothing goes, nothing is refused. */
  silent = false
  /** Endpoints on different sides of a partition don't reach each other. */
  side = 0
  /** Open connections by peer. Several at once are one link; the newest carries what is sent. */
  readonly connections = new Map<NodeId, Connection[]>()
  /** With whom broadcasts are exchanged in full. */
  readonly mesh = new Map<NodeId, Endpoint>()

  constructor(fields: Pick<Endpoint, 'index' | 'id' | 'machine' | 'dialable' | 'traffic' | 'events'>) {
    this.index = fields.index
    this.id = fields.id
    this.machine = fields.machine
    this.dialable = fields.dialable
    this.traffic = fields.traffic
    this.events = fields.events
  }
}
