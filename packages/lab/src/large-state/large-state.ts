/**
 * Measures the time in which a newcomer receives the state of a large pool, and the memory that
 * this takes. Tests whether the introducer serves another link meanwhile.
 */
import { seconds, whole } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import { trial } from './trial.ts'

export const experiment = bench({
  about: 'the time in which a newcomer receives thousands of members',
  settings: {
    members: whole(6_000, 'members that the newcomer receives'),
    tag: whole(1_024, "bytes of each member's tag", 0),
    within: seconds(120, 'most seconds that it may take'),
  },
  measure: ({ members, tag, within }) => trial(members, tag, within),
  table: ({ seconds, processor, megabytes, introducerMegabytes, slowestProbe, probes, died, isUp }) =>
    `all known after ${seconds.toFixed(2)} s (${processor.toFixed(1)} s of the newcomer's processor time), at most ${megabytes.toFixed(0)} MB resident (its introducer: ${introducerMegabytes.toFixed(0)} MB)
${probes} probes of another link answered meanwhile, the slowest after ${slowestProbe.toFixed(0)} ms; that link is ${isUp ? 'up' : 'down'}
${died} of the members, which have no process, were declared dead`,
  passed: ({ isUp, slowestProbe }) => isUp && Number.isFinite(slowestProbe),
})
