/** Transfer times of the kernel and of the simulator's model, side by side. */
import type { Shown } from '../base/figures.ts'
import { markdownTable } from '../base/markdown.ts'

export interface Row {
  /**
   * One-way times, ms. `delay`: the configured delay. `way`: the time of a message of 10 KB without
   * loss, which the model uses.
   */
  readonly delay: number
  readonly way: number
  readonly loss: number
  readonly bytes: number
  /** Medians, ms. */
  readonly kernel: number
  readonly model: number
}

interface TcpTimes {
  /** The release of the kernel. */
  readonly release: string
  readonly runs: number
  readonly rows: readonly Row[]
}

export const shown: Shown<TcpTimes> = {
  name: 'tcp-times',
  document: 'docs/fidelity.md',
  section: 'tcp-times',
  // The experiment measures no `Part`: the figures are of the kernel and of the simulator.
  of: [],
  text: ({ release, runs, rows }) => {
    const cells = rows.map(({ way, loss, bytes, kernel, model }) => [
      `${bytes / 1_000} KB`,
      `${way.toFixed(1)} ms`,
      `${loss * 100} %`,
      kernel.toFixed(0),
      model.toFixed(0),
      `${((model / kernel - 1) * 100).toFixed(0)} %`,
    ])
    const header = ['message', 'one way', 'lost', 'kernel, ms', 'simulator, ms', 'difference']
    return `Linux ${release}; medians of ${runs} transfers of each kind or more.\n\n${markdownTable(header, cells)}`
  },
}
