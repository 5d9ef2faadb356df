import type { Connection, Stream } from '@libp2p/interface'
import { multiaddr } from '@multiformats/multiaddr'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { bytes } from '../../test/peers.ts'
import { leaveAll, pool, type Node } from '../../test/pool.ts'
import type { StreamHandler } from '../api/port.ts'
import { poolNames } from '../base/names.ts'
import { takeLine } from '../circuits/take-line.ts'
import { ReachChecks } from './reach-checks.ts'

const ID = '12D3KooWEyoppNCUx8Yx66oV9fJnriXwCcXwDDUA2kj6vnc6iDEp'

/** Asks a member that can dial `open`. Returns its answer, and the addresses that it dialled. */
async function check(signed: readonly string[], open: string): Promise<[string | undefined, string[]]> {
  const dialled: string[] = []
  let handler: StreamHandler | undefined
  const checks = new ReachChecks({
    streams: { open: vi.fn(), handle: async (_, handle) => void (handler = await Promise.resolve(handle)) },
    protocol: '/reach',
    release: () => {},
    addressesOf: () => signed.map((address) => multiaddr(address).bytes),
    dial: async (address) => {
      dialled.push(address.toString().replace(/\/p2p\/.*/u, ''))
      if (!address.toString().startsWith(`${open}/p2p/${ID}`)) throw new Error('refused')
      return await Promise.resolve({ remoteAddr: address } as unknown as Connection)
    },
  })
  await checks.start()
  let answer: string | undefined
  const stream = Object.assign(new EventTarget(), {
    send: (data: Uint8Array) => void (answer = new TextDecoder().decode(data)),
    close: async () => await Promise.resolve(),
    abort: () => {},
  })
  await handler?.(stream as unknown as Stream, ID)
  return [answer, dialled]
}

describe('a member that is asked whether it can dial another one', () => {
  it('says so if one of the signed addresses answers with the key of the asker', async () => {
    const signed = ['/ip4/11.0.1.1/tcp/1', '/ip4/11.0.1.1/tcp/2']
    expect(await check(signed, '/ip4/11.0.1.1/tcp/2')).toEqual(['direct\n', signed])
    expect(await check(signed, '/ip4/11.0.1.1/tcp/3')).toEqual(['hidden\n', signed])
  })

  it('dials few addresses, and neither private ones nor names', async () => {
    const signed = ['/ip4/192.168.1.2/tcp/1', '/ip4/127.0.0.1/tcp/1', '/dns4/example.org/tcp/1', '/ip6/fe80::1/tcp/1']
    expect(await check(signed, '/ip4/192.168.1.2/tcp/1')).toEqual(['hidden\n', []])
    const many = Array.from({ length: 8 }, (_, port) => `/ip4/11.0.1.1/tcp/${port + 1}`)
    expect((await check(many, '/ip4/11.0.1.1/tcp/8'))[1]).toEqual(many.slice(0, 4))
  })
})

describe('members that ask each other', () => {
  afterEach(leaveAll)

  it('get an answer, but not again at once, and send no bytes', async () => {
    const [first, second, third] = (await pool(3)) as [Node, Node, Node]
    const { reach } = poolNames('test')
    expect(await takeLine(await first.overlay.open(second.id, reach), 16, AbortSignal.timeout(5_000))).toBe('hidden')
    const again = await first.overlay.open(second.id, reach)
    await vi.waitUntil(() => again.status !== 'open')
    const wordy = await third.overlay.open(first.id, reach)
    for (let sent = 0; sent < 1_000 && wordy.status === 'open'; sent++) wordy.send(bytes('x'))
    await vi.waitUntil(() => wordy.status !== 'open')
  })
})
