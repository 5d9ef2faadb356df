import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { SweepOutput, type SweepOutputFlags } from './sweep-output.ts'

let folder: string
let [out, err] = ['', '']

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'jel-output-'))
  ;[out, err] = ['', '']
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => (out += String(text)) !== '')
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => (err += String(text)) !== '')
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

const inputs = [1, 2]
const outcomes = [4, 5].map((value) => ({ status: 'fulfilled', value }) as const)
const come = (output: SweepOutput, ...indices: readonly number[]): void => {
  for (const index of indices) output.one({ event: 'outcome', job: 'j', index, value: outcomes[index]?.value })
}

it.each<[string, SweepOutputFlags, string]>([
  ['lines at the end', {}, '{"input":1,"value":4}\n{"input":2,"value":5}\n'],
  ['a table', { csv: true }, 'input,value\n1,4\n2,5\n'],
  ['events only', { json: true }, ''],
])('standard output has %s', async (_, flags, text) => {
  const output = new SweepOutput(inputs, flags)
  await output.all(outcomes)
  expect({ out, err, isLost: output.isLost }).toEqual({ out: text, err: '', isLost: false })
})

it('each outcome is a line at once, and the complete result replaces the lines of a file', async () => {
  const file = join(folder, 'o.csv')
  const output = new SweepOutput(inputs, { output: file, each: true, csv: true })
  await output.check()
  come(output, 1, 0)
  expect(readFileSync(file, 'utf8')).toBe('{"index":1,"input":2,"value":5}\n{"index":0,"input":1,"value":4}\n')
  await output.all(outcomes)
  expect(readFileSync(file, 'utf8')).toBe('input,value\n1,4\n2,5\n')
  expect({ out, err }).toEqual({ out: '', err: '' })
})

it('outcomes that the file does not take are on standard output, with one reason', async () => {
  const file = join(folder, 'o')
  const output = new SweepOutput(inputs, { output: file, each: true })
  await output.check()
  mkdirSync(file)
  come(output, 1, 0)
  await output.all(outcomes)
  expect(out.split('\n')).toHaveLength(5)
  expect(err).toMatch(/^jel: --output: EISDIR: [^\n]*; the values are on standard output\n$/u)
  expect(output.isLost).toBe(true)
})

it('values that are no array are not written to a .npy file, and the status says so', async () => {
  const output = new SweepOutput(inputs, { output: join(folder, 'x.npy') })
  await output.all([{ status: 'fulfilled', value: 'a' }, ...outcomes.slice(1)])
  expect(output.isLost).toBe(true)
  expect(out).toContain('"value":"a"')
})
