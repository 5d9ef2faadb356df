import type { Member, Reach } from '@jel/protocol'
import type { Connection, Libp2p } from '@libp2p/interface'
import { multiaddr } from '@multiformats/multiaddr'
import { describe, expect, it } from 'vitest'
import { DialError, type Dialer } from '../dialing/dialing.ts'
import { absent, RelayRefusal } from '../circuits/relay-refusal.ts'
import { Paths } from './paths.ts'

const at = (host: string): Uint8Array => multiaddr(`/ip4/${host}/tcp/4001`).bytes

function member(id: string, reach: Reach, host: string): Member {
  const rest = { incarnation: 1, location: '', tag: new Uint8Array(), constants: new Map(), joinedAt: 0 }
  return { id, reach, addresses: [at(host)], ...rest }
}

const IDS = ['12D3KooWEyoppNCUx8Yx66oV9fJnriXwCcXwDDUA2kj6vnc6iDEp', '12D3KooWRhabzwWhqGKPhYMqEuNLYGwGNKded4wc8XiRKrkcixUP']
const relays = IDS.map((id, index) => member(id, 'direct', `11.0.0.${index + 1}`))
const hidden = member('12D3KooWFcrb6ywHKxycNsmTEj48', 'hidden', '192.168.1.2')

/** Paths of a node at this address. `works`: the ids and relays over which a dial succeeds. */
function paths(own: string, works: readonly string[], answer = absent, self = 'me') {
  const tried: string[] = []
  const connected: string[] = []
  const attempt = async (what: string): Promise<Connection> => {
    tried.push(what)
    if (!works.some((each) => what.startsWith(each)))
      throw what.startsWith('over') ? new RelayRefusal(answer) : new DialError('refused', `${what} refuses`)
    if (!what.startsWith('over')) connected.push(what)
    return await Promise.resolve({ what } as unknown as Connection)
  }
  const dialer = { connect: async (id: string) => await attempt(id) } as unknown as Dialer
  const libp2p = {
    getConnections: () =>
      connected.map((id) => ({ remotePeer: id, status: 'open', remoteAddr: multiaddr('/ip4/11.0.0.1/tcp/4001') }) as unknown as Connection),
    dial: async (address: { toString(): string }) => await attempt(`over ${address.toString().split('/')[2]}`),
  } as unknown as Libp2p
  const all = [...relays, hidden]
  return { tried, made: new Paths({ self, libp2p, dialer, members: () => all, addresses: () => [at(own)], today: () => 1e9 }) }
}

describe('the path to a member', () => {
  it('that is direct is its own address', async () => {
    const { tried, made } = paths('11.0.0.9', IDS)
    await made.connect(relays[0] as Member)
    expect(tried).toEqual([IDS[0]])
  })

  it('that is hidden elsewhere is a circuit, over the next relay if the first does not answer', async () => {
    for (const lost of IDS) {
      const { tried, made } = paths(
        '192.168.7.7',
        IDS.filter((id) => id !== lost).flatMap((id) => [id, `over ${id}`]),
      )
      await made.connect(hidden)
      expect(tried.at(-1)).toBe(`over ${IDS.find((id) => id !== lost)}`)
      expect(tried).not.toContain(hidden.id)
    }
  })

  it('that is hidden in this network is its own address, or else a circuit', async () => {
    const near = paths('192.168.1.7', [hidden.id])
    await near.made.connect(hidden)
    expect(near.tried).toEqual([hidden.id])
    const far = paths(
      '192.168.1.7',
      IDS.flatMap((id) => [id, `over ${id}`]),
    )
    await far.made.connect(hidden)
    expect(far.tried[0]).toBe(hidden.id)
    expect(far.tried.at(-1)).toMatch(/^over /u)
  })

  it('is silent, and never refused, if two relays do not have it', async () => {
    const { made } = paths('11.0.0.9', IDS)
    await expect(made.connect(hidden)).rejects.toMatchObject({ failure: 'silent', message: expect.stringContaining(absent) })
  })

  it('is silent if this node is a relay of it, and another relay does not have it', async () => {
    const { made } = paths('11.0.0.9', IDS, absent, IDS[0])
    await expect(made.connect(hidden)).rejects.toMatchObject({ failure: 'silent' })
  })

  it.each([
    ['one relay is gone', IDS.slice(1), absent],
    ['all relays are gone', [], absent],
    ['the relays are full', IDS, 'full'],
  ])('has only failed if %s', async (_, works, answer) => {
    const { made } = paths('11.0.0.9', works, answer)
    await expect(made.connect(hidden)).rejects.toMatchObject({ failure: 'failed' })
  })
})
