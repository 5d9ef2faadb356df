import { describe, expect, test } from 'vitest'
import { generatePoolKey } from '../identity/pool-key.ts'
import { InvalidPoolNameError } from './errors.ts'
import { poolNames, serviceName } from './names.ts'

describe('names on the wire', () => {
  test('differ between pools, and stay the same for one pool', () => {
    expect(poolNames('a')).toEqual(poolNames('a'))
    const [a, b] = [poolNames('a'), poolNames('b')]
    expect(a.links).not.toEqual(b.links)
    expect(a.topic).not.toBe(b.topic)
    expect(serviceName('a')).not.toBe(serviceName('b'))
  })

  test('keep pools of one name with different keys from finding each other', () => {
    const services = [serviceName('a'), serviceName('a', generatePoolKey()), serviceName('a', generatePoolKey())]
    expect(new Set(services).size).toBe(3)
  })

  test('are short whatever the pool is called, and fit a DNS label', () => {
    const { links, urgent, topic } = poolNames('名'.repeat(42))
    expect([links[0], urgent[0], topic].map((name) => name?.replace(/[0-9a-f]{16}/u, 'pool'))).toEqual([
      '/jel/pool/2.0.0',
      '/jel/pool/2.0.0/urgent',
      '/jel/pool/2',
    ])
    expect(serviceName('名'.repeat(42))).toMatch(/^_[a-z0-9-]{1,62}\._udp\.local$/u)
  })

  test.each(['', 'x'.repeat(129), 'a\nb', '\ud800'])('are not made from an invalid pool name: %j', (name) => {
    expect(() => poolNames(name)).toThrow(InvalidPoolNameError)
  })
})
