import { describe, expect, it } from 'vitest'
import { withNumber } from './numbered.ts'
import { Inbound } from './inbound.ts'

const session = (name: string): Uint8Array => new TextEncoder().encode(name)
const message = (number: number): Uint8Array => withNumber(number, Uint8Array.of(number))

describe('received messages', () => {
  it('of a member go on after thousands of others have come and gone', async () => {
    const heard: string[] = []
    const inbound = new Inbound(
      (id) => id === 'old',
      (from, [number]) => void heard.push(`${from} ${number}`),
    )
    inbound.begin('old', session('s'))
    await inbound.take('old', 's', message(1))
    for (let at = 0; at < 10_000; at++) {
      inbound.begin(`m${at}`, session('s'))
      await inbound.take(`m${at}`, 's', message(1))
    }
    await inbound.take('old', 's', message(2))
    expect(heard.filter((each) => each.startsWith('old'))).toEqual(['old 1', 'old 2'])
    const known = Array.from({ length: 10_000 }, (_, at) => inbound.handled(`m${at}`)).filter((number) => number > 0)
    expect(known.length).toBeLessThanOrEqual(4096)
  })

  it('are handled once, in order, and in one session', async () => {
    const heard: number[] = []
    const inbound = new Inbound(
      () => true,
      (_, [number = 0]) => void heard.push(number),
    )
    inbound.begin('a', session('one'))
    for (const number of [1, 2, 1, 2, 3]) await inbound.take('a', 'one', message(number))
    await expect(inbound.take('a', 'one', message(5))).rejects.toThrow('message 5 came after 3')
    inbound.begin('a', session('two'))
    await inbound.take('a', 'one', message(4))
    await inbound.take('a', 'two', message(1))
    expect(heard).toEqual([1, 2, 3, 1])
  })

  it('count as handled if their handling failed and they come again', async () => {
    let count = 0
    const inbound = new Inbound(
      () => true,
      () => {
        count++
        throw new Error('bad')
      },
    )
    inbound.begin('a', session('s'))
    await expect(inbound.take('a', 's', message(1))).rejects.toThrow('bad')
    // The sender repeats it on the next stream.
    inbound.begin('a', session('s'))
    await inbound.take('a', 's', message(1))
    expect([count, inbound.handled('a')]).toEqual([1, 1])
  })
})
