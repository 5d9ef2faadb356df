/**
 * Fuzzes every decoder, guided by coverage.
 *
 *     pnpm fuzz --seconds 60 --only frame --keep
 */
import { parseArgs } from 'node:util'
import { readCorpus, writeCorpus } from './corpus.ts'
import { Fuzzer } from './fuzzer.ts'
import { instrument, takeCounters } from './instrument.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    only: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) {
  console.log(`pnpm fuzz [options]

  --seconds 10   for each target
  --only NAME    one target
  --seed 1       of the mutations: one seed and one number of runs, one result
  --keep         write the inputs that reached something new to the corpus`)
} else {
  instrument(/packages\/(protocol|overlay)\/src\//u)
  // Not before: what is loaded already is not instrumented.
  const { createRandom } = await import('@jel/protocol')
  const { targets } = await import('./targets.ts')
  const counters = takeCounters()
  for (const [name, target] of Object.entries(targets)) {
    if (values.only !== '' && values.only !== name) continue
    const fuzzer = new Fuzzer(target, counters, createRandom(Number(values.seed)))
    const end = performance.now() + Number(values.seconds) * 1_000
    let found
    for (const input of readCorpus(name)) found ??= fuzzer.try(input)
    found ??= fuzzer.run(() => performance.now() >= end)
    console.log(`${name}: ${fuzzer.runs} runs, ${fuzzer.reached} places reached, ${fuzzer.corpus.length} inputs kept`)
    if (found) {
      console.error(`${name} failed on ${Buffer.from(found.input).toString('hex')}`)
      console.error(found.error)
      process.exitCode = 1
    } else if (values.keep) writeCorpus(name, fuzzer.corpus)
  }
}
