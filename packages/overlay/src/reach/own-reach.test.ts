import type { Reach } from '@jel/protocol'
import { multiaddr } from '@multiformats/multiaddr'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { OwnReach, reachInterval, type Peer } from './own-reach.ts'

const at = (host: string) => multiaddr(`/ip4/${host}/tcp/4001`)
const peer = (id: string, host: string, isInbound = false): Peer => ({ id, remote: at(host), isInbound })

/** A node with these addresses. `answers`: the answers of members; others do not answer. */
function node(addresses: readonly string[], peers: Peer[], answers: Record<string, boolean> = {}) {
  const [learned, asked]: [Reach[], string[]] = [[], []]
  const own = { addresses: addresses.map((address) => multiaddr(address)) }
  const reach = new OwnReach({
    peers: () => peers,
    addresses: () => own.addresses,
    ask: async (id) => {
      asked.push(id)
      return await Promise.resolve(answers[id])
    },
    onReach: (each) => learned.push(each),
  })
  return { reach, learned, asked, own, peers, answers }
}

const PUBLIC = '/ip4/11.0.1.1/tcp/4001'
const PRIVATE = '/ip4/192.168.1.2/tcp/4001'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a node', () => {
  it('asks nobody, and is direct, while all its links stay within private networks', async () => {
    const { reach, learned, asked } = node([PRIVATE], [peer('a', '192.168.1.3'), peer('b', '127.0.0.1')], { a: false, b: false })
    reach.linked()
    await vi.advanceTimersByTimeAsync(reachInterval)
    expect([learned, asked]).toEqual([[], []])
  })

  it('is hidden if it has only private addresses, and a link to a member elsewhere', async () => {
    const { reach, learned, asked } = node([PRIVATE], [peer('a', '11.0.2.1')])
    reach.linked()
    await vi.advanceTimersByTimeAsync(2_000)
    expect([learned, asked]).toEqual([['hidden'], []])
  })

  it('is direct if a member elsewhere has dialled it, or if it announces a name', async () => {
    for (const { reach, learned, asked } of [
      node([PUBLIC], [peer('a', '11.0.2.1', true), peer('b', '11.0.3.1')], { b: false }),
      node(['/dns/example.org/tcp/4001'], [peer('a', '11.0.2.1')], { a: false }),
    ]) {
      reach.linked()
      await vi.advanceTimersByTimeAsync(2_000)
      expect([learned, asked]).toEqual([[], []])
    }
  })

  it.each<[Record<string, boolean>, Reach[], string[]]>([
    [{ a: true, b: true }, [], ['a', 'b']],
    [{ a: false, b: false }, ['hidden'], ['a', 'b']],
    [{ a: false, b: true, c: false }, ['hidden'], ['a', 'b', 'c']],
    [{ a: false, b: true, c: true }, [], ['a', 'b', 'c']],
    [{ b: false, c: false }, ['hidden'], ['a', 'b', 'c']],
    [{ a: false }, ['hidden'], ['a', 'b', 'c']],
    [{}, [], ['a', 'b', 'c']],
  ])('asks members elsewhere: %o', async (answers, expected, asks) => {
    const peers = [peer('a', '11.0.2.1'), peer('b', '11.0.3.1'), peer('c', '11.0.4.1')]
    const { reach, learned, asked } = node([PUBLIC], peers, answers)
    reach.linked()
    await vi.advanceTimersByTimeAsync(2_000)
    expect([learned, asked]).toEqual([expected, asks])
  })

  it('counts two members of one network once', async () => {
    const { reach, asked } = node([PUBLIC], [peer('a', '11.0.2.1'), peer('b', '11.0.2.1'), peer('c', '11.0.4.1')], { b: false, c: true })
    reach.linked()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(asked).toEqual(['b', 'c'])
  })

  it('asks again if its addresses change, but not for each link', async () => {
    const peers = [peer('a', '11.0.2.1'), peer('b', '11.0.3.1')]
    const { reach, learned, asked, own, answers } = node([PUBLIC], peers, { a: false, b: false })
    for (let links = 0; links < 5; links++) {
      reach.linked()
      await vi.advanceTimersByTimeAsync(2_000)
    }
    expect([learned, asked]).toEqual([['hidden'], ['a', 'b']])
    own.addresses = [multiaddr('/ip4/11.0.1.1/tcp/5000')]
    Object.assign(answers, { a: true, b: true })
    reach.review()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(learned).toEqual(['hidden', 'direct'])
  })

  it('says nothing after its end', async () => {
    const { reach, learned } = node([PRIVATE], [peer('a', '11.0.2.1')])
    reach.linked()
    reach.stop()
    reach.review()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(learned).toEqual([])
  })
})
