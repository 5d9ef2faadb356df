/** Halves and doubles each constant of the protocol, and reports the changes in simulations. */
import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { textToNumbers } from '../base/figures.ts'
import { markdownTable } from '../base/markdown.ts'
import { pattern } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import { constants, scaled, type Constant } from './parse.ts'
import type { Trial } from './variant.ts'

const program = fileURLToPath(new URL('variant.ts', import.meta.url))
/** Longest time of a trial, ms. A longer trial counts as a hang. */
const longest = 600_000
/**
 * Number of sets of three seeds that run with unchanged constants, and least factor by which a
 * changed figure differs. Any change of a history moves figures by chance. So a figure has changed
 * only if it is this many times above the largest figure of these sets, or below the smallest.
 * Guesses.
 */
const [SETS, CHANGED] = [5, 1.25]

/** The effects of a constant with half the value and with twice the value. */
interface Row {
  readonly constant: Constant
  readonly effects: readonly string[]
}

export const experiment = bench({
  about: 'what each constant of the protocol changes',
  settings: { only: pattern('constants of which the name or the file matches') },
  notes: `Halves and doubles one constant at a time, and runs simulations of a flash, elections, losses, a partition and cuts. "no part": each
history is the same, so no run depends on the constant. "little": all figures are within 1.25 times those of other seeds. A figure that
is not is shown with the range of ${SETS} sets of seeds.`,
  async measure({ only }) {
    const chosen = constants().filter(({ name, file }) => only.test(name) || only.test(file))
    const sound: Trial[] = []
    for (let set = 0; set < SETS; set++) sound.push(await trial(set))
    const rows: Row[] = []
    const queue = chosen.values()
    const work = async (): Promise<void> => {
      for (const constant of queue) {
        const effects = [await effectOf(constant, 0.5, sound), await effectOf(constant, 2, sound)]
        rows.push({ constant, effects })
        console.error(`${constant.name}: ${effects.join('; ')}`)
      }
    }
    await Promise.all(Array.from({ length: availableParallelism() }, work))
    return chosen.flatMap((constant) => rows.find((row) => row.constant === constant) ?? [])
  },
  table: (rows) =>
    markdownTable(
      ['constant', 'value', 'halved', 'doubled'],
      rows.map(({ constant: { name, value }, effects }) => [name, value, ...effects]),
    ),
})

async function effectOf(constant: Constant, factor: number, sound: readonly Trial[]): Promise<string> {
  const to = scaled(constant, factor)
  if (to === undefined) return '–'
  try {
    return differenceOf(sound, await trial(0, constant.file, constant.definition, to))
  } catch (error) {
    return `fails: ${/^\w*Error: .*/mu.exec(String(error))?.[0] ?? String(error)}`
  }
}

async function trial(set: number, ...args: readonly string[]): Promise<Trial> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', program, String(set), ...args], {
    timeout: longest,
    maxBuffer: 2 ** 26,
  })
  return JSON.parse(stdout, textToNumbers) as Trial
}

/** Describes the changes of a variant, the largest first. The first trial has the same seeds. */
export function differenceOf(sound: readonly Trial[], variant: Trial): string {
  if (variant.hashes.join() === sound[0]?.hashes.join()) return 'no part'
  const differences = Object.entries(variant.figures).flatMap(([scenario, figures]) =>
    Object.entries(figures).flatMap(([figure, now]) => {
      const usual = sound.map((trial) => trial.figures[scenario]?.[figure] ?? 0)
      const [least, most] = [Math.min(...usual), Math.max(...usual)]
      const ratio = now > most ? now / most : least / now
      return now >= least && now <= most
        ? []
        : ratio < CHANGED
          ? []
          : [{ text: `${scenario}, ${figure}: ${least}–${most} → ${now}`, ratio }]
    }),
  )
  const texts = differences.sort((a, b) => b.ratio - a.ratio).map(({ text }) => text)
  const more = variant.broken - Math.max(...sound.map(({ broken }) => broken))
  const all = [...(more > 0 ? [`${more} broken promises`] : []), ...texts]
  return all.length === 0 ? 'little' : `${all.slice(0, 2).join('; ')}${all.length > 2 ? `; ${all.length - 2} more` : ''}`
}
