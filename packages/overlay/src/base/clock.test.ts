import { describe, expect, test } from 'vitest'
import { Clock } from './clock.ts'

function sources(): { at: { monotonic: number; wall: number; sinceBoot: number }; pass(time: number): void; clock: Clock } {
  const at = { monotonic: 1_000.7, wall: 5e12, sinceBoot: 90_000 }
  const clock = new Clock({ monotonic: () => at.monotonic, wall: () => at.wall, sinceBoot: () => at.sinceBoot })
  return {
    at,
    clock,
    pass: (time) => {
      at.monotonic += time
      at.wall += time
      at.sinceBoot += time
    },
  }
}

describe('the clock', () => {
  test('gives whole milliseconds of the monotonic clock', () => {
    const { clock, pass } = sources()
    expect(clock.now()).toBe(1_000)
    pass(500)
    expect(clock.now()).toBe(1_500)
  })

  test('counts the time the machine was suspended', () => {
    const { clock, pass, at } = sources()
    pass(100)
    at.wall += 3_600_000
    at.sinceBoot += 3_600_000
    expect(clock.now()).toBe(3_601_100)
    pass(50)
    expect(clock.now()).toBe(3_601_150)
    at.wall += 10_000
    at.sinceBoot += 10_000
    expect(clock.now()).toBe(3_611_150)
  })

  test('ignores changes of the time of day', () => {
    const { clock, pass, at } = sources()
    at.wall += 3_600_000
    expect(clock.now()).toBe(1_000)
    at.wall -= 7_200_000
    pass(10)
    expect(clock.now()).toBe(1_010)
  })

  test('treats a jump of a day as sleep, because no clock goes on in a paused guest', () => {
    const { clock, pass, at } = sources()
    pass(100)
    at.wall += 86_400_000
    expect(clock.now()).toBe(86_401_100)
    pass(50)
    expect(clock.now()).toBe(86_401_150)
  })
})
