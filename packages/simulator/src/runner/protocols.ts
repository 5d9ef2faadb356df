import { makeConfig, ProtocolNode } from '@jel/protocol'
import type { Protocol, ProtocolParts } from '../protocol/protocol.ts'
import type { Scenario } from '../scenario/scenario.ts'

/** Creates the protocol of a node. */
export type CreateProtocol = (parts: ProtocolParts) => Protocol

/** Returns the protocol of a scenario. Throws RangeError for impossible settings. */
export function protocolOf({ config }: Pick<Scenario, 'config'>): CreateProtocol {
  const made = makeConfig(config)
  return (parts) => new ProtocolNode({ ...parts, config: made })
}
