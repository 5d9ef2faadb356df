import { describe, expect, it } from 'vitest'
import { defaultConfig, makeConfig, type ConfigOverrides } from './config.ts'

describe('makeConfig', () => {
  it('replaces some values and leaves the defaults alone', () => {
    const before = structuredClone(defaultConfig)
    const config = makeConfig({ detection: { unresponsive: 7 }, limits: { members: 3 } })
    expect(config.detection.unresponsive).toBe(7)
    expect(config.limits.members).toBe(3)
    expect(config.detection.period).toBe(defaultConfig.detection.period)
    expect(config.tombstones).toEqual(defaultConfig.tombstones)
    expect(defaultConfig).toEqual(before)
  })

  it.each([
    [{ detection: { unresponsive: Number.NaN } }, 'detection.unresponsive'],
    [{ detection: { unresponsive: -1 } }, 'detection.unresponsive'],
    [{ detection: { unresponsive: Infinity } }, 'detection.unresponsive'],
    [{ detection: { unresponsive: '4' } }, 'detection.unresponsive'],
    [{ detection: { patience: 1 } }, 'detection.patience'],
    [{ gossip: { interval: 1 } }, 'gossip'],
  ])('refuses %j and names the setting', (overrides, name) => {
    expect(() => makeConfig(overrides as ConfigOverrides)).toThrow(RangeError)
    expect(() => makeConfig(overrides as ConfigOverrides)).toThrow(name)
  })
})

describe('the defaults', () => {
  const { detection, healing, tombstones, links, limits } = defaultConfig

  it('fit together', () => {
    expect(tombstones.lifetime).toBeGreaterThan(healing.memory)
    expect(detection.unresponsive).toBeGreaterThan(5_000) // A stop of 5 s is no death.
    expect(links.max).toBeGreaterThanOrEqual(links.rings * 4 + links.random)
    expect(limits.chunkBytes + 4 * limits.tagBytes).toBeLessThan(limits.frameBytes)
    // Sums of epochs or incarnations, each up to its bound, stay exact.
    expect(Number.isSafeInteger(limits.counter * 2)).toBe(true)
  })
})
