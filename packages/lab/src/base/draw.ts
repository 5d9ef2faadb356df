/**
 * A draw: a file with all values of each row from one run of a benchmark. `pnpm lab compare`
 * compares the draws of several runs.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { numbersToText, textToNumbers } from './figures.ts'

export interface DrawnRow {
  readonly name: string
  readonly unit: string
  readonly better: 'less' | 'more'
  /** `Infinity`: the measured event never happened. */
  readonly values: readonly number[]
}

export function writeDraw(file: string, rows: readonly DrawnRow[]): void {
  writeFileSync(file, JSON.stringify(rows, numbersToText))
}

export function readDraw(file: string): DrawnRow[] {
  return JSON.parse(readFileSync(file, 'utf8'), textToNumbers) as DrawnRow[]
}
