/**
 * Fuzzes every decoder, guided by coverage.
 *
 *     pnpm lab fuzz --seconds 60 --only frame --keep
 */
import { chosen, positive, command, type Values, whole } from '../base/program.ts'
import { readCorpus, writeCorpus } from './corpus.ts'
import { Fuzzer } from './fuzzer.ts'
import { instrument, takeCounters } from './instrument.ts'

const USAGE = `pnpm lab fuzz [options]

  --seconds 10   for each target
  --only NAME    some targets, with commas between them
  --seed 1       of the mutations: one seed and one number of runs, one result
  --keep         write the inputs that reached something new to the corpus
`

const options = {
  seconds: { type: 'string', default: '10' },
  only: { type: 'string' },
  seed: { type: 'string', default: '1' },
  keep: { type: 'boolean', default: false },
} as const

async function main(values: Values<typeof options>): Promise<number> {
  const [seconds, seed] = [positive('seconds', values.seconds), whole('seed', values.seed, 0)]
  instrument(/packages\/(protocol|overlay)\/src\//u)
  // Imported after `instrument`: modules that are loaded already are not instrumented.
  const { createRandom } = await import('@jel/protocol')
  const { targets } = await import('./targets.ts')
  const known = Object.keys(targets)
  const only = values.only === undefined ? known : chosen('only', values.only, known)
  const counters = takeCounters()
  let failed = false
  for (const [name, target] of Object.entries(targets)) {
    if (!only.includes(name)) continue
    const fuzzer = new Fuzzer(target, counters, createRandom(seed))
    const end = performance.now() + seconds * 1_000
    let found
    for (const input of readCorpus(name)) found ??= fuzzer.try(input)
    found ??= fuzzer.run(() => performance.now() >= end)
    console.log(`${name}: ${fuzzer.runs} runs, ${fuzzer.reached} places reached, ${fuzzer.corpus.length} inputs kept`)
    if (found) {
      console.error(`${name} failed on ${Buffer.from(found.input).toString('hex')}`)
      console.error(found.error)
      failed = true
    } else if (values.keep) writeCorpus(name, fuzzer.corpus)
  }
  return failed ? 1 : 0
}

export const experiment = command(USAGE, options, main)
