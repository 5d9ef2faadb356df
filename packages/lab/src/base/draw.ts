/**
 * A draw: a file with all values of each row that one run of a benchmark measured, for comparison
 * with other runs.
 */
import { readFileSync, writeFileSync } from 'node:fs'

export interface DrawnRow {
  readonly name: string
  readonly unit: string
  readonly better: 'less' | 'more'
  /** `Infinity` for a value that never came. */
  readonly values: readonly number[]
}

export function writeDraw(file: string, rows: readonly DrawnRow[]): void {
  writeFileSync(file, JSON.stringify(rows.map((row) => ({ ...row, values: row.values.map(String) }))))
}

export function readDraw(file: string): DrawnRow[] {
  const rows = JSON.parse(readFileSync(file, 'utf8')) as (Omit<DrawnRow, 'values'> & { readonly values: readonly string[] })[]
  return rows.map((row) => ({ ...row, values: row.values.map(Number) }))
}
