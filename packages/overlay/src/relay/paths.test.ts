import { encodeId, relaysOf, type Member, type NodeId, type Reach } from '@jel/protocol'
import type { Connection, Libp2p } from '@libp2p/interface'
import { multiaddr } from '@multiformats/multiaddr'
import { describe, expect, it } from 'vitest'
import { DialError, type Dialer } from '../dialing/dialing.ts'
import { absent, RelayRefusal, unanswered } from '../circuits/relay-refusal.ts'
import { Paths } from './paths.ts'

const TODAY = 1e9
const at = (host: string): Uint8Array => multiaddr(`/ip4/${host}/tcp/4001`).bytes

function member(number: number, reach: Reach, host: string): Member {
  const rest = { incarnation: 1, location: '', tag: new Uint8Array(), constants: new Map(), joinedAt: 0 }
  return { id: encodeId(new Uint8Array(32).fill(number)), reach, addresses: [at(host)], ...rest }
}

const hidden = member(99, 'hidden', '192.168.1.2')
const direct = Array.from({ length: 5 }, (_, index) => member(index + 1, 'direct', `11.0.0.${index + 1}`))
const two = direct.slice(0, 2)
const [one, other] = two.map(({ id }) => id) as [NodeId, NodeId]

interface Situation {
  /** The address of this node. */
  readonly own?: string
  readonly self?: NodeId
  readonly members?: readonly Member[]
  /** Members that can be dialled, and relays over which a circuit succeeds. */
  readonly dialled?: readonly NodeId[]
  readonly relay?: readonly NodeId[]
  /** The answer of other relays. Undefined: they drop the circuit. */
  readonly answer?: string | undefined
  /** The answers of these relays. */
  readonly answers?: Readonly<Record<NodeId, string>>
}

/** Paths of a node in this situation. `tried` fills with each dial. */
function paths(situation: Situation) {
  const { own = '11.0.0.9', self = 'me', members = two, dialled = members.map(({ id }) => id), relay = [] } = situation
  const answer = 'answer' in situation ? situation.answer : absent
  const tried: string[] = []
  const connected = new Set<NodeId>()
  const connection = {} as unknown as Connection
  const dialer = {
    connect: async (id: NodeId) => {
      tried.push(id)
      if (!dialled.includes(id)) throw new DialError('refused', `${id} refuses`)
      connected.add(id)
      return await Promise.resolve(connection)
    },
  } as unknown as Dialer
  const libp2p = {
    getConnections: () => [...connected].map((id) => ({ remotePeer: id, status: 'open', remoteAddr: multiaddr('/ip4/11.0.0.1/tcp/4001') })),
    dial: async (address: { toString(): string }) => {
      const over = address.toString().split('/')[2] ?? ''
      tried.push(`over ${over}`)
      if (relay.includes(over)) return await Promise.resolve(connection)
      const said = situation.answers?.[over] ?? answer
      throw said === undefined ? new Error('the circuit ended') : new RelayRefusal(said)
    },
  } as unknown as Libp2p
  const all = [...members, hidden]
  const made = new Paths({ self, libp2p, dialer, members: () => all, addresses: () => [at(own)], today: () => TODAY })
  return { tried, made, overs: () => tried.filter((each) => each.startsWith('over')), connected }
}

describe('the path to a member', () => {
  it('that is direct is its own address', async () => {
    const { tried, made } = paths({})
    await made.connect(two[0] as Member)
    expect(tried).toEqual([one])
  })

  it('that is hidden elsewhere is a circuit, over the next relay if the first is gone', async () => {
    for (const left of [one, other]) {
      const { tried, made } = paths({ own: '192.168.7.7', dialled: [left], relay: [left] })
      await made.connect(hidden)
      expect(tried.at(-1)).toBe(`over ${left}`)
      expect(tried).not.toContain(hidden.id)
    }
  })

  it('that is hidden in this network is its own address, or else a circuit', async () => {
    const near = paths({ own: '192.168.1.7', dialled: [hidden.id] })
    await near.made.connect(hidden)
    expect(near.tried).toEqual([hidden.id])
    const far = paths({ own: '192.168.1.7', relay: [one, other] })
    await far.made.connect(hidden)
    expect(far.tried[0]).toBe(hidden.id)
    expect(far.overs()).toHaveLength(1)
  })

  it('goes over another direct member if all relays of a hidden member drop circuits', async () => {
    const four = relaysOf(hidden.id, direct, TODAY, 4).map(({ id }) => id)
    const spare = direct.map(({ id }) => id).find((id) => !four.includes(id)) as NodeId
    const { made, overs, connected } = paths({ members: direct, relay: [spare], answer: undefined })
    connected.add(spare)
    await made.connect(hidden)
    expect(overs().at(-1)).toBe(`over ${spare}`)
    expect(overs()).toHaveLength(5)
  })

  it('goes last over a relay that dropped a circuit a moment ago', async () => {
    const { made, overs } = paths({ answer: undefined, relay: [other] })
    const [first] = relaysOf(hidden.id, two, TODAY).map(({ id }) => id)
    const turns = first === one ? 2 : 1
    await made.connect(hidden)
    expect(overs()).toHaveLength(turns)
    await made.connect(hidden)
    expect(overs().slice(turns)).toEqual([`over ${other}`])
  })
})

describe('a hidden member that cannot be reached', () => {
  it('is silent, and never refused, if two relays do not have it', async () => {
    const { made } = paths({})
    await expect(made.connect(hidden)).rejects.toMatchObject({ failure: 'silent', message: expect.stringContaining(absent) })
  })

  it('is silent if this node is a relay of it, and another relay does not have it', async () => {
    await expect(paths({ self: one }).made.connect(hidden)).rejects.toMatchObject({ failure: 'silent' })
  })

  it('is unresponsive if a relay has a connection to it, and it does not answer', async () => {
    await expect(paths({ answer: unanswered }).made.connect(hidden)).rejects.toMatchObject({ failure: 'unresponsive' })
  })

  it('is not said to be silent because of relays to which it keeps no connection', async () => {
    const [, , , fourth] = relaysOf(hidden.id, direct, TODAY, 4).map(({ id }) => id)
    const { made } = paths({ members: direct, dialled: [fourth as NodeId, relaysOf(hidden.id, direct, TODAY)[0]?.id as NodeId] })
    await expect(made.connect(hidden)).rejects.toMatchObject({ failure: 'failed' })
  })

  it.each<[string, Situation]>([
    ['one relay is gone', { dialled: [one] }],
    ['all relays are gone', { dialled: [] }],
    ['the relays are full', { answer: 'full' }],
    ['the relays drop its circuits', { answer: undefined }],
    ['one relay does not have it, and the other is full', { answers: { [one]: absent, [other]: 'full' } }],
    ['one of two relays lies', { members: direct, self: 'me', dialled: [one] }],
  ])('is not said to be silent if %s', async (_, situation) => {
    await expect(paths(situation).made.connect(hidden)).rejects.toMatchObject({ failure: 'failed' })
  })
})
