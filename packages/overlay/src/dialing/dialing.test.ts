import { connect, createServer, type Server, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import type { Libp2p } from '@libp2p/interface'
import { multiaddr } from '@multiformats/multiaddr'
import { afterEach, describe, expect, test } from 'vitest'
import { startPeer, stopAll, until, type Peer } from '../../test/peers.ts'
import { generatePoolKey, checkPoolKey } from '../identity/pool-key.ts'
import { DialError, Dialer } from './dialing.ts'
import { probeHost } from './host-probe.ts'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp()
  await stopAll()
})

const addressOf = (port: number): Uint8Array => multiaddr(`/ip4/127.0.0.1/tcp/${port}`).bytes

async function failureOf(attempt: Promise<unknown>): Promise<DialError> {
  const error: unknown = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(DialError)
  return error as DialError
}

async function link(from: Peer, to: { id: string | undefined; addresses: Uint8Array[] }): Promise<void> {
  await from.dialer.open(await from.dialer.connect(to.id, to.addresses))
}

/**
 * An address where nothing listens. A port that was free a moment ago may be the next one that the
 * system gives to a server; this one it gives to nobody.
 */
const refusing = addressOf(1)

/** Returns an address where a server accepts and sends nothing. */
async function unresponsive(): Promise<{ server: Server; address: Uint8Array }> {
  const sockets: Socket[] = []
  const server = createServer((socket) => sockets.push(socket.on('error', () => {})))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanUps.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { server, address: addressOf((server.address() as { port: number }).port) }
}

/**
 * Returns an address whose packets go unanswered: a listener with a full queue that never accepts.
 */
async function silent(): Promise<Uint8Array> {
  // The first cell is never set: the thread waits for it. The second one says that it waits.
  const cells = new Int32Array(new SharedArrayBuffer(8))
  const worker = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads')
     const server = require('node:net').createServer()
     server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
       parentPort.postMessage(server.address().port)
       Atomics.store(workerData, 1, 1)
       Atomics.wait(workerData, 0, 0)
     })`,
    { eval: true, workerData: cells },
  )
  cleanUps.push(async () => await worker.terminate())
  const port = await new Promise<number>((resolve) => worker.once('message', resolve))
  await until(() => Atomics.load(cells, 1) === 1)
  // The kernel itself accepts as many connections as the queue holds, and one more.
  const fillers = Array.from({ length: 4 }, () => connect({ port, host: '127.0.0.1' }).on('error', () => {}))
  cleanUps.push(() => fillers.forEach((filler) => filler.destroy()))
  await until(() => fillers.filter(({ connecting }) => !connecting).length === 2)
  return addressOf(port)
}

const nobody = '12D3KooWQbjhTZwRrkRXZWwusceeWZ9xLT9HSpyCNhpzj9um7iM5'

describe('a dial that fails is', () => {
  test('refused where nothing listens', async () => {
    const a = await startPeer()
    const start = performance.now()
    const failure = await failureOf(a.dialer.connect(nobody, [refusing]))
    expect(failure.failure).toBe('refused')
    expect(failure.message).toMatch(/127\.0\.0\.1.*connection refused/u)
    expect(performance.now() - start).toBeLessThan(1_500)
  })

  test('unresponsive where a host accepts and sends nothing', async () => {
    const a = await startPeer({ timeout: 300 })
    const failure = await failureOf(a.dialer.connect(nobody, [(await unresponsive()).address]))
    expect(failure.failure).toBe('unresponsive')
    expect(failure.message).toMatch(/nothing was said within 300 ms/u)
  })

  test('silent where nothing answers', async () => {
    const a = await startPeer({ timeout: 8_000 })
    const start = performance.now()
    const failure = await failureOf(a.dialer.connect(nobody, [await silent()]))
    expect(failure.failure).toBe('silent')
    expect(performance.now() - start).toBeLessThan(6_000)
  })

  test('impostor where another key answers', async () => {
    const [a, b] = [await startPeer(), await startPeer()]
    const failure = await failureOf(a.dialer.connect(nobody, [b.address]))
    expect(failure.failure).toBe('impostor')
    expect(failure.message).toContain(`another node lives there now, ${b.id}, or the id in the address is wrong`)
  })

  const noName = 'x'.repeat(64) // too long for a DNS label: no name server is asked
  test.each([
    ['a name that nobody has', `/dns4/${noName}/tcp/4001`, new RegExp(`the name ${noName} can't be resolved \\(\\w+\\)`, 'u')],
    ['a refused name', '/dns4/localhost/tcp/1', /localhost.*connection refused/u],
  ])('reported by its cause and never blamed on the key: %s', async (_, address, reason) => {
    const a = await startPeer({ key: checkPoolKey(generatePoolKey()) })
    const failure = await failureOf(a.dialer.connect(undefined, [multiaddr(address).bytes]))
    expect(failure.message).toMatch(reason)
    expect(failure.message).not.toMatch(/key|handshake/u)
  })

  // These are the errors of libp2p 3.3. Its resolver would ask the name servers of the machine. A
  // test must not do that.
  test.each([
    [
      'has no records',
      Object.assign(new Error('queryTxt ENOTFOUND'), { code: 'ENOTFOUND', syscall: 'queryTxt' }),
      /no TXT record .*\(ENOTFOUND\)/u,
    ],
    [
      'can not be asked for',
      Object.assign(new Error('queryTxt'), { code: 'ECONNREFUSED', syscall: 'queryTxt' }),
      /no TXT record .*\(ECONNREFUSED\)/u,
    ],
    [
      'names no address',
      Object.assign(new Error('none'), { name: 'NoValidAddressesError' }),
      /TXT records of _dnsaddr\.x\.invalid name no address/u,
    ],
  ])('reported as failed with its cause where a dnsaddr %s', async (_, error, reason) => {
    const libp2p = { dial: async () => await Promise.reject(new AggregateError([error], 'none')) } as unknown as Libp2p
    const dialer = new Dialer(libp2p, { protocols: [], keyed: true })
    const failure = await failureOf(dialer.connect(undefined, [multiaddr('/dnsaddr/x.invalid').bytes]))
    expect(failure.failure).toBe('failed')
    expect(failure.message).toMatch(reason)
    expect(failure.message).not.toMatch(/key/u)
  })

  test('reported as failed where a member announces records of addresses, which nobody looks up', async () => {
    let dials = 0
    const dial = async (): Promise<never> => {
      dials++
      return await Promise.reject(new Error('none'))
    }
    const libp2p = { dial } as unknown as Libp2p
    const address = multiaddr('/dnsaddr/x.invalid').bytes
    const failure = await failureOf(new Dialer(libp2p, { protocols: [], keyed: false }).connect(nobody, [address]))
    expect([failure.message, dials]).toEqual(['it has no address that can be dialled', 0])
    await failureOf(new Dialer(libp2p, { protocols: [], keyed: false, given: [address] }).connect(nobody, [address]))
    expect(dials).toBe(1)
  })

  test('reported as failed for an invalid address, and for no address', async () => {
    const a = await startPeer()
    expect((await failureOf(a.dialer.connect(nobody, [Uint8Array.of(1, 2, 3)]))).failure).toBe('failed')
    expect((await failureOf(a.dialer.connect(nobody, []))).message).toMatch(/no address/u)
  })

  test('reported as self where the address is of this node', async () => {
    const a = await startPeer()
    const failure = await failureOf(a.dialer.connect(undefined, [a.address]))
    expect(failure.failure).toBe('self')
    expect(failure.message).toMatch(/this node itself/u)
  })

  test('reported as failed with its cause at a member of another pool', async () => {
    const [a, b] = [await startPeer(), await startPeer({ pool: 'another' })]
    const failure = await failureOf(link(a, { id: b.id, addresses: [b.address] }))
    expect(failure.failure).toBe('failed')
    expect(failure.message).toMatch(/belongs to another pool or runs another version/u)
    expect(b.log).toEqual([])
  })
})

