/** Attacks pools of real hosts on loopback. Each attack has its own pool. */
import { pattern, seconds, UsageError, whole } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import { attacks } from './all.ts'
import { shown, table } from './table.ts'
import { fight, type Outcome } from './trial.ts'

export const experiment = bench({
  about: 'hostile peers against real hosts',
  settings: {
    nodes: whole(8, 'honest nodes, in one process', 4),
    seconds: seconds(10, 'duration of each attack'),
    only: pattern('only attacks whose names match'),
  },
  notes: 'Exit status 1 if an attack broke a bound.',
  figures: shown,
  async measure({ nodes, seconds: during, only }) {
    const some = attacks.filter(({ name }) => only.test(name))
    if (some.length === 0)
      throw new UsageError(`--only: no attack has a matching name; there are ${attacks.map(({ name }) => name).join(', ')}`)
    const outcomes: Outcome[] = []
    for (const attack of some) {
      console.error(attack.name)
      outcomes.push(await fight(attack, { nodes, before: 3_000, during, after: 5_000 }))
      if (process.stderr.isTTY || some.length < attacks.length) console.error(table(outcomes.slice(-1)))
    }
    return { nodes, seconds: during / 1_000, outcomes }
  },
  table: ({ outcomes }) => table(outcomes),
  passed: ({ outcomes }) => outcomes.every(({ breaches }) => breaches.length === 0),
})
