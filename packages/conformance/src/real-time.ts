import type { Milliseconds } from '@jel/protocol'

/** Between two looks at a condition, ms. */
const look = 10

/** Time as it passes, for swarms of real nodes. */
export const realTime = {
  async pass(time: Milliseconds): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    setTimeout(() => resolve(undefined), time)
    await promise
  },

  /** As `Swarm.within`. */
  async within(limit: Milliseconds, condition: () => boolean): Promise<Milliseconds> {
    const start = performance.now()
    for (;;) {
      // The time first: a condition that came to hold while this process was busy elsewhere held in time.
      const passed = performance.now() - start
      if (condition()) return passed
      if (passed >= limit) throw new Error(`${limit} ms have passed`)
      await realTime.pass(look)
    }
  },
}
