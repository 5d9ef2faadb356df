import type { Answer } from '../src/core/call-messages.ts'
import type { Reign } from '../src/core/history.ts'
import type { Replica } from '../src/core/replica.ts'

/** An operation of a client, and what became of it. */
export interface Operation {
  readonly key: string
  readonly caller: string
  answer?: Answer
  /** The members that had it when it was acknowledged. */
  having: readonly string[]
}

export interface Node {
  readonly id: string
  readonly replica: Replica
  isAlive: boolean
  isStanding: boolean
  isStopped: boolean
  side: number
  wake: number
  /** The instances that this member sees. */
  view: Set<string>
  reign: Reign | undefined
}
