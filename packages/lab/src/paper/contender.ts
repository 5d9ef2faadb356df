/** The contenders: the six curves of the paper's figures, and this project's protocol. */
import { defaultConfig, ProtocolNode } from '@jel/protocol'
import { baselines, distributed, type BaselineName, type DistributedSettings, type NodeFactory } from '../baselines/index.ts'

export type Contender = BaselineName | 'jel'

/** The names of Table II. */
export const titles: Readonly<Record<Contender, string>> = {
  'serial-send': 'serial send',
  'peer-bootstrap': 'peer bootstrap',
  'broadcast-tree': 'broadcast tree',
  gossip: 'gossip',
  'adaptive-gossip': 'adaptive gossip',
  distributed: 'distributed',
  jel: 'jel (this project)',
}

export const contenders = Object.keys(titles) as Contender[]
export const central = contenders.filter((contender) => contender !== 'jel' && contender !== 'distributed')

export function factoryOf(contender: Contender, settings?: Partial<DistributedSettings>): NodeFactory {
  if (contender === 'jel') return (parts) => new ProtocolNode({ ...parts, config: defaultConfig })
  return contender === 'distributed' ? distributed(settings) : baselines[contender]()
}
