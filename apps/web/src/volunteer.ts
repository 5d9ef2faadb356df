/**
 * Computing at the member of a page. This module is a bundle of its own, and the member loads it
 * when a user wants to compute.
 */
import { compute, type Grid, type Shift } from '@jel/compute'
import { useFrame, type ProgramFrame } from '@jel/compute/frame'
import type { Pool } from '@jel/jel'
import { overviewOf } from '@jel/node/overview'
import type { Work } from './messages.ts'

/** A member that computes for others, in the frame of a page. */
export class Volunteer {
  readonly #grid: Grid
  readonly #workers: number
  readonly #shifts = new Map<string, Shift>()

  private constructor(grid: Grid, workers: number) {
    this.#grid = grid
    this.#workers = workers
    grid.addEventListener('working', ({ detail }) => void this.#shifts.set(detail.job, detail))
    grid.addEventListener('worked', ({ detail }) => void this.#shifts.delete(detail.job))
  }

  /**
   * Begins to compute. Anybody can open many tabs, so the result of one tab alone does not count. A
   * tab runs only tasks of jobs with votes.
   */
  static async start(pool: Pool, workers: number, frame: ProgramFrame): Promise<Volunteer> {
    useFrame(frame)
    return new Volunteer(await compute(pool, { workers, accept: ['voted'] }), workers)
  }

  get grid(): Grid {
    return this.#grid
  }

  async work(): Promise<Work> {
    const { busy, run, failed, ran, blobBytes } = await this.#grid.figures()
    const jobs = [...this.#shifts.values()].map(({ name, owner }) => ({ name, owner }))
    return { workers: this.#workers, busy, tasks: run, failed, ran, bytes: blobBytes, jobs }
  }

  overview(): ReturnType<typeof overviewOf> {
    return overviewOf(this.#grid)
  }

  /** Ends all programs at once. Other members take over their tasks. */
  async stop(): Promise<void> {
    useFrame(undefined)
    await this.#grid.close()
  }
}
