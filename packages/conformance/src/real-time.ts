import type { Milliseconds } from '@jel/protocol'

/** Interval between two checks of a condition, ms. */
const look = 10

/** Real time, for swarms of real nodes. */
export const realTime = {
  pass: async (time: Milliseconds): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    setTimeout(() => resolve(undefined), time)
    await promise
  },

  /** As `Swarm.within`. */
  within: async (limit: Milliseconds, condition: () => boolean): Promise<Milliseconds> => {
    const start = performance.now()
    for (;;) {
      // Read the time before the condition. The process may be busy between the two. A condition
      // that comes true in that time counts as in time.
      const passed = performance.now() - start
      if (condition()) return passed
      if (passed >= limit) throw new Error(`${limit} ms have passed`)
      await realTime.pass(look)
    }
  },
}
