/** Uniform elections as a sequential object: one reign after the other for each name. */
import { check } from './check.ts'
import type { Model, Operation } from './model.ts'
import { joinSequences, unaware, type Log, type Problem, type Sequence } from './sequences.ts'

/** A reign. Its epoch is its place among all reigns of its election. */
export interface Reign {
  readonly epoch: number
  readonly winner: string
}

/**
 * `by`: the member that asks. An `elect` makes it a candidate, and a `withdraw` takes that back.
 */
export interface ElectionInput {
  readonly type: 'elect' | 'confirm' | 'withdraw'
  readonly election: string
  readonly by: string
}

/** The reign that stood at one moment of the call. Undefined: nobody reigned, or `withdraw`. */
interface ElectionOutput {
  readonly reign: Reign | undefined
}

/**
 * A moment at which somebody knew of a reign, from an event or from an answer that may be late: the
 * reign had begun by then. It may have ended, too.
 */
export interface Sighting {
  readonly election: string
  readonly reign: Reign
  readonly at: number
}

export type ElectionOperation = Operation<ElectionInput, ElectionOutput>

interface State {
  /** The latest reign that anybody saw. */
  readonly reign: Reign
  /** True if the latest reign stands no longer. */
  readonly hasEnded: boolean
  readonly candidates: readonly string[]
}

/**
 * One election. A reign may end without an operation, because the life of its winner may. A later
 * reign has a higher epoch, and its winner is a candidate.
 */
const electionModel: Model<State, ElectionInput, ElectionOutput> = {
  initial: { reign: { epoch: 0, winner: '' }, hasEnded: true, candidates: [] },
  step(state, { type, by }, output) {
    if (type === 'withdraw') {
      const candidates = state.candidates.filter((each) => each !== by)
      return { ...state, candidates, hasEnded: state.hasEnded || state.reign.winner === by }
    }
    const isNew = type === 'elect' && !state.candidates.includes(by)
    const asked = isNew ? { ...state, candidates: [...state.candidates, by].toSorted() } : state
    return output === undefined ? asked : observed(asked, output.reign)
  },
  key: ({ reign, hasEnded, candidates }) => `${reign.epoch} ${reign.winner} ${hasEnded} ${candidates.join()}`,
}

function observed(state: State, reign: Reign | undefined): State | undefined {
  if (reign === undefined) return { ...state, hasEnded: true }
  const { epoch, winner } = state.reign
  if (reign.epoch === epoch) return reign.winner === winner && !state.hasEnded ? state : undefined
  if (reign.epoch < epoch || !state.candidates.includes(reign.winner)) return undefined
  return { ...state, reign, hasEnded: false }
}

/** All that is known of elections. */
export interface ElectionHistory {
  readonly operations: readonly ElectionOperation[]
  readonly sightings?: readonly Sighting[]
  /**
   * The events that members were told of: the epoch is the index, and the winner is the content.
   */
  readonly told?: ReadonlyMap<string, readonly Sequence[]>
}

/** Checks each election by itself. Returns what is wrong. */
export function electionProblems({ operations, sightings = [], told = new Map() }: ElectionHistory, steps?: number): readonly Problem[] {
  const byName = Map.groupBy(operations, ({ input }) => input.election)
  const seenByName = Map.groupBy(sightings, ({ election }) => election)
  return [...new Set([...byName.keys(), ...seenByName.keys(), ...told.keys()])].flatMap((name) => {
    const own = byName.get(name) ?? []
    const seen = seenByName.get(name) ?? []
    const sequences = told.get(name) ?? []
    const { problems, log } = joinSequences(sequences)
    const answers = own.flatMap(({ output }) => output?.reign ?? [])
    return [
      ...problems,
      ...reignProblems([...answers, ...seen.map(({ reign }) => reign)], log, sequences),
      ...lateProblems(own, seen),
      ...orderProblems(own, steps),
    ].map((each) => ({ ...each, text: `${name}: ${each.text}` }))
  })
}

/**
 * Answers and events name the same winner of an epoch. Each reign in an answer is also in the
 * events.
 */
function reignProblems(reigns: readonly Reign[], log: Log, sequences: readonly Sequence[]): Problem[] {
  const winners = new Map(log)
  const problems = reigns.flatMap(({ epoch, winner }): Problem[] => {
    const known = winners.get(epoch) ?? winner
    winners.set(epoch, known)
    if (known !== winner) return [{ kind: 'different', text: `epoch ${epoch} has two winners, ${known} and ${winner}` }]
    const member = unaware(epoch, log, sequences)
    return member === undefined ? [] : [{ kind: 'lacking', text: `${member} was not told of epoch ${epoch}` }]
  })
  return [...new Map(problems.map((each) => [each.text, each])).values()]
}

/** A reign that begins ends the last one. So nobody that asks later may have an older one. */
function lateProblems(operations: readonly ElectionOperation[], sightings: readonly Sighting[]): Problem[] {
  const seen = sightings.toSorted((a, b) => a.at - b.at)
  let at = 0
  let latest: Sighting | undefined
  return operations
    .toSorted((a, b) => a.called - b.called)
    .flatMap(({ input, called, output }): Problem[] => {
      for (let next = seen[at]; next !== undefined && next.at < called; next = seen[++at])
        if (latest === undefined || next.reign.epoch > latest.reign.epoch) latest = next
      const { reign } = output ?? {}
      if (reign === undefined || latest === undefined || reign.epoch >= latest.reign.epoch) return []
      const { epoch, winner } = latest.reign
      return [
        {
          kind: 'unexplained',
          text: `${input.by} was told of epoch ${reign.epoch} by a call at ${called}, and epoch ${epoch} of ${winner} was known at ${latest.at}`,
        },
      ]
    })
}

function orderProblems(operations: readonly ElectionOperation[], steps: number | undefined): Problem[] {
  const verdict = check(electionModel, ofConsequence(operations), steps)
  if (verdict.outcome === 'linearizable') return []
  const place = `${JSON.stringify(verdict.stuck)} after ${verdict.state}`
  const text = verdict.outcome === 'refused' ? `no order explains ${place}` : `the search for an order spent its budget at ${place}`
  return [{ kind: 'unexplained', text }]
}

/**
 * Leaves out operations with an unknown outcome that can't help to explain the others: each one
 * doubles the time. A withdrawal only forbids, and a candidate only matters if it wins.
 */
function ofConsequence(operations: readonly ElectionOperation[]): readonly ElectionOperation[] {
  const winners = new Set(operations.flatMap(({ output }) => output?.reign?.winner ?? []))
  return operations.filter(({ input, returned }) => returned !== undefined || (input.type === 'elect' && winners.has(input.by)))
}
