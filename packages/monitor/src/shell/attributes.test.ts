import { describe, expect, it, vi } from 'vitest'
import { InvalidAttributeError } from '../errors.ts'
import { Attributes } from './attributes.ts'

describe('the attributes of a member', () => {
  it('are measured by nobody until somebody reads', async () => {
    const attributes = new Attributes()
    const read = vi.fn(() => 1)
    attributes.define('load', { read })
    attributes.schemas()
    expect(read).not.toHaveBeenCalled()
    expect(await attributes.read('load')).toMatchObject({ name: 'load', unit: '1', value: 1, quality: 100 })
    expect(read).toHaveBeenCalledTimes(1)
  })

  it('are measured once for 100 readers at once', async () => {
    const attributes = new Attributes()
    const { promise, resolve } = Promise.withResolvers<number>()
    const read = vi.fn(async () => await promise)
    attributes.define('slow', { read, ttl: 0 })
    const readings = Array.from({ length: 100 }, async () => await attributes.read('slow'))
    resolve(7)
    expect(new Set((await Promise.all(readings)).map(({ value }) => value))).toEqual(new Set([7]))
    expect(read).toHaveBeenCalledTimes(1)
  })

  it('name the nearest attribute if one is unknown', async () => {
    const attributes = new Attributes()
    attributes.define('system.memory.usage', { read: () => 1 })
    expect((await attributes.read('memory.usage', {}, true)).problem?.message).toBe(
      'there is no attribute "memory.usage"; did you mean system.memory.usage?',
    )
    expect((await attributes.read('zzz', {}, true)).problem).toEqual({ code: 'NO_ATTRIBUTE', message: 'there is no attribute "zzz"' })
  })

  it('have no last value before the first measurement', async () => {
    const attributes = new Attributes()
    attributes.define('a', { read: () => 1 })
    expect((await attributes.read('a', { response: 'last' })).problem?.code).toBe('NO_VALUE')
  })

  it('keep the last value where a later measurement fails', async () => {
    const attributes = new Attributes()
    let fails = false
    const read = (): number => {
      if (fails) throw new Error('the disk is gone')
      return 5
    }
    attributes.define('a', { read, ttl: 0 })
    await attributes.read('a')
    fails = true
    expect((await attributes.read('a')).problem).toEqual({ code: 'SENSOR_FAILED', message: 'a: the disk is gone' })
    expect((await attributes.read('a', { response: 'last' })).value).toBe(5)
  })

  it.each([
    ['NaN', Number.NaN, 'is no finite number'],
    ['an object', {}, 'is no finite number'],
    ['too long a text', 'x'.repeat(2000), '2002 bytes'],
  ])('refuse %s as a value', async (_, value, why) => {
    const attributes = new Attributes()
    attributes.define('a', { read: () => value as never })
    expect((await attributes.read('a')).problem?.message).toContain(why)
  })

  it('wait for a measurement for as long as a reader wants, and go on', async () => {
    const attributes = new Attributes()
    const { promise, resolve } = Promise.withResolvers<number>()
    attributes.define('a', { read: async () => await promise })
    expect((await attributes.read('a', { timeout: 20 })).problem).toEqual({
      code: 'NO_ANSWER',
      message: 'a: the measurement took more than 20 ms',
    })
    resolve(3)
    expect((await attributes.read('a')).value).toBe(3)
  })

  it('end a measurement that a reader cancels, unless another one waits', async () => {
    const attributes = new Attributes()
    let aborted = 0
    attributes.define('a', {
      read: async (signal) => {
        signal.addEventListener('abort', () => aborted++)
        return await new Promise<number>((resolve) => setTimeout(resolve, 100, 7))
      },
    })
    const patient = attributes.read('a')
    await attributes.read('a', { timeout: 20, cancel: true })
    expect((await patient).value).toBe(7)
    expect(aborted).toBe(0)
    await attributes.read('a', { response: 'immediate', timeout: 20, cancel: true })
    expect(aborted).toBe(1)
  })

  it.each([
    ['a name with spaces', 'a b', {}],
    ['an empty name', '', {}],
    ['a long name', 'x'.repeat(65), {}],
    ['a negative TTL', 'a', { ttl: -1 }],
    ['a TTL that is no number', 'a', { ttl: Number.NaN }],
    ['no half-life', 'a', { halfLife: 0 }],
    ['a long unit', 'a', { unit: 'x'.repeat(17) }],
    ['two ways to measure', 'a', { command: 'true' }],
  ])('refuse %s', (_, name, attribute) => {
    expect(() => new Attributes().define(name, { read: () => 1, ...attribute })).toThrow(InvalidAttributeError)
  })

  it('are at most 256, and one can be replaced or removed', async () => {
    const attributes = new Attributes()
    const remove = attributes.define('a', { read: () => 1 })
    attributes.define('a', { read: () => 2 })
    remove()
    expect((await attributes.read('a')).value).toBe(2)
    for (let at = 1; at < 256; at++) attributes.define(`a${at}`, { read: () => 1 })
    expect(() => attributes.define('more', { read: () => 1 })).toThrow('at most 256')
  })
})
