import dns from 'node:dns'
import { setTimeout as sleep } from 'node:timers/promises'
import { multiaddr } from '@multiformats/multiaddr'
import { afterEach, expect, test, vi } from 'vitest'
import { startPeer, stopAll } from '../../test/peers.ts'

afterEach(async () => {
  vi.restoreAllMocks()
  await stopAll()
})

test('dials that a node gave up leave no look-ups that begin later', async () => {
  const peer = await startPeer({ timeout: 5_000 })
  const others = await Promise.all([startPeer(), startPeer(), startPeer()])
  const looked: string[] = []
  const answers: (() => void)[] = []
  vi.spyOn(dns, 'lookup').mockImplementation(((host: string, _options: unknown, done: (error: Error) => void) => {
    looked.push(host)
    answers.push(() => done(new Error('no such name')))
  }) as never)
  const dials = others.map(async ({ id }, i) => await peer.dialer.connect(id, [multiaddr(`/dns4/name${i}.example/tcp/1`).bytes]))
  for (const given of await Promise.allSettled(dials)) expect(given.status).toBe('rejected')
  for (let answered = 0; answered < answers.length; answered++) {
    answers[answered]?.()
    await sleep(20)
  }
  expect(looked).toEqual(['name0.example'])
}, 20_000)
