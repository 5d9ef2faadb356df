import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { transitions, type Finding, type SuspicionState } from './transitions.ts'

/** The findings by the rows of the specification. A condition decides whether some rows count. */
const findings: Readonly<Record<string, Finding>> = {
  'this node misses it': 'missed',
  'no answer in time': 'timedOut',
  'a helper reached it': 'proven',
  'helpers missed it': 'missedByHelpers',
  "helpers can't tell": 'missedByHelpers',
  'no helper answers': 'missedByHelpers',
  'it refutes': 'proven',
  'the accusations expire, after 30 s': 'proven',
  'it answers this node': 'answered',
}

/** Returns the rows of the table of findings, the head first. */
function specified(): string[][] {
  const text = readFileSync(new URL('../../../../../docs/specification.md', import.meta.url), 'utf8')
  const table = /^\| finding \|.*\n(?:\|.*\n)+/m.exec(text)?.[0] ?? ''
  const rows = table.trim().split('\n')
  const cells = rows.map((row) => row.split('|').slice(1, -1)).map((row) => row.map((cell) => cell.trim()))
  return cells.filter((_, place) => place !== 1) // the line below the head
}

/** Returns the state in a cell. A suspicion that is over stays as reported if others accuse. */
function stateIn(cell: string): string | undefined {
  return /reported|probing|indirect|relayed|accused|over/.exec(cell)?.[0].replace('over', 'reported')
}

it('has the transitions of the specification', () => {
  const [[, ...states] = [], ...rows] = specified()
  expect(rows.map(([row]) => row)).toEqual(Object.keys(findings))
  const wanted: Record<string, Record<string, string>> = Object.fromEntries(states.map((state) => [state, {}]))
  for (const [row = '', ...cells] of rows)
    cells.forEach((cell, place) => {
      const from = states[place] as SuspicionState
      const to = stateIn(cell)
      if (to !== undefined && to !== from) (wanted[from] as Record<string, string>)[findings[row] as Finding] = to
    })
  expect(transitions).toEqual(wanted)
})
