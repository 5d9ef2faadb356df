import type { FurtherContext, TaskContext } from './definitions.ts'
import type { Frame } from './frame.ts'
import { decodeLarge } from './stored-value.ts'
import { TaskRandom } from './task-random.ts'
import { decodeValue, encodeValue } from './values.ts'

interface Given extends Pick<TaskContext, 'run' | 'use' | 'job'>, Pick<Required<FurtherContext>, 'limits' | 'store'> {
  /** Other tasks hold parts of a space. */
  readonly split: boolean
  /** The encoded state of an earlier run. */
  readonly saved: Uint8Array | undefined
  readonly idle: () => Promise<void>
}

/** Returns the context of a task that runs here. */
export function contextOf(
  { path, saves }: Frame,
  { saved, idle, ...given }: Given,
): TaskContext & FurtherContext & { readonly split: boolean } {
  const earlier = saved && decoded(saved)
  const random = new TaskRandom(`${given.job} ${path}`, earlier?.draws ?? 0)
  const stopping = {
    get aborted() {
      saves.listen()
      return saves.isStopping
    },
  }
  return {
    ...given,
    random: () => random.next(),
    path,
    saved: earlier?.state,
    save: async (state) => await saves.save(encodeValue([state, random.draws]), idle),
    stopping,
    onLeft: (action) => (saves.left = action),
    decode: decodeLarge,
  }
}

/** A state that another member made up may be no value. Then the task begins without it. */
function decoded(saved: Uint8Array): { readonly state: unknown; readonly draws: number } | undefined {
  try {
    const value = decodeValue(saved)
    if (!Array.isArray(value) || value.length !== 2) return undefined
    const [state, draws] = value as readonly unknown[]
    return Number.isSafeInteger(draws) && (draws as number) >= 0 ? { state, draws: draws as number } : undefined
  } catch {
    return undefined
  }
}
