/** The rules that hold in each state of an exploration. */
import type { LedgerMessage } from '../src/core/messages.ts'
import type { Log } from '../src/core/log.ts'
import { restore } from '../src/core/store.ts'
import type { Held, SeatNode, step } from './seat-node.ts'

export type Fact =
  | { readonly type: 'leads'; readonly term: number; readonly seat: string }
  | { readonly type: 'commits'; readonly term: number; readonly index: number; readonly hash: string }

/** The entries that a step has committed. */
export function factsOf({ node, effects }: ReturnType<typeof step>): Fact[] {
  const term = node.state?.term ?? 0
  return effects.flatMap((effect): Fact[] => {
    if (effect.type !== 'committed') return []
    return effect.entries.map(({ hash }, at) => ({ type: 'commits', term, index: effect.first + at, hash }))
  })
}

/** All that was true at some time of a history. */
export interface Ghost {
  readonly leaders: Readonly<Record<number, string>>
  readonly committed: readonly { readonly hash: string; readonly term: number }[]
}

/**
 * One leader a term, and once. One entry an index. A leader has all that was committed in earlier
 * terms.
 */
export function withFacts({ leaders, committed }: Ghost, facts: readonly Fact[], log: Log | undefined): Ghost {
  let ghost = { leaders, committed }
  for (const fact of facts) {
    if (fact.type === 'leads') {
      const { term, seat } = fact
      if (ghost.leaders[term] !== undefined) throw new Error(`two leaders in term ${term}: ${ghost.leaders[term]}, ${seat}`)
      ghost = { ...ghost, leaders: { ...ghost.leaders, [term]: seat } }
      for (const [at, entry] of ghost.committed.entries())
        if (entry.term < term && at + 1 >= (log?.snapshot.index ?? 0) && log?.hashAt(at + 1) !== entry.hash)
          throw new Error(`the leader of term ${term} lacks the committed entry ${at + 1}`)
    } else {
      const { index, hash, term } = fact
      const known = ghost.committed[index - 1]
      if (known !== undefined && known.hash !== hash) throw new Error(`two entries are committed at ${index}`)
      if (known === undefined) ghost = { ...ghost, committed: [...ghost.committed, { hash, term }] }
    }
  }
  return ghost
}

/** Log matching: two entries of one index and one term are the same, and so are all before. */
export function checkLogs(one: Log | undefined, other: Log | undefined): void {
  if (one === undefined || other === undefined) return
  const first = Math.max(one.snapshot.index, other.snapshot.index)
  for (let index = first; index <= Math.min(one.lastIndex, other.lastIndex); index++)
    if (one.termAt(index) === other.termAt(index) && one.hashAt(index) !== other.hashAt(index)) throw new Error(`logs differ at ${index}`)
}

/** A change of voters begins when the one before it is committed. */
export function checkChanges(log: Log | undefined, { committed }: Ghost): void {
  if ((log?.before?.index ?? 0) > committed.length) throw new Error('two changes of voters are not committed')
}

/** A promise that others hear is on the disk. */
export function checkPromises({ node, sent }: { readonly node: SeatNode; readonly sent: readonly Held[] }, seat: string): void {
  const disk = restore(node.synced)
  for (const { to, message } of sent as readonly { to: string; message: LedgerMessage }[]) {
    if (message.type === 'voted' && message.ok && disk?.term === message.term && disk.votedFor !== to)
      throw new Error(`${seat} forgets a vote`)
    if ((message.type === 'voted' && message.ok) || message.type === 'vote')
      if ((disk?.term ?? 0) < message.term) throw new Error(`${seat} votes before it has synced`)
    if (message.type === 'appended' && message.ok && (disk?.log.lastIndex ?? 0) < message.index && disk?.term === message.term)
      throw new Error(`${seat} acknowledges before it has synced`)
  }
}
