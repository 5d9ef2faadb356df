/**
 * Writes the figures of all documents anew from docs/figures.
 *
 *     pnpm lab figures
 *     pnpm lab figures --check    # only says whether they are as they should be
 */
import { shown as attacks } from '../attacks/table.ts'
import { isShown, showFigures, type Shown } from '../base/figures.ts'
import { command } from '../base/program.ts'
import { shown as computeField } from '../compute-field/report.ts'
import { shown as fidelity } from '../fidelity/table.ts'
import { shown as field } from '../field/report.ts'
import { shown as pool } from '../pool/report.ts'
import { shown as scenarios } from '../scenario/beside.ts'
import { shown as soak } from '../soak/report.ts'
import { shown as tcpTimes } from '../tcp-times/report.ts'

const USAGE = `pnpm lab figures [options]

  --check   writes nothing; exit status 1 where a document does not say what docs/figures has
`

/** What is to be done with figures of any kind. */
interface Figures {
  readonly name: string
  readonly isShown: boolean
  show(): Promise<boolean>
}

function of<Data>(shown: Shown<Data>): Figures {
  return {
    name: shown.name,
    get isShown() {
      return isShown(shown)
    },
    show: () => showFigures(shown),
  }
}

const all: readonly Figures[] = [of(attacks), of(computeField), of(fidelity), of(field), of(pool), of(scenarios), of(soak), of(tcpTimes)]

export const experiment = command(USAGE, { check: { type: 'boolean', default: false } }, async ({ check }) => {
  if (check) {
    const stale = all.filter((figures) => !figures.isShown).map(({ name }) => name)
    if (stale.length > 0) console.log(`other figures than those of docs/figures are shown of: ${stale.join(', ')}; pnpm lab figures`)
    return stale.length > 0 ? 1 : 0
  }
  for (const figures of all) console.log(`${figures.name}: ${(await figures.show()) ? 'written' : 'nothing was kept'}`)
  return 0
})
