/**
 * Writes the figures of all documents again from docs/figures.
 *
 *     pnpm lab figures
 *     pnpm lab figures --check    # only reports whether they are up to date
 */
import { shown as attacks } from '../attacks/table.ts'
import { showFigures, stateOf, type Shown, type State } from '../base/figures.ts'
import { command } from '../base/program.ts'
import { shown as computeField } from '../compute-field/report.ts'
import { shown as fidelity } from '../fidelity/table.ts'
import { shown as field } from '../field/report.ts'
import { shown as pool } from '../pool/report.ts'
import { shown as scenarios } from '../scenario/beside.ts'
import { shown as soak } from '../soak/report.ts'
import { shown as tcpTimes } from '../tcp-times/report.ts'

const USAGE = `pnpm lab figures [options]

  --check   writes nothing; exit status 1 where a document does not say what docs/figures has, or not that the protocol, the overlay
            or computing has changed since
`

/** Operations on figures of any kind. */
interface Figures {
  readonly name: string
  readonly state: State | undefined
  show(): Promise<boolean>
}

function of<Data>(shown: Shown<Data>): Figures {
  return {
    name: shown.name,
    get state() {
      return stateOf(shown)
    },
    show: () => showFigures(shown),
  }
}

const all: readonly Figures[] = [of(attacks), of(computeField), of(fidelity), of(field), of(pool), of(scenarios), of(soak), of(tcpTimes)]

export const experiment = command(USAGE, { check: { type: 'boolean', default: false } }, async ({ check }) => {
  if (check) {
    const states = all.map(({ name, state }) => ({ name, state }))
    const named = (isWrong: (state: State) => boolean): string =>
      states.flatMap(({ name, state }) => (state !== undefined && isWrong(state) ? [name] : [])).join(', ')
    const [other, old] = [named(({ isShown }) => !isShown), named(({ isShown, isOld, isSaid }) => isShown && isOld === true && !isSaid)]
    if (other !== '') console.log(`other figures than those of docs/figures are shown of: ${other}; pnpm lab figures`)
    if (old !== '')
      console.log(`what was measured has changed since, and the document does not say so: ${old}; measure anew, or pnpm lab figures`)
    if (named(({ isOld }) => isOld === undefined) !== '') console.log('this checkout has no history, which would tell how old figures are')
    return other !== '' || old !== '' ? 1 : 0
  }
  for (const figures of all) console.log(`${figures.name}: ${(await figures.show()) ? 'written' : 'nothing was kept'}`)
  return 0
})
