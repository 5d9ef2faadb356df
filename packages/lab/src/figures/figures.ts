/** Updates the figures of all documents from docs/figures. */
import { shown as attacks } from '../attacks/table.ts'
import { showFigures, stateOf, type Shown, type State } from '../base/figures.ts'
import { flag } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import { shown as computeField } from '../compute-field/report.ts'
import { shown as fidelity } from '../fidelity/table.ts'
import { shown as field } from '../field/report.ts'
import { shown as pool } from '../pool/measure.ts'
import { shown as scenarios } from '../scenario/beside.ts'
import { shown as soak } from '../soak/report.ts'
import { shown as tcpTimes } from '../tcp-times/report.ts'

/** The figures of one experiment, of any type. */
interface Figures {
  readonly name: string
  state(): State | undefined
  show(): Promise<boolean>
}

function of<Data>(shown: Shown<Data>): Figures {
  return { name: shown.name, state: () => stateOf(shown), show: () => showFigures(shown) }
}

const all: readonly Figures[] = [of(attacks), of(computeField), of(fidelity), of(field), of(pool), of(scenarios), of(soak), of(tcpTimes)]

/** Returns the differences between documents and kept figures, one a line. */
function check(): { readonly lines: readonly string[]; readonly isGood: boolean } {
  const states = all.map((each) => ({ name: each.name, state: each.state() }))
  const named = (isWrong: (state: State) => boolean): string =>
    states.flatMap(({ name, state }) => (state !== undefined && isWrong(state) ? [name] : [])).join(', ')
  const [other, old] = [named(({ isShown }) => !isShown), named(({ isShown, isOld, isSaid }) => isShown && isOld === true && !isSaid)]
  const lines = [
    ...(other === '' ? [] : [`documents that do not show the figures of docs/figures: ${other}; run pnpm lab figures`]),
    ...(old === ''
      ? []
      : [`documents without the note that the measured sources have changed: ${old}; measure again, or run pnpm lab figures`]),
    ...(named(({ isOld }) => isOld === undefined) === '' ? [] : ['this checkout has no history, so the age of figures is unknown']),
  ]
  return { lines, isGood: other === '' && old === '' }
}

export const experiment = bench({
  about: 'updates the figures of all documents from docs/figures',
  settings: { check: flag('write nothing, only report whether the documents are up to date') },
  notes: `With --check, exit status 1 if a document does not show the figures of docs/figures, or if it lacks the note that the protocol, the
overlay or computing has changed since the measurement.`,
  async measure({ check: isCheck }) {
    if (isCheck) return check()
    const lines: string[] = []
    for (const figures of all) lines.push(`${figures.name}: ${(await figures.show()) ? 'written' : 'no figures are kept'}`)
    return { lines, isGood: true }
  },
  table: ({ lines }) => lines.join('\n'),
  passed: ({ isGood }) => isGood,
})
