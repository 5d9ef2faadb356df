import { afterEach, expect, it, vi } from 'vitest'
import { Replica } from '../core/replica.ts'
import { ReplicaHost } from './replica-host.ts'
import type { ServiceNode } from './service-node.ts'

afterEach(() => void vi.restoreAllMocks())

/** A node without a network. */
function node(): ServiceNode {
  const pool = Object.assign(new EventTarget(), {
    self: { id: 'me', incarnation: 1 },
    closed: new Promise(() => {}),
    members: () => [],
    reigns: () => [],
    health: () => ({ minority: false }),
  })
  const peers = { start: async () => await Promise.resolve(), add: () => {}, keep: () => {}, remove: () => {} }
  return { pool, peers, add: async () => await Promise.resolve() } as unknown as ServiceNode
}

it('a call is answered although a listener to notices throws, and the error is thrown later', async () => {
  const host = await ReplicaHost.start(node(), 'counter', {
    version: '1.0.0',
    replicas: 2,
    initial: 0,
    apply: (state) => [state, state],
    merge: undefined,
  })
  vi.spyOn(Replica.prototype, 'handle').mockReturnValue([
    { type: 'notice', code: 'SLOW_REPLICA', message: 'it is slow' },
    { type: 'answer', call: 1, answer: { result: '7' } },
  ])
  const later: (() => void)[] = []
  vi.spyOn(globalThis, 'queueMicrotask').mockImplementation((task) => void later.push(task))
  const heard: string[] = []
  host.onNotice(() => {
    throw new Error('a listener')
  })
  host.onNotice(({ code }) => heard.push(code))
  const answer = host.take({ name: 'counter', from: 'me', key: 'k', input: 1, signal: new AbortController().signal })
  expect(await answer).toEqual({ result: '7' })
  expect(heard).toEqual(['SLOW_REPLICA'])
  expect(later).toHaveLength(1)
  expect(later[0]).toThrow('a listener')
})
