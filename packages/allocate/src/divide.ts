/** A member that gets a part of some work. All times are in one unit, and any unit will do. */
export interface Worker {
  /** The expected time for one unit of work. */
  readonly each: number
  /** The time that does not depend on the size of its part, such as the time of its messages. */
  readonly fixed: number
  /** The largest number of units that fit into its memory. Default: no limit. */
  readonly most?: number | undefined
}

/** The parts of the workers, in their order. All end at the same time. */
export interface Division {
  readonly time: number
  readonly parts: readonly number[]
}

/**
 * Divides work so that all workers end at the same time: part × each + fixed = time (AppLeS). A
 * worker whose part would be larger than `most` gets `most`.
 *
 * @returns undefined if that is impossible: the work is larger than the sum of all `most`, or a
 *   worker whose fixed time is very long would get a negative part
 */
export function divide(work: number, workers: readonly Worker[]): Division | undefined {
  const full = new Set<Worker>()
  for (;;) {
    const free = workers.filter((worker) => !full.has(worker))
    if (free.length === 0) return undefined
    let left = work
    for (const { most = 0 } of full) left -= most
    const rate = free.reduce((sum, { each }) => sum + 1 / each, 0)
    const time = (left + free.reduce((sum, { each, fixed }) => sum + fixed / each, 0)) / rate
    const partOf = ({ each, fixed }: Worker): number => (time - fixed) / each
    const over = free.filter((worker) => partOf(worker) > (worker.most ?? Infinity))
    for (const worker of over) full.add(worker)
    if (over.length > 0) continue
    if (free.some((worker) => partOf(worker) < 0)) return undefined
    return { time, parts: workers.map((worker) => (full.has(worker) ? (worker.most ?? 0) : partOf(worker))) }
  }
}
