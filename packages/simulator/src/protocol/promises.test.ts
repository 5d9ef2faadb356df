import type { Member, Notification } from '@jel/protocol'
import { describe, expect, it } from 'vitest'
import { BrokenPromiseError } from '../index.ts'
import { act, puppets, type PuppetNode } from '../../test/puppet.ts'

const member = (node: PuppetNode, incarnation = 1): Member => ({
  id: node.id,
  incarnation,
  addresses: node.addresses,
  location: 'here',
  tag: new Uint8Array(),
  constants: new Map(),
  reach: 'direct',
  joinedAt: 0,
})

function world(): { sim: ReturnType<typeof puppets>; a: PuppetNode; b: PuppetNode; tell: (...told: Notification[]) => void } {
  const sim = puppets({ seed: 42 })
  const [a, b] = [sim.spawn(), sim.spawn()]
  sim.run(1)
  for (const node of [a, b]) node.protocol.self = member(node)
  const tell = (...told: Notification[]): void => act(a, ...told.map((notification) => ({ type: 'notify' as const, notification })))
  return { sim, a, b, tell }
}

describe('the promises', () => {
  it('hold for joins, ends and new lives in order', () => {
    const { sim, a, b, tell } = world()
    tell({ type: 'joined', member: member(a) }, { type: 'joined', member: member(b) }, { type: 'left', member: member(b) })
    tell({ type: 'joined', member: member(b, 2) })
    sim.kill(b)
    tell({ type: 'died', member: member(b, 2) })
    tell({ type: 'elected', reign: { election: 'master', epoch: 1, winner: member(a) } })
    tell({ type: 'elected', reign: { election: 'master', epoch: 1, winner: member(b, 2) } })
    expect(a.news).toHaveLength(7)
  })

  it('hold for a member that is updated within its life', () => {
    const { a, b, tell } = world()
    const changed = { type: 'updated', member: member(b) } as unknown as Notification
    tell({ type: 'joined', member: member(a) }, { type: 'joined', member: member(b) }, changed, { type: 'left', member: member(b) })
    expect(a.news).toHaveLength(4)
    expect(() => tell(changed)).toThrow('was told of a change of')
    expect(() => world().tell(changed)).toThrow('but never that it joined')
  })

  const cases: readonly (readonly [string, (a: PuppetNode, b: PuppetNode) => Notification[]])[] = [
    ['before its own join', (_a, b) => [{ type: 'joined', member: member(b) }]],
    [
      'twice',
      (a) => [
        { type: 'joined', member: member(a) },
        { type: 'joined', member: member(a) },
      ],
    ],
    [
      'after its end',
      (a, b) => [
        { type: 'joined', member: member(a) },
        { type: 'joined', member: member(b) },
        { type: 'left', member: member(b) },
        { type: 'joined', member: member(b) },
      ],
    ],
    [
      'was present',
      (a, b) => [
        { type: 'joined', member: member(a) },
        { type: 'joined', member: member(b) },
        { type: 'joined', member: member(b, 2) },
      ],
    ],
    [
      'later incarnation 2',
      (a, b) => [
        { type: 'joined', member: member(a) },
        { type: 'joined', member: member(b, 2) },
        { type: 'left', member: member(b, 2) },
        { type: 'joined', member: member(b) },
      ],
    ],
    ['never that it joined', (_a, b) => [{ type: 'left', member: member(b) }]],
    [
      'left after its end',
      (a, b) => [
        { type: 'joined', member: member(a) },
        { type: 'joined', member: member(b) },
        { type: 'left', member: member(b) },
        { type: 'left', member: member(b) },
      ],
    ],
    [
      'runs and was in contact',
      (a, b) => [
        { type: 'joined', member: member(a) },
        { type: 'joined', member: member(b) },
        { type: 'died', member: member(b) },
      ],
    ],
    [
      'went back',
      (a) => [
        { type: 'elected', reign: { election: 'm', epoch: 2, winner: member(a) } },
        { type: 'elected', reign: { election: 'm', epoch: 1, winner: member(a) } },
      ],
    ],
    [
      'the token names two reigns',
      (a) => [
        { type: 'elected', reign: { election: 'm', epoch: 1, winner: member(a) } },
        { type: 'elected', reign: { election: 'm', epoch: 1, winner: member(a) } },
      ],
    ],
  ]
  for (const [words, told] of cases) {
    it(`are broken by a notification, with seed and time: "… ${words}"`, () => {
      const { a, b, tell } = world()
      const attempt = (): void => tell(...told(a, b))
      expect(attempt).toThrow(BrokenPromiseError)
      expect(attempt).toThrow(/^seed 42, 1\.000 ms, node /)
      try {
        world().tell(...told(a, b))
      } catch (error) {
        expect(String(error)).toContain(words)
      }
    })
  }
})
