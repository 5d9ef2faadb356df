import { acceptance } from '@jel/conformance'
import { afterAll, describe, it } from 'vitest'
import { lacks } from './real-swarm.ts'
import { closeBrowser, executablePath, TabSwarm } from './tab-swarm.ts'

/**
 * Nobody dials a tab. So a tab that is alone can't be joined, and others can't tell it from a dead
 * one.
 */
const BEYOND = ['a member that stays behind alone can be joined', 'the last member reports that all others were killed at once']

afterAll(closeBrowser)

/** A tab takes a second to start. So usually each fourth case runs. `TABS=1` runs all. */
const apart = process.env['TABS'] === undefined ? 4 : 1
let cases = 0

/** The way in which a case runs. */
function wayOf(name: string): (title: string, body: () => Promise<void>) => void {
  return cases++ % apart > 0 ? it.skip : BEYOND.includes(name) ? it.fails : it
}

describe.skipIf(executablePath === undefined)('every other member is a tab of Chromium (skipped where there is none)', () => {
  acceptance(
    { name: 'hosts and tabs', create: async () => await TabSwarm.create(), size: 5, scale: 6, watchShare: 0.2, lacks },
    { describe, it: Object.assign((name: string, body: () => Promise<void>) => wayOf(name)(name, body), { skip: it.skip }) },
  )
})
