import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { MessageChannel } from 'node:worker_threads'
import { OpenError, UnknownMemberError } from '@jel/overlay'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  generatePoolKey,
  InvalidPoolNameError,
  joinPool,
  Libp2pElsewhereError,
  NoAllowListError,
  Pool,
  PoolKeysError,
  PoolLeftError,
  WorkerError,
  type PoolKeyInfo,
  type PoolOptions,
  type WarningDetail,
} from '../src/index.ts'
import { OverlayServer } from '../src/thread/overlay-server.ts'
import { startRemoteOverlay } from '../src/thread/start.ts'
import { FakeOverlay, member } from './fake-overlay.ts'
import { enterByPort } from './port.ts'

const listen = ['/ip4/127.0.0.1/tcp/0']
const ALONE = fileURLToPath(new URL('alone.ts', import.meta.url))
const pools: Pool[] = []
const name = (): string => expect.getState().currentTestName ?? ''

async function join(thread: 'main' | 'worker', ...others: Pool[]): Promise<Pool> {
  const pool = await joinPool(name(), { thread, listen, bootstrap: others.flatMap(({ self }) => self.addresses) })
  pools.push(pool)
  await expect.poll(() => [pool, ...others].every((each) => each.members().length === others.length + 1), { timeout: 10_000 }).toBe(true)
  return pool
}

