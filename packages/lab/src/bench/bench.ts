/**
 * The runner of all experiments. An experiment has settings, a measurement and a table. The runner
 * handles the command line, the place, the temporary folder, kept figures, draws and the exit
 * status.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rerunInOwnNetwork } from '../network/loopback.ts'
import { rerunInOwnNamespaces } from '../network/namespaces.ts'
import { provide } from '../network/tools.ts'
import { takeChildrenAlong } from '../base/child.ts'
import { writeDraw, type DrawnRow } from '../base/draw.ts'
import { keepFigures, originOf, type Origin, type Shown } from '../base/figures.ts'
import { describe, flag, optional, parse, UsageError, type Settings, type Values } from '../base/settings.ts'

/**
 * Where an experiment runs. `network`: with a loopback interface of its own, if the system supports
 * that, so that it counts no foreign traffic. `hosts`: in namespaces in which it creates hosts.
 */
export type Where = 'here' | 'network' | 'hosts'

/** The circumstances of one run. */
export interface Run {
  /** A temporary folder. */
  readonly folder: string
  /** Arguments other than flags. */
  readonly operands: readonly string[]
  /** The revision and the machine before the measurement. */
  readonly origin: Origin
}

export interface Plan<Of extends Settings, Data> {
  readonly about: string
  /** Description of the arguments other than flags, for the help text. Default: there are none. */
  readonly operands?: string
  readonly settings: Of
  /** Further lines of the help text: requirements, and the meaning of exit status 1. */
  readonly notes?: string
  readonly where?: Where | ((values: Values<Of>, operands: readonly string[]) => Where)
  /**
   * Runs before the experiment starts again in the place that `where` names. Returns the reason if
   * there is nothing to measure here; otherwise undefined.
   */
  readonly prepare?: (values: Values<Of>, operands: readonly string[]) => string | undefined
  readonly measure: (values: Values<Of>, run: Run) => Data | Promise<Data>
  /** The text that the experiment prints at its end. */
  readonly table?: (data: Data) => string
  /** True for exit status 0, false for 1. Default: true. */
  readonly passed?: (data: Data) => boolean
  /** The document that shows the data. With `--keep`, the experiment updates it. */
  readonly figures?: Shown<Data>
  /** Rows for a comparison with another revision. `--draw FILE` writes them. */
  readonly draw?: (data: Data) => readonly DrawnRow[]
}

/** An experiment of the command line. */
export interface Experiment {
  readonly about: string
  /** Returns the exit status. `args`: the arguments after the experiment's name. */
  run(args: readonly string[]): Promise<number>
}

export function bench<Of extends Settings, Data>(plan: Plan<Of, Data>): Experiment {
  const { about, settings, figures, draw } = plan
  const all = {
    ...settings,
    ...(figures !== undefined && { keep: flag(`write docs/figures/${figures.name}.json, and ${figures.document} from there`) }),
    ...(draw !== undefined && { draw: optional('FILE', 'write all values to a file, for pnpm lab compare') }),
    help: flag('show this'),
  }
  return {
    about,
    async run(args) {
      const { values, operands } = parse(all, args)
      const own = values as Values<Of>
      if (values.help === true) {
        const first = plan.operands === undefined ? about : `${about}; takes ${plan.operands}`
        process.stdout.write(`${[first, describe(all), plan.notes].filter((part) => part !== undefined).join('\n\n')}\n`)
        return 0
      }
      if (plan.operands === undefined && operands.length > 0) throw new UsageError(`expected no ${operands[0]}; --help shows what it takes`)
      const skipped = plan.prepare?.(own, operands)
      if (skipped !== undefined) {
        console.log(`skipped: ${skipped}`)
        return 0
      }
      const where = typeof plan.where === 'function' ? plan.where(own, operands) : plan.where
      const status = await rerunIn(where ?? 'here')
      return status ?? (await carryOut(plan, own, operands, values as Kept))
    },
  }
}

interface Kept {
  readonly keep?: boolean
  readonly draw?: string | undefined
}

async function carryOut<Of extends Settings, Data>(
  plan: Plan<Of, Data>,
  values: Values<Of>,
  operands: readonly string[],
  { keep, draw: file }: Kept,
): Promise<number> {
  takeChildrenAlong()
  const origin = originOf()
  const folder = mkdtempSync(join(tmpdir(), 'jel-lab-'))
  const clean = (): void => rmSync(folder, { recursive: true, force: true })
  process.once('exit', clean)
  const data = await plan.measure(values, { folder, operands, origin })
  const text = plan.table?.(data) ?? ''
  if (text !== '') console.log(text)
  // An experiment may have its own setting with the name `keep` or `draw`.
  if (file !== undefined && plan.draw !== undefined) writeDraw(file, plan.draw(data))
  if (keep === true && plan.figures !== undefined) await keepFigures(plan.figures, origin, data)
  clean()
  return (plan.passed?.(data) ?? true) ? 0 : 1
}

/**
 * Returns the exit status of the run in another place; undefined if this process must run the
 * experiment.
 */
async function rerunIn(where: Where): Promise<number | undefined> {
  if (where === 'here') return undefined
  if (where === 'network') return await rerunInOwnNetwork()
  provide('network')
  return await rerunInOwnNamespaces()
}
