import { beforeEach, describe, expect, it } from 'vitest'
import { constantDelay, das3, type Simulation } from '../index.ts'
import { connect, know, puppets, send, texts, type Puppet, type PuppetNode } from '../../test/puppet.ts'

let sim: Simulation<Puppet>
let from: PuppetNode
let hidden: PuppetNode
let relays: readonly PuppetNode[]

beforeEach(() => {
  sim = puppets({ network: { delay: constantDelay(10) } })
  from = sim.spawn({ dialable: false })
  hidden = sim.spawn({ dialable: false })
  relays = [sim.spawn(), sim.spawn()]
  sim.run(1)
  know(from, hidden, 'hidden')
  for (const relay of relays) know(from, relay, 'direct')
})

/** Dials the hidden node, and returns the relay of the circuit. */
function link(): PuppetNode {
  connect(from, hidden)
  sim.run(300)
  const relay = relays.find(({ endpoint }) => endpoint.circuits.size > 0)
  if (relay === undefined) throw new Error('nobody relays')
  return relay
}

describe('a circuit', () => {
  it('takes the time of both legs, makes nobody dialable, and costs the relay its bytes', () => {
    const relay = link()
    for (const [node, peer] of [
      [from, hidden],
      [hidden, from],
    ] as const)
      expect(node.protocol.got('connected')).toEqual([{ type: 'connected', peer: peer.id, dialable: false }])
    const before = relay.traffic.sent.bytes
    send(from, hidden, 'x'.repeat(100))
    sim.run(19)
    expect(texts(hidden)).toEqual([])
    sim.run(2)
    expect(texts(hidden)).toEqual(['x'.repeat(100)])
    expect(relay.traffic.sent.bytes - before).toBeGreaterThan(100)
  })

  it('ends at both ends with its relay', () => {
    sim.kill(link())
    sim.run(30)
    for (const node of [from, hidden]) expect(node.protocol.got('disconnected')).toHaveLength(1)
  })

  it('holds data while its relay stands still', () => {
    const relay = link()
    sim.stopProcess(relay)
    send(from, hidden, 'late')
    sim.run(5_000)
    expect(texts(hidden)).toEqual([])
    sim.continueProcess(relay)
    sim.run(5_000)
    expect(texts(hidden)).toEqual(['late'])
  })

  it('goes over the next relay if the first one is gone', () => {
    sim.kill(relays[0] as PuppetNode)
    link()
    expect(from.protocol.got('connected')).toHaveLength(1)
  })
})

describe('a hidden node', () => {
  it('that is gone is silent after two relays said so', () => {
    sim.kill(hidden)
    connect(from, hidden)
    sim.run(100)
    expect(from.protocol.got('unreachable')).toMatchObject([{ peer: hidden.id, failure: 'silent' }])
  })

  it('cannot be reached, but is not silent, if its relays are gone', () => {
    for (const relay of relays) sim.kill(relay)
    connect(from, hidden)
    sim.run(100)
    expect(from.protocol.got('unreachable')).toMatchObject([{ peer: hidden.id, failure: 'failed' }])
  })

  it('behind the same router is dialled itself', () => {
    sim = puppets({ network: { topology: das3 } })
    const [near, inside] = [sim.spawn({ site: 'Delft' }), sim.spawn({ site: 'Delft', dialable: 'site' })]
    sim.run(1)
    know(near, inside, 'hidden')
    connect(near, inside)
    sim.run(100)
    expect(near.protocol.got('connected')).toMatchObject([{ peer: inside.id, dialable: true }])
  })
})
