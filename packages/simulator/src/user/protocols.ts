import { makeConfig, ProtocolNode } from '@jel/protocol'
import { baselines } from '../baselines/index.ts'
import type { Protocol, ProtocolParts } from '../protocol/protocol.ts'
import type { Scenario } from '../scenario/scenario.ts'

/** Makes the nodes of a scenario. */
export type CreateProtocol = (parts: ProtocolParts) => Protocol

/** What a scenario runs. Throws RangeError for settings that can't be. */
export function protocolOf({ protocol, config }: Pick<Scenario, 'protocol' | 'config'>): CreateProtocol {
  if (protocol !== 'jel') return baselines[protocol]()
  const made = makeConfig(config)
  return (parts) => new ProtocolNode({ ...parts, config: made })
}
