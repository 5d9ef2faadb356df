/** Judges a whole run by its history and by all events. */
import { electionProblems } from './elections.ts'
import type { History } from './history.ts'
import { orderProblems } from './orders.ts'
import type { Problem, Sequence } from './sequences.ts'
import type { Told } from './told.ts'

/** A process of a member, and what it was told. */
export interface Life {
  readonly name: string
  readonly told: Told
}

/** The operations of all clients. */
type Asked = Pick<History, 'orders'> & Partial<Pick<History, 'elections' | 'sightings' | 'refused'>>

/** Returns what is wrong. */
export function judge({ orders, elections = [], sightings = [], refused }: Asked, lives: readonly Life[]): readonly Problem[] {
  const names = new Set(lives.flatMap(({ told }) => told.elections))
  const reigns = new Map([...names].map((each) => [each, lives.flatMap(({ name, told }) => told.electedBy(name, each))]))
  const ordered = lives.flatMap(({ name, told }) => told.orderedBy(name))
  return [
    ...orderProblems(orders, ordered, refused),
    ...electionProblems({ operations: elections, sightings, told: reigns }),
    ...sharedIndexes(ordered, [...reigns.values()].flat()),
  ]
}

/** An entry of the ledger is a message or begins a reign, but not both. */
function sharedIndexes(ordered: readonly Sequence[], elected: readonly Sequence[]): Problem[] {
  const messages = new Map(ordered.flatMap(({ events }) => events.map(({ index, content }) => [index, content])))
  const epochs = new Set(elected.flatMap(({ events }) => events.map(({ index }) => index)))
  return [...epochs]
    .filter((epoch) => messages.has(epoch))
    .map((epoch) => ({ kind: 'different', text: `${epoch} is an epoch, and the index of ${messages.get(epoch)}` }))
}
