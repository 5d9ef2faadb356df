import type { ReplicaContext } from './replica-io.ts'
import { textOfError } from './value.ts'

/**
 * Joins the states of two sides of a partition by the program's `merge`. Returns undefined if that
 * fails: then the operations of one side are applied again.
 */
export function joined(context: ReplicaContext, ours: unknown, theirs: unknown): unknown {
  try {
    // A merge that fails may have changed the states before.
    const state = context.options.merge?.(copyOf(ours), copyOf(theirs))
    const copy = copyOf(state ?? null)
    context.notice('MERGED', 'the states of two sides of a partition were joined')
    return copy
  } catch (error) {
    context.notice('MERGE_FAILED', `merge failed, so the operations of one side are applied again: ${textOfError(error)}`)
    return undefined
  }
}

function copyOf(state: unknown): unknown {
  return JSON.parse(JSON.stringify(state))
}
