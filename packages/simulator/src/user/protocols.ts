import { makeConfig, ProtocolNode } from '@jel/protocol'
import type { Protocol, ProtocolParts } from '../protocol/protocol.ts'
import type { Scenario } from '../scenario/scenario.ts'

/** Makes the nodes of a scenario. */
export type CreateProtocol = (parts: ProtocolParts) => Protocol

/** What a scenario runs. Throws RangeError for settings that can't be. */
export function protocolOf({ config }: Pick<Scenario, 'config'>): CreateProtocol {
  const made = makeConfig(config)
  return (parts) => new ProtocolNode({ ...parts, config: made })
}
