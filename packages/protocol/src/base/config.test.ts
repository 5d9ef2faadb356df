import { describe, expect, it } from 'vitest'
import { defaultConfig, makeConfig, type ConfigOverrides } from './config.ts'

describe('makeConfig', () => {
  it('replaces some values and leaves the defaults alone', () => {
    const before = structuredClone(defaultConfig)
    const config = makeConfig({ detection: { quorum: 7 }, limits: { members: 3 } })
    expect(config.detection.quorum).toBe(7)
    expect(config.limits.members).toBe(3)
    expect(config.detection.period).toBe(defaultConfig.detection.period)
    expect(config.election).toEqual(defaultConfig.election)
    expect(defaultConfig).toEqual(before)
  })

  it.each([
    [{ detection: { quorum: Number.NaN } }, 'detection.quorum'],
    [{ detection: { quorum: -1 } }, 'detection.quorum'],
    [{ detection: { quorum: Infinity } }, 'detection.quorum'],
    [{ detection: { quorum: '4' } }, 'detection.quorum'],
    [{ detection: { patience: 1 } }, 'detection.patience'],
    [{ gossip: { interval: 1 } }, 'gossip'],
  ])('refuses %j and names the setting', (overrides, name) => {
    expect(() => makeConfig(overrides as ConfigOverrides)).toThrow(RangeError)
    expect(() => makeConfig(overrides as ConfigOverrides)).toThrow(name)
  })
})

describe('the defaults', () => {
  const { detection, healing, tombstones, links, reconciliation, limits, introduction, election } = defaultConfig

  it('fit together', () => {
    expect(tombstones.lifetime).toBeGreaterThan(healing.memory)
    expect(detection.suspicionLifetime).toBeGreaterThan(detection.mute)
    expect(detection.mute).toBeGreaterThan(5_000) // a stop of 5 s is no death
    expect(detection.silence).toBeLessThan(5_000)
    expect(detection.quorum).toBeLessThanOrEqual(limits.witnesses)
    expect(links.max).toBeGreaterThanOrEqual(links.rings * 4 + links.random)
    expect(reconciliation.min).toBeLessThan(reconciliation.max)
    expect(reconciliation.afterBroadcast).toBeLessThanOrEqual(reconciliation.max)
    expect(introduction.retryMin).toBeLessThanOrEqual(introduction.retryMax)
    expect(election.resettle).toBeLessThanOrEqual(election.settle)
    expect(limits.chunkBytes + 4 * limits.tagBytes).toBeLessThan(limits.frameBytes)
    // What a full reign adds to an epoch or an incarnation stays exact.
    expect(Number.isSafeInteger(limits.counter * 2)).toBe(true)
  })
})
