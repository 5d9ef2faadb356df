import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { inCheckout } from '../base/paths.ts'
import { singleTestFaults } from './single-test-faults.ts'
import { faults } from './faults.ts'

const all = [...faults.map((fault) => ({ ...fault, file: `packages/protocol/src/${fault.file}` })), ...singleTestFaults]

describe('a planted fault', () => {
  it('has a place that occurs exactly once in the sources', () => {
    const lost = all.filter(({ file, from }) => readFileSync(inCheckout(file), 'utf8').split(from).length !== 2)
    expect(lost.map(({ name }) => name)).toEqual([])
  })

  it('names an existing test, because a missing test would fail with any fault', () => {
    const missing = all.flatMap((fault) => ('test' in fault ? [fault.test] : [])).filter((file) => !existsSync(inCheckout(file)))
    expect(missing).toEqual([])
  })

  it('selects an existing test by its title', () => {
    const missing = faults.filter(({ simulation: [file, flag, title = ''] }) => {
      // A pattern that joins titles of two levels is not checked.
      if (flag !== '-t' || title.includes('.*') || file === 'conformance.test.ts') return false
      return !readFileSync(inCheckout(`packages/simulator/test/${file}`), 'utf8').includes(title.replace(/^seed \d$/u, 'seed %i'))
    })
    expect(missing.map(({ name }) => name)).toEqual([])
  })

  it('has a unique name', () => {
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
  })
})