/** Blocks this thread, and leaves the processor to the others. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.leave()))
})

test('an application that blocks its thread gets the events of that time afterwards, in order', async () => {
  const blocked = await join('worker')
  const other = await startRemoteOverlay({ pool: name(), listen, bootstrap: [...blocked.self.addresses] })
  await expect.poll(() => other.members().length, { timeout: 10_000 }).toBe(2)
  const heard: string[] = []
  blocked.addEventListener('signal', ({ detail }) => heard.push(detail.name))
  for (const each of ['one', 'two', 'three']) void other.signal(each, [blocked.self.id])
  // The signals are posted to the other node's thread. It goes on while this thread rests.
  block(2000)
  expect(heard).toEqual([])
  await expect.poll(() => heard).toEqual(['one', 'two', 'three'])
  await other.leave()
})

test.each(['main', 'worker'] as const)('links, traffic and measurements arrive, from the thread %s', async (thread) => {
  const other = await join('main')
  const one = await join(thread, other)
  const measured: string[] = []
  one.addEventListener('measured', ({ detail }) => measured.push(detail.what))
  await expect.poll(async () => (await one.links()).map(({ id }) => id), { timeout: 10_000 }).toEqual([other.self.id])
  expect((await one.linksOf(other.self)).map(({ id }) => id)).toEqual([one.self.id])
  // The round-trip time may be measured anew between two answers: only the ids are compared.
  expect((await one.linksOf(one.self)).map(({ id }) => id)).toEqual([other.self.id])
  await expect(one.linksOf('nobody')).rejects.toMatchObject({ code: 'UNKNOWN_MEMBER' })
  expect(await one.traffic()).toEqual({ sent: expect.any(Number), received: expect.any(Number), connections: 1 })
  await expect.poll(() => measured, { timeout: 30_000 }).toContain('reconciliation')
})

describe('streams', () => {
  const echo = '/echo/1.0.0'

  /** One pool for all tests of streams. A test that sets a handler has a protocol of its own. */
  let main: Pool
  let workers: [Pool, Pool]

  beforeAll(async () => {
    const enter = async (thread: 'main' | 'worker', bootstrap: readonly string[] = []): Promise<Pool> =>
      await joinPool('streams', { thread, listen, bootstrap: [...bootstrap] })
    main = await enter('main')
    workers = await Promise.all([enter('worker', main.self.addresses), enter('worker', main.self.addresses)])
    for (const pool of [main, ...workers]) {
      await pool.waitForMembers(3)
      await pool.handle(echo, async (stream) => {
        for await (const chunk of stream) {
          if (!stream.send(chunk)) await stream.onDrain()
        }
        await stream.close()
      })
    }
  })

  afterAll(async () => {
    await Promise.all([main, ...workers].map((pool) => pool.leave()))
  })

  /** Returns a client and a server in these threads. */
  function pair(from: 'main' | 'worker', to: 'main' | 'worker'): [client: Pool, server: Pool] {
    const [one, other] = workers
    return [from === 'main' ? main : one, to === 'main' ? main : other]
  }

  test.each([
    ['worker', 'main'],
    ['main', 'worker'],
    ['worker', 'worker'],
  ] as const)('carry bytes both ways, from %s to %s', async (from, to) => {
    const [client, server] = pair(from, to)
    const stream = await client.open(server.self, echo)
    const sent = Uint8Array.from({ length: 1_500_000 }, (_, i) => i % 251)
    const received: Uint8Array[] = []
    const reading = (async () => {
      for await (const chunk of stream) received.push(chunk.subarray())
    })()
    if (!stream.send(sent)) await stream.onDrain()
    await stream.close()
    await reading
    expect(Buffer.compare(Buffer.concat(received), sent)).toBe(0)
    expect(stream.status).toBe('closed')
  })

  test('a reader that pauses stops the writer', async () => {
    const [client, server] = pair('worker', 'worker')
    const paused = Promise.withResolvers<() => void>()
    let received = 0
    await server.handle('/slow/1.0.0', (stream) => {
      stream.pause()
      stream.addEventListener('message', ({ data }) => (received += data.byteLength))
      paused.resolve(() => stream.resume())
    })
    const stream = await client.open(server.self, '/slow/1.0.0')
    let written = 0
    const total = 8 * 2 ** 20
    const writing = (async () => {
      for (; written < total; written += 65_536) if (!stream.send(new Uint8Array(65_536))) await stream.onDrain()
      await stream.close()
    })()
    writing.catch(() => {})
    const resume = await paused.promise
    await delay(500)
    // The bound is the windows of both threads, and those of the connection between them.
    expect(written).toBeLessThan(total / 2)
    resume()
    await writing
    await expect.poll(() => received).toBe(total)
  })

  test('an aborted stream is reset at the other end', async () => {
    const [client, server] = pair('worker', 'worker')
    const ended = Promise.withResolvers<string | undefined>()
    await server.handle('/abort/1.0.0', (stream) => {
      stream.addEventListener('close', ({ error }) => ended.resolve(error?.name))
    })
    const stream = await client.open(server.self, '/abort/1.0.0')
    stream.send(new Uint8Array(10))
    stream.abort(new Error('enough'))
    expect(await ended.promise).toBe('StreamResetError')
  })

  test('a stream that is reset while it is being opened ends', async () => {
    const [client, server] = pair('worker', 'main')
    await server.handle('/never/1.0.0', () => {
      throw new Error('never')
    })
    const stream = await client.open(server.self, '/never/1.0.0')
    await expect.poll(() => stream.status, { timeout: 10_000 }).toBe('reset')
  })

  test('a wait for the end of a stream can be aborted', async () => {
    const [client, server] = pair('worker', 'main')
    await server.handle('/wait/1.0.0', (stream) => stream.pause())
    const stream = await client.open(server.self, '/wait/1.0.0')
    // This is more than the reader's end takes unread, and less than this end lets wait.
    stream.send(new Uint8Array(200_000))
    await delay(200)
    stream.send(new Uint8Array(200_000))
    await expect(stream.close({ signal: AbortSignal.timeout(500) })).rejects.toMatchObject({ name: 'TimeoutError' })
    stream.abort(new Error('enough'))
  })

  test('go to a handler that is set right after another was removed', async () => {
    const [client, server] = pair('main', 'worker')
    const controller = new AbortController()
    await server.handle('/turn/1.0.0', () => expect.unreachable(), { signal: controller.signal })
    controller.abort()
    const taken = Promise.withResolvers<string>()
    await server.handle('/turn/1.0.0', (stream, from) => {
      taken.resolve(from)
      stream.abort(new Error('that is all'))
    })
    // Meanwhile the other thread forgets the first handler.
    await delay(100)
    await client.open(server.self, '/turn/1.0.0').catch(() => {})
    expect(await taken.promise).toBe(client.self.id)
  })

  test('errors keep their class', async () => {
    const [client, server] = pair('worker', 'worker')
    await expect(client.open('nobody', echo)).rejects.toBeInstanceOf(UnknownMemberError)
    await expect(client.open(server.self, '/none/1.0.0')).rejects.toBeInstanceOf(OpenError)
    await expect(server.handle(echo, () => {})).rejects.toMatchObject({ code: 'INVALID_PROTOCOL' })
    await expect(joinPool('', { thread: 'worker' })).rejects.toBeInstanceOf(InvalidPoolNameError)
    await expect(joinPool('x', { thread: 'worker', listen: ['nowhere'] })).rejects.toMatchObject({ code: 'INVALID_ADDRESS' })
    expect(() => client.libp2p).toThrow(Libp2pElsewhereError)
  })
})

