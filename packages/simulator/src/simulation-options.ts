import type { Codec, Introducer, Milliseconds } from '@jel/protocol'
import type { Bandwidth } from './network/bandwidth.ts'
import type { Dialable } from './network/endpoint.ts'
import type { GossipOptions } from './network/gossip-options.ts'
import type { Machine } from './network/machine.ts'
import type { NetworkOptions } from './network/network-options.ts'
import type { Payload } from './network/payload.ts'
import type { FalseDeath } from './protocol/ended-lives.ts'
import type { Identity, Scheme } from './protocol/identity.ts'
import type { SimulatedNode } from './protocol/node.ts'
import type { Protocol, ProtocolParts } from './protocol/protocol.ts'

export interface SimulationOptions<P extends Protocol> {
  /** The seed. One seed gives one history. */
  readonly seed: number
  readonly createProtocol: (parts: ProtocolParts) => P
  readonly pool?: string
  readonly network?: Partial<NetworkOptions>
  readonly gossip?: Partial<GossipOptions>
  /** Default: signatures that cost next to nothing. */
  readonly scheme?: Scheme
  /** The encoding of messages. Default: none, which is fast. All real hosts send bytes. */
  readonly codec?: Codec<Payload>
  /**
   * The time between a left-statement and the end of the process, in which pending data goes out.
   */
  readonly leaveFlush?: Milliseconds
  /**
   * Each node keeps its notifications. Default: yes. With thousands of nodes they take most of the
   * memory.
   */
  readonly keepNews?: boolean
  /** Checks the promises of the protocol as it runs. Default: yes. */
  readonly checkPromises?: boolean
  /**
   * Called when the life of a running member ends falsely. Default: that breaks a promise and
   * throws.
   */
  readonly onFalseDeath?: (death: FalseDeath) => void
}

export interface SpawnOptions {
  /** Another protocol for this node, such as a hostile one. Nothing is promised to it. */
  readonly createProtocol?: (parts: ProtocolParts) => Protocol
  /** Nodes or addresses to enter through. With none the node founds a pool. */
  readonly introducers?: readonly (SimulatedNode | Introducer)[]
  readonly location?: string
  readonly tag?: Uint8Array
  /** A key pair that exists already, as from an identity file. Default: a new one. */
  readonly identity?: Identity
  /** The incarnation in the identity file. */
  readonly storedIncarnation?: number
  /** Default: the setting of its site, or else `everybody`. */
  readonly dialable?: Dialable
  /** Default: a machine of its own, with the defaults of {@link MachineOptions}. */
  readonly machine?: Machine
  /** The site of its own machine. Default: the first site of the topology. */
  readonly site?: string
  /** The bandwidth of this node alone, beside the load of its machine's cable. */
  readonly bandwidth?: Bandwidth
  /** Takes over the machine and address of a node that is gone. */
  readonly machineOf?: SimulatedNode
  /** The delay until it starts. */
  readonly after?: Milliseconds
}

export interface MachineOptions {
  /** Default: the first site of the topology. */
  readonly site?: string | undefined
  /** The bandwidth of its cable, which all its nodes share. Default: never full. */
  readonly bandwidth?: Bandwidth | undefined
  /**
   * The speed of each of its processors, relative to the one on which costs were measured. All its
   * nodes share them. Default: nothing takes time.
   */
  readonly speed?: number | undefined
  /** The number of its processors. A node uses one. Default: one. */
  readonly processors?: number | undefined
}
