import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { text } from 'node:stream/consumers'
import papaparse from 'papaparse'
import { isExact, parseExactJson } from '../base/exact-json.ts'
import { UsageError } from '../base/usage-error.ts'
import { parseNpy } from './npy.ts'
import { rowsOf } from './sweep-array.ts'

/** Reads the inputs of a sweep from a file; `-` is standard input. @throws UsageError */
export async function readInputs(source: string): Promise<readonly unknown[]> {
  if (source === '-') return inputsIn(await text(process.stdin), '')
  const content = await readFile(source).catch((error: unknown) => {
    throw new UsageError(`--inputs: ${error instanceof Error ? error.message : String(error)}`)
  })
  const extension = extname(source).toLowerCase()
  return extension === '.npy' ? rowsOf(parseNpy(content, source), source) : inputsIn(content.toString('utf8'), extension)
}

/**
 * Returns the inputs in a text: the rows of a table as objects, the elements of a JSON array, or
 * one JSON value a line. In a table numbers, `true` and `false` get their types, and an empty cell
 * is null. An integer that a number cannot hold stays text in a table, and is refused in JSON.
 *
 * @param extension of the file, as in `.csv`; '' if there is none: then the text decides
 * @throws UsageError
 */
export function inputsIn(content: string, extension: string): readonly unknown[] {
  const text = content.replace(/^\uFEFF/u, '')
  if (extension === '.csv' || extension === '.tsv') return rowsIn(text, extension === '.tsv' ? '\t' : '')
  const whole = parsed(text)
  if (whole !== undefined) return Array.isArray(whole) ? whole : [whole]
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const values = lines.map(parsed)
  const bad = values.indexOf(undefined)
  if (bad === -1) return values
  if (extension === '' && bad === 0) return rowsIn(text, '')
  throw new UsageError(`--inputs: line ${bad + 1} is no JSON: ${(lines[bad] as string).slice(0, 60)}; JSON has no NaN and no Infinity`)
}

/** @param delimiter '': the parser finds it in the text */
function rowsIn(content: string, delimiter: string): readonly unknown[] {
  const text = content.replace(/\r?\n$/u, '')
  if (text === '') return []
  const { data, errors } = papaparse.parse<Record<string, string>>(text, { header: true, delimiter, skipEmptyLines: false })
  // A table of one column has no delimiter to be found.
  const [error] = errors.filter(({ code }) => code !== 'UndetectableDelimiter')
  if (error !== undefined) throw new UsageError(`--inputs: row ${(error.row ?? 0) + 1}: ${error.message}`)
  return data.map((row) => Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, typed(cell)])))
}

/** A number with zeros in front is a name, such as a postal code. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/u

function typed(cell: string): unknown {
  if (cell === '') return null
  if (cell === 'true' || cell === 'false') return cell === 'true'
  return NUMBER.test(cell) && Number.isFinite(Number(cell)) && isExact(cell) ? Number(cell) : cell
}

/** Returns undefined for a text that is no JSON. @throws UsageError */
function parsed(json: string): unknown {
  try {
    return parseExactJson(json)
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(`--inputs: ${error.message}`)
    return undefined
  }
}
