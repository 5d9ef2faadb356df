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

describe.skipIf(executablePath === undefined)('every other member is a tab of Chromium (skipped where there is none)', () => {
  acceptance(
    { name: 'hosts and tabs', create: async () => await TabSwarm.create(), size: 5, scale: 6, watchShare: 0.2, lacks },
    {
      describe,
      it: Object.assign((name: string, body: () => Promise<void>) => (BEYOND.includes(name) ? it.fails : it)(name, body), {
        skip: it.skip,
      }),
    },
  )
})
