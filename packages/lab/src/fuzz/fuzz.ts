/** Fuzzes every decoder. Coverage guides the fuzzer. */
import { flag, positive, someOf, whole } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import { readCorpus, writeCorpus } from './corpus.ts'
import { Fuzzer } from './fuzzer.ts'
import { instrument, takeCounters } from './instrument.ts'

/**
 * The names in `targets.ts`. This module can't import them, because Node must load that file after
 * the instrumentation.
 */
const TARGETS = ['frame', 'broadcast', 'address', 'address-text', 'pool-key', 'node'] as const

export const experiment = bench({
  about: 'every decoder on made-up input',
  settings: {
    seconds: positive(10, 'seconds for each target'),
    only: someOf(TARGETS, 'targets'),
    seed: whole(1, 'seed of the mutations; one seed gives the same result after the same number of runs', 0),
    keep: flag('write the inputs that reached new code to the corpus'),
  },
  async measure({ seconds, only, seed, keep }) {
    instrument(/packages\/(protocol|overlay)\/src\//u)
    // These imports come after `instrument`, because it does not instrument modules that Node has
    // already loaded.
    const { createRandom } = await import('@jel/protocol')
    const { targets } = await import('./targets.ts')
    const counters = takeCounters()
    let isSound = true
    for (const name of TARGETS.filter((each) => only.includes(each))) {
      const fuzzer = new Fuzzer(targets[name], counters, createRandom(seed))
      const end = performance.now() + seconds * 1_000
      let found
      for (const input of readCorpus(name)) found ??= fuzzer.try(input)
      found ??= fuzzer.run(() => performance.now() >= end)
      console.log(`${name}: ${fuzzer.runs} runs, ${fuzzer.reached} places reached, ${fuzzer.corpus.length} inputs kept`)
      if (found) {
        console.error(`${name} failed on ${Buffer.from(found.input).toString('hex')}`)
        console.error(found.error)
        isSound = false
      } else if (keep) writeCorpus(name, fuzzer.corpus)
    }
    return isSound
  },
  passed: (isSound) => isSound,
})
