import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needsOf } from '../src/executors/program-needs.ts'
import { computeLocal, type LocalGrid } from '../src/index.ts'
import { bundleProgram } from '../src/shell/bundle.ts'

const harmful = join(import.meta.dirname, 'programs/harmful.ts')
/** A library that asks for all kinds of modules, as many packages do (UMD). */
const umd = `
;(function (root, factory) {
  if (typeof define === 'function' && define.amd) define([], factory)
  else if (typeof module === 'object' && module.exports) module.exports = factory()
  else root.statistics = factory()
})(typeof globalThis !== 'undefined' ? globalThis : typeof self !== 'undefined' ? self : this, function () {
  var crypto
  try { crypto = require('crypto') } catch (error) {}
  var isNode = typeof process === 'object' && typeof require === 'function'
  return { isNode: isNode, hasCrypto: !!crypto, mean: function (list) { return list.reduce(function (a, b) { return a + b }, 0) / list.length } }
})
`
const folder = mkdtempSync(join(tmpdir(), 'jel-harmful-'))

afterAll(() => rmSync(folder, { recursive: true }))

describe.each(['own', 'sandbox'] as const)('a program that runs as %s', (place) => {
  let grid: LocalGrid
  beforeAll(() => {
    grid = computeLocal({ workers: 1, cache: folder, place, limits: { time: 20_000, memory: 64 } })
  })
  afterAll(async () => await grid.close())
  const resultOf = async (fn: string, input?: unknown): Promise<unknown> => (await grid.submit(harmful, fn, input)).result

  it('may spawn children whose inputs exceed one frame', async () => {
    expect(await resultOf('sends', 5)).toBe(5_000_000)
  })

  it('that reaches the limit of its heap ends only its own process', async () => {
    await expect(resultOf('pushes')).rejects.toMatchObject({
      code: 'TASK_POISONOUS',
      message: expect.stringContaining('more memory than a task may take'),
    })
    expect(await resultOf('rests', 1)).toBe('rested')
  })

  it.each([
    ['throwsNothing', 'it threw something that has no text'],
    ['throwsMember', 'mine'],
    ['throwsLater', 'nobody catches this'],
  ])('fails with the value that it throws: %s', async (fn, message) => {
    await expect(resultOf(fn)).rejects.toMatchObject({ code: 'TASK_THREW', message, member: 'local', tries: 1 })
  })

  it('may leave a failing timer behind, and its next task goes on', async () => {
    expect(await resultOf('leavesBehind')).toBe('rested')
  })

  it('may have text that looks like code or comments', async () => {
    const words = ['<!-- x -->', '<!-- 2 -->', 'import("x")', 'an import (of tea)', "\\import('y')", '😀-->']
    expect(await resultOf('speaks', 2)).toEqual([...words, true, true, 2])
  })

  it('may import a library that asks which kinds of modules there are', async () => {
    writeFileSync(join(folder, 'statistics.cjs'), umd)
    const program = join(folder, 'program.js')
    const exported = 'export const mean = (list) => ({ ...statistics, mean: statistics.mean(list) })'
    writeFileSync(program, `import statistics from './statistics.cjs'\n${exported}\n`)
    // It finds the same in both places: members must agree on values.
    expect(await (await grid.map(program, 'mean', [[1, 2, 6]])).result).toEqual([{ isNode: false, hasCrypto: false, mean: 3 }])
    // It runs at members that do not trust its owner.
    expect(needsOf(new TextDecoder().decode(await bundleProgram(program, 'mean')))).toEqual({ needs: [], unknown: [] })
  })

  it('may ask which names exist', async () => {
    expect(await resultOf('guarded')).toEqual([true, 'string'])
  })
})

it('a program that only asks whether names exist does not need them', async () => {
  expect(needsOf(new TextDecoder().decode(await bundleProgram(harmful)))).toEqual({ needs: [], unknown: [] })
})
