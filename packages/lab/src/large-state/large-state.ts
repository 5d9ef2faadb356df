/**
 * Measures how long a newcomer takes to receive the state of a large pool, the memory that this
 * costs, and whether other links are served during that time.
 */
import { seconds, whole } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import { trial } from './trial.ts'

export const experiment = bench({
  about: 'thousands of members told to a newcomer',
  settings: {
    members: whole(6_000, 'members that the newcomer is told'),
    tag: whole(1_024, "bytes of each one's tag", 0),
    within: seconds(120, 'seconds it may take'),
  },
  measure: ({ members, tag, within }) => trial(members, tag, within),
  table: ({ seconds, processor, megabytes, tellerMegabytes, slowestProbe, probes, died, isUp }) =>
    `all known after ${seconds.toFixed(2)} s (${processor.toFixed(1)} s of the newcomer's processor time), at most ${megabytes.toFixed(0)} MB resident (who told it: ${tellerMegabytes.toFixed(0)} MB)
${probes} probes of another link answered meanwhile, the slowest after ${slowestProbe.toFixed(0)} ms; that link is ${isUp ? 'up' : 'down'}
${died} of the members, which have no process, held for dead`,
  passed: ({ isUp, slowestProbe }) => isUp && Number.isFinite(slowestProbe),
})
