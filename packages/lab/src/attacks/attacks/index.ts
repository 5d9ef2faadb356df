/** All attacks, in the order of the report. */
import type { Attack } from '../trial.ts'
import { abandonedStreams } from './abandoned-streams.ts'
import { absurdEpochs } from './absurd-epochs.ts'
import { alarmFlood } from './alarm-flood.ts'
import { badFrames } from './bad-frames.ts'
import { broadcastFlood } from './broadcast-flood.ts'
import { coalitionOfWitnesses } from './coalition.ts'
import { electionNames } from './election-names.ts'
import { endlessReconciliation } from './endless-reconciliation.ts'
import { forgedStatements } from './forged-statements.ts'
import { handshakeFlood } from './handshake-flood.ts'
import { loneWitness } from './lone-witness.ts'
import { millionJoins } from './million-joins.ts'
import { replayedStatements } from './replayed-statements.ts'
import { signalFlood } from './signal-flood.ts'
import { slowReader } from './slow-reader.ts'
import { stolenIdentity } from './stolen-identity.ts'
import { stolenKey } from './stolen-key.ts'
import { victimAddress } from './victim-address.ts'

export const attacks: readonly Attack[] = [
  forgedStatements,
  replayedStatements,
  stolenIdentity,
  stolenKey,
  loneWitness,
  coalitionOfWitnesses,
  absurdEpochs,
  millionJoins,
  endlessReconciliation,
  slowReader,
  abandonedStreams,
  badFrames,
  victimAddress,
  handshakeFlood,
  broadcastFlood,
  alarmFlood,
  signalFlood,
  electionNames,
]