describe('the keys of a private pool', () => {
  const [former, next] = [generatePoolKey(), generatePoolKey()]

  test.each(['main', 'worker'] as const)('are changed while it runs, with thread %j', async (thread) => {
    const enter = async (...options: [PoolOptions, ...Pool[]]): Promise<Pool> => {
      const [more, ...others] = options
      const pool = await joinPool(name(), { listen, bootstrap: others.flatMap(({ self }) => self.addresses), ...more })
      pools.push(pool)
      return pool
    }
    const one = await enter({ thread, key: [former] })
    const other = await enter({ key: former }, one)
    const both = [one, other]
    const [{ id }] = (await one.keys.list()) as [PoolKeyInfo]
    for (const { keys } of both) expect(await keys.install(next)).toEqual({ id: expect.stringMatching(/^[0-9a-f]{16}$/u), primary: false })
    for (const { keys } of both) expect(await keys.use(next)).toMatchObject({ primary: true })
    for (const { keys } of both) await keys.remove(id)
    expect(await other.keys.list()).toEqual([{ id: expect.not.stringContaining(id), primary: true }])
    const late = await enter({ key: [next, former] }, other)
    await late.waitForMembers(3)
    await one.waitForMembers(3)

    await expect(one.keys.remove(next)).rejects.toBeInstanceOf(PoolKeysError)
    await expect(one.keys.use(id)).rejects.toMatchObject({ code: 'POOL_KEYS', message: expect.stringContaining('is not installed') })
    await expect(one.keys.install('x\n')).rejects.toMatchObject({ code: 'INVALID_POOL_KEY' })
    await expect(one.keys.install(7 as unknown as string)).rejects.toMatchObject({ code: 'INVALID_OPTION' })
    await one.leave()
    await expect(one.keys.list()).rejects.toBeInstanceOf(PoolLeftError)
  })

  test('do not exist in an open pool', async () => {
    const open = await join('main')
    expect(await open.keys.list()).toEqual([])
    await expect(open.keys.install(next)).rejects.toMatchObject({ code: 'POOL_KEYS' })
  })
})

describe('the allow list of a node', () => {
  test.each(['main', 'worker'] as const)('is changed while it runs, with thread %j', async (thread) => {
    const guarded = await joinPool(name(), { thread, listen, allow: [] })
    pools.push(guarded)
    const other = await joinPool(guarded.name, { listen, bootstrap: guarded.self.addresses })
    pools.push(other)
    expect(guarded.members()).toHaveLength(1)
    await guarded.allowList.add(other.self.id)
    expect(await guarded.allowList.list()).toEqual([other.self.id])
    await guarded.waitForMembers(2)

    await guarded.allowList.remove(other.self.id)
    expect(await guarded.allowList.list()).toEqual([])
    await expect.poll(() => other.health().alone, { timeout: 10_000 }).toBe(true)
    await expect(guarded.allowList.add('somebody')).rejects.toMatchObject({ code: 'INVALID_PEER_ID' })
  })

  test('can not begin while the node runs', async () => {
    const open = await join('main')
    expect(await open.allowList.list()).toBeUndefined()
    await expect(open.allowList.add(open.self.id)).rejects.toBeInstanceOf(NoAllowListError)
  })
})

