/** A member that this node lost, and others that accuse it. */
import { actors, alarm, type Actor } from './actors.ts'
import type { Bench } from './bench.ts'
import { lose, poolOf } from './detection.ts'

const everyone = actors(40)
export const [self, ...others] = everyone as [Actor, ...Actor[]]
export const [suspect, bob, carol, dave] = others as [Actor, Actor, Actor, Actor]

/** This node among so many members in all. */
export const pool = (size: number): Bench => poolOf(self, others.slice(0, size - 1))

/** This node accuses the suspect, and a refutation would be here by now. */
export function accused(size: number): Bench {
  const bench = pool(size)
  lose(bench, suspect)
  bench.advance(100)
  return bench
}

/** These members tell this node that they accuse one. */
export function tell(bench: Bench, accusers: readonly Actor[], beat: number, of = suspect): void {
  for (const actor of accusers) bench.receive(actor, alarm(actor.suspects(of, beat)))
}
