/**
 * Measures how long a newcomer takes to receive the state of a large pool, the memory that this
 * costs, and whether other links are served during that time.
 *
 *     pnpm lab large-state --members 6000 --tag 1024
 */
import { positive, command, whole, type Values } from '../base/program.ts'
import { trial } from './trial.ts'

const USAGE = `pnpm lab large-state [options]

  --members 6000   members that the newcomer is told
  --tag 1024       bytes of each one's tag
  --within 120     seconds it may take
`

const options = {
  members: { type: 'string', default: '6000' },
  tag: { type: 'string', default: '1024' },
  within: { type: 'string', default: '120' },
} as const

async function main(values: Values<typeof options>): Promise<number> {
  const figures = await trial(whole('members', values.members, 1), whole('tag', values.tag, 0), positive('within', values.within) * 1_000)
  const { seconds, processor, megabytes, tellerMegabytes, slowestProbe, probes, died, isUp } = figures
  console.log(`all known after ${seconds.toFixed(2)} s (${processor.toFixed(1)} s of the newcomer's processor time), at most ${megabytes.toFixed(0)} MB resident (who told it: ${tellerMegabytes.toFixed(0)} MB)
${probes} probes of another link answered meanwhile, the slowest after ${slowestProbe.toFixed(0)} ms; that link is ${isUp ? 'up' : 'down'}
${died} of the members, which have no process, held for dead`)
  return isUp && Number.isFinite(slowestProbe) ? 0 : 1
}

export const experiment = command(USAGE, options, main)
