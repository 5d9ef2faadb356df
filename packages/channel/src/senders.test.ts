import { describe, expect, it } from 'vitest'
import { withNumber } from './numbered.ts'
import { Senders } from './senders.ts'

const session = (name: string): Uint8Array => new TextEncoder().encode(name)
const message = (number: number): Uint8Array => withNumber(number, Uint8Array.of(number))

describe('the messages of senders', () => {
  it('of a member go on after thousands of others have come and gone', async () => {
    const heard: string[] = []
    const senders = new Senders(
      (id) => id === 'old',
      (from, [number]) => void heard.push(`${from} ${number}`),
    )
    senders.begin('old', session('s'))
    await senders.take('old', 's', message(1))
    for (let at = 0; at < 10_000; at++) {
      senders.begin(`m${at}`, session('s'))
      await senders.take(`m${at}`, 's', message(1))
    }
    await senders.take('old', 's', message(2))
    expect(heard.filter((each) => each.startsWith('old'))).toEqual(['old 1', 'old 2'])
    const known = Array.from({ length: 10_000 }, (_, at) => senders.handled(`m${at}`)).filter((number) => number > 0)
    expect(known.length).toBeLessThanOrEqual(4096)
  })

  it('are handled once, in order, and in one session', async () => {
    const heard: number[] = []
    const senders = new Senders(
      () => true,
      (_, [number = 0]) => void heard.push(number),
    )
    senders.begin('a', session('one'))
    for (const number of [1, 2, 1, 2, 3]) await senders.take('a', 'one', message(number))
    await expect(senders.take('a', 'one', message(5))).rejects.toThrow('message 5 came after 3')
    senders.begin('a', session('two'))
    await senders.take('a', 'one', message(4))
    await senders.take('a', 'two', message(1))
    expect(heard).toEqual([1, 2, 3, 1])
  })

  it('count as handled if their handling failed and they come again', async () => {
    let count = 0
    const senders = new Senders(
      () => true,
      () => {
        count++
        throw new Error('bad')
      },
    )
    senders.begin('a', session('s'))
    await expect(senders.take('a', 's', message(1))).rejects.toThrow('bad')
    // The sender repeats it on the next stream.
    senders.begin('a', session('s'))
    await senders.take('a', 's', message(1))
    expect([count, senders.handled('a')]).toEqual([1, 1])
  })
})
