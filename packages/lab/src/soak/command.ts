/**
 * Runs sixty real nodes on loopback that come, go and are killed, and tests that their resources
 * stay flat.
 *
 *     pnpm lab soak --minutes 60 --keep
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { takeChildrenAlong } from '../base/child.ts'
import { positive, command, type Values } from '../base/program.ts'
import { keepFigures, originOf } from '../base/figures.ts'
import { Samples } from './samples.ts'
import { isWithinNoise, shown, table } from './report.ts'
import { SoakSwarm } from './swarm.ts'

const USAGE = `pnpm lab soak [options]

  --minutes 60     how long
  --warm-up 15     minutes at the start that slopes leave out, half of the time at most: what ended is remembered for five,
                   and compilers, pools and buffers grow to their size
  --keep           write all figures to docs/figures/soak.json, and docs/benchmarks.md and docs/soak.svg from there
  --raw FILE       append each sample as it comes, one JSON object a line
  --from FILE      nothing is run: report on what an earlier run wrote with --raw
  --flag FLAG      one of Node's own for all groups, such as --heapsnapshot-signal=SIGUSR2; may be repeated

Exit status 1 if something grew beyond noise, or if a process ended by itself. A run with less than twenty minutes after the warm-up is shown,
and not judged.
`

const options = {
  minutes: { type: 'string', default: '60' },
  'warm-up': { type: 'string', default: '15' },
  keep: { type: 'boolean', default: false },
  raw: { type: 'string' },
  from: { type: 'string' },
  flag: { type: 'string', multiple: true },
} as const

async function main(values: Values<typeof options>): Promise<number> {
  const minutes = positive('minutes', values.minutes)
  const warmUp = positive('warm-up', values['warm-up'])
  const origin = originOf()
  const samples =
    values.from === undefined ? await soak(minutes, values.raw, values.flag ?? []) : Samples.parse(readFileSync(values.from, 'utf8'))
  const report = samples.report(warmUp)
  console.log(table(report))
  if (values.keep) {
    const all = Object.fromEntries(samples.groups.map((group) => [group, samples.of(group)]))
    await keepFigures(shown, origin, { report, samples: all })
  }
  // The slope of a process that died is lost.
  if (samples.lost.length > 0) console.error(`ended by themselves: ${samples.lost.join(', ')}`)
  return samples.lost.length > 0 || !isWithinNoise(report) ? 1 : 0
}

async function soak(minutes: number, raw: string | undefined, flags: readonly string[]): Promise<Samples> {
  takeChildrenAlong()
  const samples = new Samples()
  const swarm = new SoakSwarm(
    {
      sample: (group, sample) => {
        samples.add(group.name, sample)
        if (raw !== undefined) appendFileSync(raw, `${JSON.stringify({ group: group.name, ...sample })}\n`)
      },
      lost: (group) => samples.lose(group.name),
      trouble: (group, text) => console.error(`${new Date().toISOString()} ${group.name}: ${text}`),
    },
    flags,
  )
  try {
    const started = Date.now()
    await swarm.start()
    console.error(`60 nodes after ${Math.round((Date.now() - started) / 1000)} s`)
    const over = new AbortController()
    const churning = swarm.churn(over.signal)
    await delay(minutes * 60_000)
    over.abort()
    await churning
    console.error(`${swarm.killed} processes were killed`)
  } finally {
    await swarm.close()
  }
  return samples
}

export const experiment = command(USAGE, options, main)
