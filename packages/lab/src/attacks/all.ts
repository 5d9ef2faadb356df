/** All attacks, in the order of the report. */
import { alarmFlood, byAccusers } from './accusations.ts'
import { onRelays } from './circuits.ts'
import { onConnections } from './connections.ts'
import { broadcastFlood, electionNames, millionJoins, signalFlood } from './floods.ts'
import { onGridLayers } from './grid-layers.ts'
import { absurdEpochs, byStatements } from './statements.ts'
import type { Attack } from './trial.ts'
import { onWebSockets } from './websockets.ts'

export const attacks: readonly Attack[] = [
  ...byStatements,
  ...byAccusers,
  absurdEpochs,
  millionJoins,
  ...onConnections,
  ...onRelays,
  ...onWebSockets,
  broadcastFlood,
  alarmFlood,
  signalFlood,
  electionNames,
  ...onGridLayers,
]
