/**
 * The initial inputs of the fuzzer: a file for each target, with one input a line in hexadecimal.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

function fileOf(target: string): string {
  return fileURLToPath(new URL(`corpus/${target}.txt`, import.meta.url))
}

export function readCorpus(target: string): Uint8Array[] {
  const file = fileOf(target)
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => Uint8Array.from(Buffer.from(line, 'hex')))
}

export function writeCorpus(target: string, inputs: readonly Uint8Array[]): void {
  writeFileSync(fileOf(target), inputs.map((input) => `${Buffer.from(input).toString('hex')}\n`).join(''))
}
