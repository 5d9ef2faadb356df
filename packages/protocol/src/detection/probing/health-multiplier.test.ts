import { beforeEach, describe, expect, it } from 'vitest'
import { actors, pool, servicesOf, type Actor } from '../../../test/actors.ts'
import { defaultConfig } from '../../base/config.ts'
import { Context } from '../../context/context.ts'
import { HealthMultiplier } from './health-multiplier.ts'

const [self] = actors(1) as [Actor]
const { period } = defaultConfig.detection

describe('the health multiplier', () => {
  let context: Context
  let health: HealthMultiplier

  beforeEach(() => {
    context = new Context({ id: self.id, pool, config: defaultConfig, services: servicesOf(self.id) })
    health = new HealthMultiplier(context)
  })

  it('is one for a healthy node, and sets no timer', () => {
    health.recover()
    expect([health.value, context.timers.at('health')]).toEqual([1, Infinity])
  })

  it('grows with each problem, up to nine', () => {
    const values = Array.from({ length: 10 }, () => {
      health.degrade()
      return health.value
    })
    expect(values).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 9, 9])
  })

  it('falls one step with each answer and each period', () => {
    for (let i = 0; i < 3; i++) health.degrade()
    health.recover()
    expect(health.value).toBe(3)
    for (let i = 0; i < 2; i++) {
      expect(context.timers.at('health')).toBe(context.now + period)
      context.now = context.timers.at('health')
      context.timers.fire(context.now, () => health.recover())
    }
    expect([health.value, context.timers.at('health')]).toEqual([1, Infinity])
  })
})
