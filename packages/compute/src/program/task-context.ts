import type { FurtherContext, TaskContext } from './definitions.ts'
import type { Frame } from './frame.ts'
import type { FrameSaves } from './frame-saves.ts'
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

/**
 * Whether a task must stop. A class, since V8 makes an accessor of an object literal anew for each
 * object.
 */
class Stopping {
  readonly #saves: FrameSaves

  constructor(saves: FrameSaves) {
    this.#saves = saves
  }

  get aborted(): boolean {
    this.#saves.listen()
    return this.#saves.isStopping
  }
}

/** Returns the context of a task that runs here. Names each field: rest and spread cost more. */
export function contextOf(
  { path, saves }: Frame,
  { run, use, job, split, saved, limits, store, idle }: Given,
): TaskContext & FurtherContext & { readonly split: boolean } {
  const earlier = saved && decoded(saved)
  const random = new TaskRandom(`${job} ${path}`, earlier?.draws ?? 0)
  return {
    run,
    use,
    random: () => random.next(),
    job,
    path,
    split,
    saved: earlier?.state,
    save: async (state) => await saves.save(encodeValue([state, random.draws]), idle),
    stopping: new Stopping(saves),
    limits,
    store,
    decode: decodeLarge,
    onLeft: (action) => (saves.left = action),
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
