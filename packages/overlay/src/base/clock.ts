/**
 * The protocol's time: whole milliseconds. It never runs backwards, and it includes the time in
 * which this machine was suspended.
 */
import { sinceBoot } from '#platform/machine'
import type { Milliseconds } from '@jel/protocol'

/** The sources of a clock; replaced in tests. */
export interface TimeSources {
  /** Monotonic time, ms. Stands still while the machine sleeps (CLOCK_MONOTONIC). */
  readonly monotonic: () => number
  /** The time of day, ms. Anybody may set it at any time. */
  readonly wall: () => number
  /**
   * Time since the machine started, sleep included (CLOCK_BOOTTIME on Linux), ms. It is coarse and
   * needs a system call. Undefined: the platform does not tell.
   */
  readonly sinceBoot: () => number | undefined
}

const systemTime: TimeSources = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
  sinceBoot: () => sinceBoot(),
}

/** A smaller difference between the clocks is rounding or the slewing of NTP, ms. Guess. */
const noticeable = 1_500

/**
 * A jump of the time of day by this much counts as sleep, whatever the other clocks show, ms. When
 * a hypervisor pauses a guest, the other clocks of the guest stand still. A node that slept for a
 * day starts over (`healing.memory`). If somebody only set the clock, the node enters again and
 * loses nothing.
 */
const longestSet = 86_400_000

export class Clock {
  readonly #sources: TimeSources
  #base: { monotonic: number; wall: number; sinceBoot: number | undefined }
  #slept = 0

  constructor(sources: TimeSources = systemTime) {
    this.#sources = sources
    this.#base = { monotonic: sources.monotonic(), wall: sources.wall(), sinceBoot: sources.sinceBoot() }
  }

  /**
   * Returns the present time. A stopped process (SIGSTOP) needs nothing special, since the
   * monotonic clock runs on. In a suspended laptop that clock stops. Then the protocol would not
   * notice that the pool has long declared this node dead. The time of day is a cheap sign that
   * something happened, but it also jumps when somebody sets it. After a jump the time since boot
   * decides, unless the time of day jumped by a day. If the platform does not tell it, each jump
   * counts.
   */
  now(): Milliseconds {
    const monotonic = this.#sources.monotonic()
    const wall = this.#sources.wall()
    const passed = monotonic - this.#base.monotonic
    const jumped = wall - this.#base.wall - passed
    if (Math.abs(jumped) > noticeable) {
      const sinceBoot = this.#sources.sinceBoot()
      const known = sinceBoot === undefined || this.#base.sinceBoot === undefined ? jumped : sinceBoot - this.#base.sinceBoot - passed
      const slept = jumped >= longestSet ? jumped : known
      if (slept > noticeable) this.#slept += slept
      this.#base = { monotonic, wall, sinceBoot }
    }
    return Math.floor(monotonic + this.#slept)
  }
}
