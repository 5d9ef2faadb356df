/** Judges a whole run by its history and by all events. */
import { electionProblems } from '../linearizability/elections.ts'
import { orderProblems } from '../linearizability/orders.ts'
import type { Sequence } from '../linearizability/sequences.ts'
import type { History } from './history.ts'
import type { Told } from './told.ts'

/** A process of a member, and what it was told. */
export interface Life {
  readonly name: string
  readonly told: Told
}

/** Returns what is wrong, in words. */
export function judge(history: History, lives: readonly Life[]): readonly string[] {
  const elected = lives.flatMap(({ name, told }) => told.electedBy(name))
  const reigns = new Map(
    [...Map.groupBy(elected, ([election]) => election)].map(([election, all]) => [election, all.map(([, each]) => each)]),
  )
  const ordered = lives.flatMap(({ name, told }) => told.orderedBy(name))
  return [
    ...orderProblems(history.orders, ordered, history.refused),
    ...electionProblems({ operations: history.elections, sightings: history.sightings, told: reigns }),
    ...sharedIndexes(ordered, [...reigns.values()].flat()),
  ]
}

/** An entry of the ledger is a message or begins a reign, but not both. */
function sharedIndexes(ordered: readonly Sequence[], elected: readonly Sequence[]): string[] {
  const messages = new Map(ordered.flatMap(({ events }) => events.map(({ index, content }) => [index, content])))
  const epochs = new Set(elected.flatMap(({ events }) => events.map(({ index }) => index)))
  return [...epochs].filter((epoch) => messages.has(epoch)).map((epoch) => `${epoch} is an epoch, and the index of ${messages.get(epoch)}`)
}
