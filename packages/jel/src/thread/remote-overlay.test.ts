import { EventEmitter } from 'node:events'
import { MessageChannel } from 'node:worker_threads'
import type { Stream } from '@libp2p/interface'
import { afterEach, expect, it, vi } from 'vitest'
import { ElectionsFullError } from '@jel/overlay'
import { FakeOverlay, member } from '../../test/fake-overlay.ts'
import { enterByPort } from '../../test/port.ts'
import { WorkerError } from '../errors.ts'
import { Pool } from '../pool/pool.ts'
import { toFault } from './faults.ts'
import type { Report, Request, Snapshot } from './messages.ts'
import { OverlayServer } from './overlay-server.ts'
import { RemoteOverlay, type Thread } from './remote-overlay.ts'

const { port1, port2 } = new MessageChannel()

afterEach(() => port2.close())

it('a thread that ends before its last report arrives does not count as failed', async () => {
  const thread = new EventEmitter()
  const overlay = new RemoteOverlay(thread as unknown as Thread, port1, 'test', {
    members: [],
    reigns: [],
    records: [],
  } as unknown as Snapshot)
  port2.postMessage({ type: 'closed', fault: toFault(new RangeError('no such address')) } satisfies Report)
  thread.emit('exit', 0)
  const closed = await overlay.closed
  expect(closed).toMatchObject({ reason: 'failed', error: { message: 'no such address' } })
  expect(closed).not.toMatchObject({ error: expect.any(WorkerError) as unknown })
})

/** Returns an overlay, and the same one as another thread sees it. */
async function across(): Promise<{ overlay: FakeOverlay; remote: RemoteOverlay }> {
  const overlay = new FakeOverlay(member('A'))
  const channel = new MessageChannel()
  void new OverlayServer(overlay, channel.port1)
  return { overlay, remote: await enterByPort(channel.port2) }
}

it('calls and answers cross the port, in order', async () => {
  const { overlay, remote } = await across()
  await remote.elect('role')
  remote.maybeDead('A')
  remote.rejoin(2)
  remote.withdraw('role')
  expect(await remote.publish('job', Uint8Array.of(1), { ttl: 1_000 })).toMatchObject({ name: 'job', owner: 'B' })
  expect(remote.records()).toMatchObject([{ name: 'job' }])
  await remote.setConstant('jel.test', Uint8Array.of(2))
  expect(remote.self.constants).toEqual(new Map([['jel.test', Uint8Array.of(2)]]))
  await remote.signal('go', ['A'], { signal: new AbortController().signal })
  await remote.signal('stop', ['A'])
  await remote.broadcast('event', Uint8Array.of(3))
  await remote.unpublish('job')
  expect(await remote.keys.use('text')).toEqual({ id: 'k', primary: true })
  expect(await remote.traffic()).toMatchObject({ connections: 3 })
  expect(overlay.asked.slice(0, 5)).toEqual(['elect role', 'maybeDead A', 'rejoin 2', 'withdraw role', 'publish job 1 1000'])
  expect(overlay.asked.slice(5)).toEqual(['signal go A abortable', 'signal stop A', 'broadcast event 1', 'unpublish job'])
  overlay.end()
  await expect(remote.sign(Uint8Array.of(1))).rejects.toMatchObject({ code: 'OVERLAY_CLOSED' })
  await remote.leave()
  await expect(remote.sign(Uint8Array.of(1))).rejects.toMatchObject({ code: 'OVERLAY_CLOSED' })
})

it('one election too many rejects with the code of the other thread', async () => {
  const { overlay, remote } = await across()
  overlay.elect = () => Promise.reject(new ElectionsFullError('no room'))
  const pool = new Pool(remote, { joins: 'unreliable', elections: 'non-uniform' })
  await expect(pool.elect('role')).rejects.toMatchObject({ code: 'ELECTIONS_FULL', message: 'no room' })
  const local = new FakeOverlay(member('A'))
  local.tell({ type: 'elected', reign: { election: 'role', epoch: 1, winner: member('A') } })
  local.elect = () => Promise.reject(new ElectionsFullError('no room'))
  await expect(new Pool(local, { joins: 'unreliable', elections: 'non-uniform' }).elect('role')).rejects.toThrow('no room')
  await pool.leave()
})

it('a call that is aborted ends at both sides', async () => {
  const { overlay, remote } = await across()
  const aborted = Promise.withResolvers<void>()
  overlay.signal = async (_name, _ids, options) => {
    options?.signal?.addEventListener('abort', () => aborted.resolve())
    await aborted.promise
  }
  const controller = new AbortController()
  const given = remote.signal('go', ['A'], { signal: controller.signal })
  controller.abort(new Error('enough'))
  await expect(given).rejects.toThrow('enough')
  await aborted.promise
  await remote.leave()
})

it('few streams wait for an application that blocks its thread', async () => {
  const overlay = new FakeOverlay(member('A'))
  const { port1: server, port2: application } = new MessageChannel()
  void new OverlayServer(overlay, server)
  application.postMessage({ type: 'call', id: 1, method: 'handle', args: ['/p/1'], abortable: false } satisfies Request)
  await expect.poll(() => overlay.handlers.length).toBe(1)
  const abort = vi.fn<() => void>()
  const opened = (): Stream => Object.assign(new EventTarget(), { status: 'open', abort }) as unknown as Stream
  for (let n = 0; n < 10; n++) void overlay.handlers[0]!(opened(), 'A')
  expect(abort).toHaveBeenCalledTimes(2)
  for (let n = 0; n < 121; n++) void overlay.handlers[0]!(opened(), `member ${n}`)
  expect(abort).toHaveBeenCalledTimes(3)
  for (let n = 0; n < 5; n++) application.postMessage({ type: 'accepted', from: 'A' } satisfies Request)
  application.postMessage({ type: 'call', id: 2, method: 'handle', args: ['/p/2'], abortable: false } satisfies Request)
  await expect.poll(() => overlay.handlers.length).toBe(2)
  for (let n = 0; n < 5; n++) void overlay.handlers[0]!(opened(), 'A')
  expect(abort).toHaveBeenCalledTimes(3)
  void overlay.handlers[0]!(opened(), 'B')
  expect(abort).toHaveBeenCalledTimes(4)
  application.close()
})

it('the application says that it has taken a stream', async () => {
  const { overlay, remote } = await across()
  await remote.handle('/p/1', () => {})
  const abort = vi.fn<() => void>()
  for (let n = 0; n < 200; n++) {
    void overlay.handlers[0]!(Object.assign(new EventTarget(), { status: 'open', abort }) as unknown as Stream, 'A')
    // The port keeps the order. So the application has taken the streams before the first answer,
    // and the overlay knows it before the second.
    if (n % 5 === 0) for (const _ of [1, 2]) await remote.traffic()
  }
  expect(abort).not.toHaveBeenCalled()
  await remote.leave()
})
