import { writeFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { MapOutcome } from '@jel/compute'
import type { JobEvent } from '../events/job-messages.ts'
import { checkWritable, replaceFile } from '../base/replace-file.ts'
import { printable } from '../base/text.ts'
import { messageOf, UsageError } from '../base/usage-error.ts'
import { npyOf } from './npy.ts'
import { arrayOfOutcomes } from './sweep-array.ts'
import { outcomeLine, outcomeLines, outcomeTable } from './sweep-table.ts'

export interface SweepOutputFlags {
  readonly json?: boolean
  readonly csv?: boolean
  readonly output?: string
  readonly each?: boolean
}

/**
 * Writes the outcomes of a sweep to the file of `--output`, or to standard output. With `--json`
 * standard output has events only.
 */
export class SweepOutput {
  readonly #inputs: readonly unknown[]
  readonly #flags: SweepOutputFlags
  /** The first outcome replaces what was in the file. */
  #mode: 'w' | 'a' = 'w'
  /** Whether outcomes could not be written to the file. */
  isLost = false

  constructor(inputs: readonly unknown[], flags: SweepOutputFlags) {
    this.#inputs = inputs
    this.#flags = flags
  }

  /** Refuses a file that could not be written at the end. @throws UsageError */
  async check(): Promise<void> {
    const { output: file, each, csv } = this.#flags
    if (file === undefined) {
      if (each === true && csv === true) throw new UsageError('--each and --csv: a table is written at the end, to the file of --output')
      return
    }
    if (isArray(file) && (each === true || csv === true))
      throw new UsageError('--output: a .npy file is written at the end, as one array: leave out --each and --csv')
    await checkWritable(file).catch((error: unknown) => {
      throw new UsageError(`--output: ${messageOf(error)}`)
    })
  }

  /** Writes an outcome that has just come, as a line. */
  one(event: Extract<JobEvent, { readonly event: 'outcome' }>): void {
    const { output } = this.#flags
    const line = outcomeLine(this.#inputs, event)
    if (output === undefined) {
      this.#print(line)
      return
    }
    try {
      writeFileSync(output, line, { flag: this.#mode })
      this.#mode = 'a'
    } catch (error) {
      this.#lost(line, messageOf(error))
    }
  }

  /** Writes all outcomes, in the order of the inputs. */
  async all(outcomes: readonly MapOutcome[]): Promise<void> {
    const { output, csv, each } = this.#flags
    // The lines are there already.
    if (output === undefined && each === true) return
    const table = csv === true ? outcomeTable(this.#inputs, outcomes) : outcomeLines(this.#inputs, outcomes)
    if (output === undefined) {
      this.#print(table)
      return
    }
    const array = isArray(output) ? arrayOfOutcomes(outcomes) : undefined
    const content = isArray(output) ? array && npyOf(array) : table
    if (content === undefined) this.#lost(table, 'the values are no numbers and no lists of equal shape')
    else await replaceFile(output, content).catch((error: unknown) => this.#lost(table, messageOf(error)))
  }

  #lost(text: string, reason: string): void {
    if (!this.isLost) process.stderr.write(`jel: --output: ${reason}; the values are on standard output\n`)
    this.isLost = true
    this.#print(text)
  }

  #print(text: string): void {
    if (this.#flags.json !== true) process.stdout.write(process.stdout.isTTY ? safeLines(text) : text)
  }
}

function isArray(file: string): boolean {
  return extname(file).toLowerCase() === '.npy'
}

/** Makes text of other members safe for a terminal, and keeps its lines. */
function safeLines(text: string): string {
  return text.split('\n').map(printable).join('\n')
}
