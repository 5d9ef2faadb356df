import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { text } from 'node:stream/consumers'
import papaparse from 'papaparse'
import { UsageError } from '../base/usage-error.ts'

/** Reads the inputs of a sweep from a file; `-` is standard input. @throws UsageError */
export async function readInputs(source: string): Promise<readonly unknown[]> {
  if (source === '-') return inputsIn(await text(process.stdin), '')
  const content = await readFile(source, 'utf8').catch((error: unknown) => {
    throw new UsageError(`--inputs: ${error instanceof Error ? error.message : String(error)}`)
  })
  return inputsIn(content, extname(source).toLowerCase())
}

/**
 * Returns the inputs in a text: the rows of a table as objects, the elements of a JSON array, or
 * one JSON value a line. Numbers and truth values in a table get their types.
 *
 * @param extension of the file, as in `.csv`; '' if there is none: then the text decides
 * @throws UsageError
 */
export function inputsIn(content: string, extension: string): readonly unknown[] {
  if (extension === '.csv' || extension === '.tsv') return rowsIn(content)
  const whole = parsed(content)
  if (Array.isArray(whole)) return whole
  const lines = content.split('\n').filter((line) => line.trim() !== '')
  const values = lines.map(parsed)
  const bad = values.indexOf(undefined)
  if (bad === -1) return values
  if (extension === '' && bad === 0) return rowsIn(content)
  throw new UsageError(`--inputs: line ${bad + 1} is no JSON: ${(lines[bad] as string).slice(0, 60)}`)
}

function rowsIn(content: string): readonly unknown[] {
  const { data, errors } = papaparse.parse(content.trimEnd(), { header: true, dynamicTyping: true, skipEmptyLines: true })
  // A table of one column has no separator to be found.
  const [error] = errors.filter(({ code }) => code !== 'UndetectableDelimiter')
  if (error !== undefined) throw new UsageError(`--inputs: row ${(error.row ?? 0) + 1}: ${error.message}`)
  return data
}

/** Returns undefined for a text that is no JSON. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
