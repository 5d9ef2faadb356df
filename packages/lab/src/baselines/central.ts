import type { Introducer, Member } from '@jel/protocol'
import type { ProtocolParts } from '@jel/simulator'
import { BaselineNode } from './baseline-node.ts'
import { BinomialTree } from './binomial-tree.ts'
import { CentralClient } from './central-client.ts'
import type { CentralMessage } from './central-message.ts'
import { CentralServer } from './central-server.ts'
import type { CentralTechnique } from './central-technique.ts'
import { serviceContact } from './contact.ts'
import { ArrayMemberList } from './member-list.ts'

const serialSend: CentralTechnique = {
  dissemination: 'serial',
  peerBootstrap: false,
  adaptive: false,
  createMemberList: () => new ArrayMemberList(),
  bootstrapPeers: 25,
  serverThreads: 25,
  nodeThreads: 10,
  gossipInterval: 1_000,
  fallbackInterval: 30_000,
  treeInterval: 1_000,
  heartbeatInterval: 120_000,
  serverConnectTimeout: 10_000,
  nodeConnectTimeout: 300_000,
}
const gossip: CentralTechnique = { ...serialSend, dissemination: 'gossip', peerBootstrap: true }

/** The five techniques of §5.1 to disseminate events. */
export const centralTechniques = {
  'serial-send': serialSend,
  'peer-bootstrap': { ...serialSend, peerBootstrap: true },
  'broadcast-tree': { ...serialSend, dissemination: 'tree', createMemberList: () => new BinomialTree() },
  gossip,
  'adaptive-gossip': { ...gossip, adaptive: true },
} satisfies Record<string, CentralTechnique>

/** The central implementation. The first node is the server, and all others are members. */
export class CentralNode extends BaselineNode<CentralMessage> {
  readonly #technique: CentralTechnique
  #role: CentralServer | CentralClient | undefined

  constructor(parts: ProtocolParts, technique: CentralTechnique) {
    super(parts)
    this.#technique = technique
  }

  members(): Member[] {
    return (this.#role?.list ?? []).map(({ member }) => member)
  }

  protected started(self: Member, service: Introducer | undefined): void {
    if (service === undefined) {
      const server = new CentralServer(this, this.#technique)
      this.#role = server
      server.start()
    } else {
      const client = new CentralClient(this, this.#technique, serviceContact(service))
      this.#role = client
      client.start(self)
    }
  }

  protected serve(request: CentralMessage): CentralMessage | undefined {
    return this.#role?.serve(request)
  }

  protected left(): void {
    if (this.#role instanceof CentralClient) this.#role.leave()
  }
}
