/** Judges whether every node received all events, once and in order. */
import type { Seen } from './application.ts'

export interface Observation {
  readonly id: string
  readonly seen: readonly Seen[]
  /** The application blocked its thread, and received signals during that time. */
  readonly blocked: boolean
}

export interface Expected {
  /** Number of signals `0`, `1`, …, sent one after the other. */
  readonly signals: number
  /** Ids of the members that joined during the block, and of those among them that left again. */
  readonly came: readonly string[]
  readonly left: readonly string[]
}

export function problemsOf(observations: readonly Observation[], expected: Expected): string[] {
  return observations.flatMap((observation) => [...livesOf(observation), ...missingOf(observation, expected)])
}

/** Each incarnation must have one `joined`, then at most one end, and no death. */
function livesOf({ id, seen }: Observation): string[] {
  const states = new Map<string, string>()
  const problems: string[] = []
  for (const { type, subject } of seen) {
    if (type === 'signal') continue
    const before = states.get(subject)
    states.set(subject, type)
    if (type === 'died') problems.push(`${id} was told that ${subject} died`)
    if (before !== (type === 'joined' ? undefined : 'joined'))
      problems.push(`${id} was told "${type}" of ${subject} after "${before ?? 'nothing'}"`)
  }
  return problems
}

function missingOf({ id, seen, blocked }: Observation, { signals, came, left }: Expected): string[] {
  const told = (type: string, who: string): boolean => seen.some((each) => each.type === type && each.subject.startsWith(`${who}/`))
  const problems = [
    ...came.filter((who) => !told('joined', who)).map((who) => `${id} was not told that ${who} joined`),
    ...left.filter((who) => !told('left', who)).map((who) => `${id} was not told that ${who} left`),
  ]
  const got = seen.filter(({ type }) => type === 'signal').map(({ subject }) => subject)
  const sent = blocked ? Array.from({ length: signals }, (_, i) => `${i}`) : []
  if (got.join() !== sent.join()) problems.push(`${id} got the signals ${got.join()}`)
  return problems
}
