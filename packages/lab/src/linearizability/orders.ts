/**
 * Ordered messages as a sequential object: a log where each message has an index of its own. The
 * indexes are known, and so is the only order that can explain a history. It needs no search.
 */
import type { Operation } from './model.ts'
import { joinSequences, unaware, type Log, type Problem, type Sequence } from './sequences.ts'

/** The payload of a message, and the index that its sender was told. No payload is sent twice. */
export type OrderOperation = Operation<string, number>

/**
 * Checks messages, and the events that members were told. Returns what is wrong.
 *
 * `refused`: payloads whose senders were told that they have no effect.
 */
export function orderProblems(
  history: readonly OrderOperation[],
  sequences: readonly Sequence[],
  refused: ReadonlySet<string> = new Set(),
): readonly Problem[] {
  const { problems, log } = joinSequences(sequences)
  return [
    ...problems,
    ...contentProblems(history, log, refused),
    ...acknowledgedProblems(history, log, sequences),
    ...timeProblems(history, log),
  ]
}

/** A payload must have been sent, and must have one place. */
function contentProblems(history: readonly OrderOperation[], log: Log, refused: ReadonlySet<string>): Problem[] {
  const sent = new Set(history.map(({ input }) => input))
  const places = Map.groupBy(log, ([, content]) => content)
  return [...places].flatMap(([content, all]): Problem[] => {
    const indexes = all.map(([index]) => index).join(', ')
    if (refused.has(content)) return [{ kind: 'unexplained', text: `${content} was refused, and is at ${indexes}` }]
    if (!sent.has(content)) return [{ kind: 'unexplained', text: `${content}, at ${indexes}, was never sent` }]
    return all.length > 1 ? [{ kind: 'twice', text: `${content} has several places: ${indexes}` }] : []
  })
}

/** A message that was acknowledged must be where its sender was told. */
function acknowledgedProblems(history: readonly OrderOperation[], log: Log, sequences: readonly Sequence[]): Problem[] {
  const problems: Problem[] = []
  const owners = new Map<number, string>()
  for (const { input, output } of history) {
    if (output === undefined) continue
    const other = owners.get(output)
    if (other !== undefined) problems.push({ kind: 'different', text: `${other} and ${input} were both told ${output}` })
    owners.set(output, input)
    const there = log.get(output)
    if (there !== undefined && there !== input) problems.push({ kind: 'lost', text: `${input} was told ${output}, where ${there} is` })
    // A message that some member was told of, and another was not, is a problem of the sequences.
    const member = unaware(output, log, sequences)
    if (member !== undefined) problems.push({ kind: 'lost', text: `${input} was told ${output}, and is missing at ${member}` })
  }
  return problems
}

/** A message comes after all messages that had their places when it was sent. */
function timeProblems(history: readonly OrderOperation[], log: Log): Problem[] {
  const places = new Map([...log].map(([index, content]) => [content, index]))
  const placed = history.flatMap(({ input, called, returned = Infinity, output }) => {
    const index = output ?? places.get(input)
    return index === undefined ? [] : [{ input, called, returned, index }]
  })
  const problems: Problem[] = []
  let latest: (typeof placed)[number] | undefined
  for (const message of placed.toSorted((a, b) => a.index - b.index)) {
    if (latest !== undefined && message.returned < latest.called)
      problems.push({
        kind: 'unexplained',
        text: `${latest.input}, at ${latest.index}, was sent after ${message.input} was told ${message.index}`,
      })
    if (latest === undefined || message.called > latest.called) latest = message
  }
  return problems
}
