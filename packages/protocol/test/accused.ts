/** A member that this node lost, and others that accuse it. */
import { actors, alarm, type Actor } from './actors.ts'
import type { Bench } from './bench.ts'
import { lose, poolOf } from './detection.ts'

const everyone = actors(40)
export const [self, ...others] = everyone as [Actor, ...Actor[]]
export const [suspect, bob, carol, dave] = others as [Actor, Actor, Actor, Actor]

/** Returns this node in a pool of this size. */
export const pool = (size: number): Bench => poolOf(self, others.slice(0, size - 1))

/** Returns a node that accuses the suspect. A refutation would have arrived before. */
export function accused(size: number): Bench {
  const bench = pool(size)
  lose(bench, suspect)
  bench.advance(100)
  return bench
}

/** Lets these members send accusations of `of` to this node. */
export function tell(bench: Bench, accusers: readonly Actor[], heartbeat: number, of = suspect): void {
  for (const actor of accusers) bench.receive(actor, alarm(actor.suspects(of, heartbeat)))
}
