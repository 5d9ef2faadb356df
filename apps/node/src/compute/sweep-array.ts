import type { MapOutcome } from '@jel/compute'
import { UsageError } from '../base/usage-error.ts'
import type { NdArray } from './npy.ts'

/** A number, or lists of equal shape. */
type Nested = number | readonly Nested[]

/**
 * Returns the rows of an array as inputs: numbers, or lists.
 *
 * @throws UsageError if the array has no rows, or a number that JSON lacks
 */
export function rowsOf({ shape: [rows, ...row], data }: NdArray, name: string): readonly Nested[] {
  if (rows === undefined) throw new UsageError(`${name} has one number, and no rows`)
  const numbers = Array.from<number | bigint, number>(data as Iterable<number | bigint>, (each) => {
    const number = Number(each)
    if (Number.isSafeInteger(number) || (typeof each === 'number' && Number.isFinite(each))) return number
    throw new UsageError(`${name} has ${each}, which is no number of JSON`)
  })
  const size = row.reduce((product, each) => product * each, 1)
  return Array.from({ length: rows }, (_, index) => nested(row, numbers.slice(index * size, (index + 1) * size)))
}

function nested([length, ...rest]: readonly number[], numbers: readonly number[]): Nested {
  if (length === undefined) return numbers[0] as number
  const size = numbers.length / length
  return Array.from({ length }, (_, index) => nested(rest, numbers.slice(index * size, (index + 1) * size)))
}

/**
 * Returns the values of a sweep as one array, with a row for each input. A failed input has NaN.
 * Returns undefined if the values are no numbers and no lists of equal shape.
 */
export function arrayOfOutcomes(outcomes: readonly MapOutcome[]): NdArray | undefined {
  const first = outcomes.find(({ status }) => status === 'fulfilled')
  const row = first?.status === 'fulfilled' ? shapeOf(first.value) : []
  const rows = outcomes.map((outcome) => (outcome.status === 'fulfilled' ? numbersOf(outcome.value, row) : []))
  // Only after this check there are as many numbers as the shape says.
  if (rows.some((numbers) => numbers.includes(undefined))) return undefined
  const size = row.reduce((product, each) => product * each, 1)
  const data = new Float64Array(outcomes.length * size).fill(Number.NaN)
  for (const [index, numbers] of rows.entries()) data.set(numbers as number[], index * size)
  return { shape: [outcomes.length, ...row], data }
}

function shapeOf(value: unknown): number[] {
  return Array.isArray(value) ? [value.length, ...shapeOf(value[0])] : []
}

/** Returns the numbers of a value of this shape, with undefined in place of what does not fit. */
function numbersOf(value: unknown, [length, ...rest]: readonly number[]): readonly (number | undefined)[] {
  if (length === undefined) return [numberOf(value)]
  return Array.isArray(value) && value.length === length ? value.flatMap((each) => numbersOf(each, rest)) : [undefined]
}

/** NaN and infinities come as text, as JSON has no such numbers. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return Number(value)
  return value === 'NaN' || value === 'Infinity' || value === '-Infinity' ? Number(value) : undefined
}
