import type { Apply } from '../core/entry.ts'
import { textOfValue } from '../core/value.ts'
import { InvalidServiceError } from '../errors.ts'

/** Maximum number of replicas of a service. A guess: the primary waits for all its backups. */
const MAX_REPLICAS = 16
/** A primary and two backups. If one of them dies, there is still a backup. A guess. */
export const DEFAULT_REPLICAS = 3

/** The definition of a replicated service. */
export interface Definition {
  readonly version: string
  readonly replicas: number
  readonly initial: unknown
  readonly apply: Apply
  readonly merge?: ((ours: unknown, theirs: unknown) => unknown) | undefined
  readonly minority?: 'refuse' | undefined
  readonly alone?: boolean | undefined
}

/** @throws InvalidServiceError */
export function checkDefinition({ replicas, initial, apply, merge, minority }: Definition): void {
  if (!Number.isInteger(replicas) || replicas < 1 || replicas > MAX_REPLICAS)
    throw new InvalidServiceError(`replicas: must be a whole number from 1 to ${MAX_REPLICAS}`)
  if (typeof apply !== 'function') throw new InvalidServiceError('a service needs one of the functions call and apply')
  if (merge !== undefined && typeof merge !== 'function') throw new InvalidServiceError('merge: must be a function')
  if (minority !== undefined && minority !== 'refuse') throw new InvalidServiceError("minority: must be 'refuse', or be left out")
  try {
    textOfValue(initial)
  } catch (error) {
    throw new InvalidServiceError(`initial: the value ${(error as Error).message}`)
  }
}
