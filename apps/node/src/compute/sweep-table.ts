import type { MapFailure, MapOutcome } from '@jel/compute'
import papaparse from 'papaparse'
import { jsonText } from '../base/text.ts'

/** Returns one outcome as a line of JSON, with the index of its input. */
export function outcomeLine(
  inputs: readonly unknown[],
  { index, value, failure }: { readonly index: number; readonly value?: unknown; readonly failure?: MapFailure },
): string {
  const end = failure === undefined ? { value: value ?? null } : { error: errorOf(failure) }
  return `${jsonText({ index, input: inputs[index], ...end })}\n`
}

/** Returns the outcomes of a sweep as lines of JSON, each with its input. */
export function outcomeLines(inputs: readonly unknown[], outcomes: readonly MapOutcome[]): string {
  return outcomes.map((outcome, index) => `${jsonText({ input: inputs[index], ...fieldsOf(outcome) })}\n`).join('')
}

/**
 * Returns the outcomes of a sweep as a table in CSV. Fields of inputs and values that are objects
 * become columns. Text of a member that a spreadsheet would take for a formula gets an apostrophe
 * in front. Inputs stay as they are.
 */
export function outcomeTable(inputs: readonly unknown[], outcomes: readonly MapOutcome[]): string {
  const given = inputs.map((input) => columnsOf('input', input))
  const taken = new Set(given.flatMap((row) => Object.keys(row)))
  /** A column of the values gets another name if a column of the inputs has its name. */
  const free = (name: string): string => (taken.has(name) ? free(`value.${name}`) : name)
  const rows = outcomes.map((outcome, index) => {
    const { error, value } = fieldsOf(outcome)
    const computed = error === undefined ? columnsOf('value', value) : { error }
    return {
      ...given[index],
      ...Object.fromEntries(Object.entries(computed).map(([name, each]) => [free(noFormula(name)), noFormula(each)])),
    }
  })
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return columns.length === 0 ? '' : `${papaparse.unparse(rows, { columns, newline: '\n' })}\n`
}

function fieldsOf(outcome: MapOutcome): { readonly value?: unknown; readonly error?: string } {
  return outcome.status === 'fulfilled' ? { value: outcome.value ?? null } : { error: errorOf(outcome.reason) }
}

function errorOf({ code, message }: MapFailure): string {
  return `${code}: ${message}`
}

function columnsOf(name: string, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return { [name]: cellOf(value) }
  const fields = Array.isArray(value) ? value.map((each: unknown, index) => [`${name}${index + 1}`, each] as const) : Object.entries(value)
  return Object.fromEntries(fields.map(([field, each]) => [field, cellOf(each)]))
}

/** A text that is a number is no formula. */
function noFormula<Cell>(cell: Cell): Cell | string {
  return typeof cell === 'string' && /^[=+\-@\t\r]/u.test(cell) && Number.isNaN(Number(cell)) ? `'${cell}` : cell
}

function cellOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? jsonText(value) : value
}