describe('a pool key', () => {
  const key = checkPoolKey(generatePoolKey())
  const other = checkPoolKey(generatePoolKey())
  test.each([
    ['a dialler with another key', other, key],
    ['a dialler without a key', undefined, key],
    ['a listener without a key', key, undefined],
  ])('%s gets no link, and an error that suspects the key', async (_who, dialling, listening) => {
    const b = await startPeer(listening && { key: listening })
    const a = await startPeer({ ...(dialling && { key: dialling }), timeout: 500 })
    const failure = await failureOf(link(a, { id: b.id, addresses: [b.address] }))
    expect(['failed', 'unresponsive']).toContain(failure.failure)
    expect(failure.message).toMatch(/pool key may be the reason/u)
    expect(b.log).toEqual([])
  })

  test('that both sides have gives a link', async () => {
    const [a, b] = [await startPeer({ key }), await startPeer({ key })]
    await a.link(b)
    expect(a.log).toEqual([`up ${b.id}`])
  })
})

describe('of several addresses', () => {
  test('the one that answers is taken without waiting for the others', async () => {
    const [a, b] = [await startPeer(), await startPeer()]
    const [quiet, gone] = [await silent(), refusing]
    const start = performance.now()
    await a.dialer.connect(b.id, [quiet, gone, b.address])
    expect(performance.now() - start).toBeLessThan(1_500)
  })

  test('an impostor at one does not hide the peer at the next', async () => {
    const [a, b, c] = [await startPeer(), await startPeer(), await startPeer()]
    const connection = await a.dialer.connect(b.id, [c.address, b.address])
    expect(connection.remotePeer.toString()).toBe(b.id)
  })

  test('a refusal is reported only where all refuse', async () => {
    const a = await startPeer({ timeout: 300 })
    const [gone, quiet, busy] = [refusing, await silent(), (await unresponsive()).address]
    expect((await failureOf(a.dialer.connect(nobody, [gone, refusing]))).failure).toBe('refused')
    expect((await failureOf(a.dialer.connect(nobody, [gone, quiet]))).failure).toBe('silent')
    expect((await failureOf(a.dialer.connect(nobody, [gone, busy, quiet]))).failure).toBe('unresponsive')
  })
})

describe('a host probe', () => {
  test('distinguishes hosts that accept, that refuse and that are silent', async () => {
    const [gone, quiet, busy] = [refusing, await silent(), (await unresponsive()).address]
    // A busy machine answers late, even on loopback.
    const patient = 10_000
    expect(await probeHost([gone], patient)).toBe('refused')
    expect(await probeHost([quiet], 200)).toBe('silent')
    expect(await probeHost([gone, quiet], 200)).toBe('silent')
    const start = performance.now()
    expect(await probeHost([gone, quiet, busy], patient)).toBe('accepted')
    expect(performance.now() - start).toBeLessThan(patient)
  })

  test('reports silence where there is nothing to probe', async () => {
    expect(await probeHost([])).toBe('silent')
    expect(await probeHost([Uint8Array.of(255)])).toBe('silent')
  })
})
