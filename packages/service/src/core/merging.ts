import type { ReplicaContext } from './replica-io.ts'
import { textOfError } from './value.ts'

/**
 * Joins the states of two sides of a partition by `merge`. Returns undefined if `merge` fails. Then
 * the operations of one side are applied again.
 */
export function joined(context: ReplicaContext, ours: unknown, theirs: unknown): unknown {
  try {
    // `merge` may change the states before it fails.
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