test('an aborted call rejects with the reason, and the others go on', async () => {
  const pool = await join('worker')
  const reason = new Error('no time')
  await expect(pool.electionResult('role', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  const waiting = pool.electionResult('role', { signal: AbortSignal.timeout(100) })
  await expect(waiting).rejects.toMatchObject({ name: 'TimeoutError' })
  await expect(joinPool(name(), { thread: 'worker', signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  expect(await pool.elect('role')).toMatchObject({ epoch: 1, winner: { id: pool.self.id } })
})

test('a thread that crashes ends the pool, and is reported as the cause', async () => {
  const overlay = await startRemoteOverlay({ pool: name(), listen })
  const pool = new Pool(overlay, { joins: 'unreliable', elections: 'non-uniform' })
  const changes = pool.changes()
  await changes.next()
  const next = changes.next()
  const waiting = pool.electionResult('role')
  waiting.catch(() => {})
  await overlay.terminate()
  await expect(next).rejects.toBeInstanceOf(PoolLeftError)
  await expect(waiting).rejects.toMatchObject({ code: 'POOL_LEFT', cause: { code: 'WORKER' } })
  const end = await pool.closed
  expect(end.reason === 'failed' && end.error).toBeInstanceOf(WorkerError)
  await pool.leave()
})

test.each([
  ['flags that are for whole processes', ['--max-old-space-size=512', '--title=jel', ALONE]],
  ['them and a program of its own', ['--expose-gc', '--input-type=module', '-e', `import ${JSON.stringify(pathToFileURL(ALONE).href)}`]],
])('a worker starts in a process that was given %s, and the process ends by itself', async (_, flags) => {
  const child = spawn(process.execPath, flags, { stdio: ['ignore', 'ignore', 'inherit'] })
  expect(await once(child, 'exit', { signal: AbortSignal.timeout(30_000) })).toEqual([0, null])
})

test('a worker cuts small buffers from small blocks, and leaves those of the application alone', async () => {
  const preload = `import { isMainThread } from 'node:worker_threads'
    process.on('exit', () => console.log(isMainThread ? 'main' : 'worker', Buffer.poolSize))`
  const flags = ['--import', `data:text/javascript,${encodeURIComponent(preload)}`, ALONE]
  const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] })
  const said = await text(child.stdout)
  expect(said.split('\n')).toEqual(expect.arrayContaining(['worker 8192', `main ${Buffer.poolSize}`]))
})

test('more news than may wait gives its readers an error, and the view is right afterwards', async () => {
  const overlay = new FakeOverlay()
  const { port1, port2 } = new MessageChannel()
  void new OverlayServer(overlay, port1, 10)
  const remote = await enterByPort(port2)
  const pool = new Pool(remote, { joins: 'unreliable', elections: 'non-uniform' })
  const warnings: WarningDetail[] = []
  pool.addEventListener('warning', ({ detail }) => warnings.push(detail))
  const changes = pool.changes()
  await changes.next()
  const result = pool.electionResult('role')
  for (let i = 0; i < 50; i++) overlay.tell({ type: 'joined', member: member(`M${i}`) })
  overlay.tell({ type: 'elected', reign: { election: 'role', epoch: 1, winner: overlay.self } })
  expect(await result).toMatchObject({ epoch: 1 })
  await expect(drain(changes)).rejects.toMatchObject({ code: 'CHANGES_OVERFLOW' })
  expect(warnings).toEqual([{ code: 'EVENTS_LOST', message: expect.stringContaining('41 events') }])
  expect(pool.members()).toHaveLength(51)
  await pool.leave()
})

test('a changed member is shown as it is now, and a member that is gone does not come back', async () => {
  const overlay = new FakeOverlay(member('A'))
  const { port1, port2 } = new MessageChannel()
  void new OverlayServer(overlay, port1)
  const remote = await enterByPort(port2)
  const moved = { ...member('A'), tag: Uint8Array.of(7) }
  overlay.tell({ type: 'updated', member: moved })
  await expect.poll(() => remote.members()[0]).toEqual(moved)
  overlay.tell({ type: 'left', member: moved })
  overlay.tell({ type: 'updated', member: moved })
  overlay.tell({ type: 'updated', member: { ...overlay.self, tag: Uint8Array.of(8) } })
  await expect.poll(() => remote.self.tag).toEqual(Uint8Array.of(8))
  expect(remote.members().map(({ id }) => id)).toEqual(['B'])
  await remote.leave()
})

test('elections that the other thread has forgotten are forgotten here as well', async () => {
  const overlay = new FakeOverlay()
  const { port1, port2 } = new MessageChannel()
  void new OverlayServer(overlay, port1)
  const remote = await enterByPort(port2)
  for (let i = 0; i < 2_000; i++) overlay.tell({ type: 'elected', reign: { election: `made up ${i}`, epoch: 1, winner: overlay.self } })
  await expect.poll(() => remote.reigns().length).toBe(2_000)
  for (let i = 0; i < 1_999; i++) overlay.forget(`made up ${i}`)
  await expect.poll(() => remote.reigns().map(({ election }) => election), { timeout: 10_000 }).toEqual(['made up 1999'])
  await remote.leave()
})

async function drain(changes: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of changes);
}
