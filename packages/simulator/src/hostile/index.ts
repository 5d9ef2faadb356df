import { AbsurdEpochs } from './absurd-epochs.ts'
import type { Attack } from './attacker.ts'
import { DoubleSigner } from './double-signer.ts'
import { FalseAges } from './false-ages.ts'
import { Forgeries } from './forgeries.ts'
import { MadeUpOffers } from './made-up-offers.ts'
import { Moving } from './moving.ts'
import { Reconnects } from './reconnects.ts'
import { RecordFlood } from './record-flood.ts'
import { Replay } from './replay.ts'
import { SilentCandidate } from './silent-candidate.ts'
import { SuspicionFlood } from './suspicion-flood.ts'

/** Attacks by their names in scenarios. */
export const attacks = {
  replay: () => new Replay(),
  suspicions: () => new SuspicionFlood(),
  'silent candidate': () => new SilentCandidate(),
  'double signer': () => new DoubleSigner(),
  epochs: () => new AbsurdEpochs(),
  ages: () => new FalseAges(),
  offers: () => new MadeUpOffers(),
  reconnects: (pool: string) => new Reconnects(pool),
  moving: () => new Moving(),
  forgeries: () => new Forgeries(),
  records: (pool: string) => new RecordFlood(pool),
} satisfies Record<string, (pool: string) => Attack>

export type AttackName = keyof typeof attacks

export const attackNames = Object.keys(attacks) as AttackName[]
