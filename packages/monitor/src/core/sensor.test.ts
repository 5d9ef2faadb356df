import { describe, expect, it } from 'vitest'
import { Sensor, type Freshness, type Response } from './sensor.ts'

/** A sensor whose measurements take this time, read every `every` ms for ten seconds. */
function readFor10s(
  freshness: Freshness,
  { response = 'cached', quality, every = 10 }: { response?: Response; quality?: number; every?: number } = {},
) {
  const sensor = new Sensor(freshness)
  const runs: number[] = []
  for (let now = 0; now < 10_000; now += every) {
    if (sensor.answerOf(now, response, quality) !== 'measure') continue
    sensor.begun(now)
    sensor.measured(runs.length, now)
    runs.push(now)
  }
  return runs
}

describe('a sensor', () => {
  // InfoGram, table 1: Date 60 ms, Memory 80, CPU 100, CPULoad 0, list 1,000.
  it.each([
    [60, 167],
    [80, 125],
    [100, 100],
    [0, 1000],
    [1000, 10],
  ])('with a TTL of %i ms runs %i times for 1,000 reads in ten seconds', (ttl, runs) => {
    expect(readFor10s({ ttl })).toHaveLength(runs)
  })

  it('runs for each immediate read, and never for the last value', () => {
    expect(readFor10s({ ttl: 60 }, { response: 'immediate' })).toHaveLength(1000)
    expect(readFor10s({ ttl: 0 }, { response: 'last' })).toEqual([])
    expect(new Sensor({ ttl: 0 }).answerOf(0, 'last', undefined)).toBe('none')
  })

  it('runs at most once in its delay, whatever is asked', () => {
    expect(readFor10s({ ttl: 0, delay: 500 }, { response: 'immediate' })).toEqual(Array.from({ length: 20 }, (_, at) => at * 500))
  })

  it('with a half-life of 10 s is below 80 % after 3.2 s', () => {
    const runs = readFor10s({ ttl: 60_000, halfLife: 10_000 }, { quality: 80, every: 1 })
    expect(runs).toEqual([0, 3220, 6440, 9660])
  })

  it('states the age and the quality of a value', () => {
    const sensor = new Sensor({ ttl: 100, halfLife: 1000 })
    expect(sensor.read(0)).toBeUndefined()
    sensor.begun(0)
    sensor.measured('a', 10)
    expect(sensor.read(1010)).toMatchObject({ value: 'a', age: 1000, quality: 50 })
  })

  it('states mean and deviation of the time that measurements take', () => {
    const sensor = new Sensor({ ttl: 0 })
    const times = [3, 5, 10, 2]
    let now = 1e9
    for (const time of times) {
      sensor.begun(now)
      sensor.measured(0, (now += time))
    }
    expect(sensor.read(now)?.took.mean).toBeCloseTo(5, 9)
    expect(sensor.read(now)?.took.deviation).toBeCloseTo(Math.sqrt((4 + 0 + 25 + 9) / 4), 9)
  })
})
