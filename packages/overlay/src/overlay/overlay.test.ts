import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { multiaddr } from '@multiformats/multiaddr'
import { afterEach, describe, expect, test } from 'vitest'
import { bytes, until } from '../../test/peers.ts'
import { count, enter, leaveAll, pool } from '../../test/pool.ts'
import { generatePoolKey, type OverlayNotification } from '../index.ts'

const folders: string[] = []
afterEach(async () => {
  await leaveAll()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'jel-overlay-'))
  folders.push(folder)
  return folder
}

describe('a pool of real hosts', () => {
  test('starts with one node, which is a member at once', async () => {
    const start = performance.now()
    const { overlay } = await enter({ location: 'a@b', tag: bytes('gpu') })
    expect(performance.now() - start).toBeLessThan(5_000)
    expect(overlay.members()).toEqual([overlay.self])
    expect(overlay.self).toMatchObject({ incarnation: 1, location: 'a@b', tag: bytes('gpu') })
    expect(overlay.self.addresses).toEqual([
      expect.stringMatching(new RegExp(`^/ip4/127\\.0\\.0\\.1/tcp/\\d+/p2p/${overlay.self.id}$`, 'u')),
    ])
    expect(overlay.health()).toMatchObject({ links: 0, members: 1, alone: false, introducers: [] })
  })

  test('shows each member to every other, once', async () => {
    const nodes = await pool(5)
    const ids = nodes.map(({ id }) => id).sort()
    for (const node of nodes) {
      expect(node.overlay.members().map(({ id }) => id)).toEqual(ids)
      for (const other of nodes) expect(count(node, 'joined', other.id)).toBeLessThanOrEqual(1)
    }
  })

  test('takes a new life of a member that asks for one, and not a second one at once', async () => {
    const [a, b] = await pool(2)
    const { incarnation } = b!.overlay.self
    b!.overlay.rejoin(incarnation)
    b!.overlay.rejoin(incarnation)
    b!.overlay.rejoin(incarnation + 1)
    await until(() => a!.overlay.members().some(({ id, incarnation: later }) => id === b!.id && later > incarnation))
    expect(b!.overlay.self.incarnation).toBe(incarnation + 1)
    expect(count(a!, 'joined', b!.id)).toBe(2)
  })

  test('is sorted once, until it changes', async () => {
    const [a, b] = await pool(2)
    const before = a!.overlay.members()
    expect(a!.overlay.members()).toBe(before)
    await b!.overlay.setTag(bytes('gpu'))
    await until(() => a!.heard.some(({ type }) => type === 'updated'))
    expect(a!.overlay.members().find(({ id }) => id === b!.id)?.tag).toEqual(bytes('gpu'))
    await b!.overlay.leave()
    await until(() => count(a!, 'left', b!.id) === 1)
    expect(a!.overlay.members()).toEqual([a!.overlay.self])
    expect(before).toHaveLength(2)
  })

  test('may be entered by an address without an id', async () => {
    const first = await enter()
    const second = await enter({ bootstrap: [first.overlay.self.addresses[0]!.replace(/\/p2p\/.*/u, '')] })
    await until(() => first.overlay.members().length === 2 && second.overlay.members().length === 2)
  })

  test('may be entered by all its addresses, of which some are for browsers', async () => {
    const first = await enter({ web: { listen: '127.0.0.1:0' } })
    const bootstrap = [...first.overlay.self.addresses].toReversed()
    expect(bootstrap.filter((address) => address.includes('/ws'))).toHaveLength(1)
    const second = await enter({ bootstrap })
    await until(() => second.overlay.members().length === 2)
  })

  test('is known to a newcomer when its start resolves, so that it can signal its introducer', async () => {
    const first = await enter({ tag: new Uint8Array(1_000) })
    for (let count = 2; count <= 6; count += 1) {
      const { overlay } = await enter({ bootstrap: [...first.overlay.self.addresses], tag: new Uint8Array(1_000) })
      expect(overlay.members().map(({ id }) => id)).toContain(first.id)
      await overlay.signal('hello', [first.id])
    }
  })

  test('has its records again after all its nodes were off, with their dates, and without those that were withdrawn', async () => {
    const folder = temporary()
    const files = ['a', 'b'].map((name) => join(folder, name))
    const a = await enter({ identityFile: files[0]! })
    const b = await enter({ identityFile: files[1]!, bootstrap: [...a.overlay.self.addresses] })
    const record = await a.overlay.publish('job', bytes('one'), { ttl: 3_600_000 })
    await b.overlay.publish('gone', bytes('two'), { ttl: 3_600_000 })
    await b.overlay.unpublish('gone')
    await until(() => a.overlay.records().length === 1 && b.overlay.records().length === 1)
    await leaveAll()
    // The other node comes first, and has only the copy.
    const again = await enter({ identityFile: files[1]! })
    expect(again.overlay.records()).toEqual([record])
    const newcomer = await enter({ bootstrap: [...again.overlay.self.addresses] })
    await until(() => newcomer.overlay.records().length === 1)
    expect(newcomer.overlay.records()).toEqual([record])
  })

  test('has its records again after starts that failed or were interrupted', async () => {
    const identityFile = join(temporary(), 'a')
    const first = await enter({ identityFile })
    const record = await first.overlay.publish('job', bytes('one'), { ttl: 3_600_000 })
    await leaveAll()
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const address = `127.0.0.1:${(taken.address() as { port: number }).port}`
    try {
      await expect(enter({ identityFile, listen: [address] })).rejects.toMatchObject({ code: 'LISTEN_FAILED' })
      // Something accepts there, and says nothing.
      const signal = AbortSignal.timeout(500)
      await expect(enter({ identityFile, bootstrap: [address], signal })).rejects.toThrow(/aborted|timeout/u)
    } finally {
      taken.close()
    }
    expect((await enter({ identityFile })).overlay.records()).toEqual([record])
  })

  test('hears of a leave quickly, and not as a death', async () => {
    const [a, b, c] = await pool(3)
    await b!.overlay.leave()
    await until(() => [a!, c!].every((node) => count(node, 'left', b!.id) === 1), 3_000)
    expect([a!, c!].map((node) => count(node, 'died', b!.id))).toEqual([0, 0])
    await expect(b!.overlay.closed).resolves.toEqual({ reason: 'left' })
  })

  test('reports a host that stops without a word as dead', async () => {
    const [a, b, c] = await pool(3)
    await b!.overlay.libp2p.stop()
    await until(() => [a!, c!].every((node) => count(node, 'died', b!.id) === 1), 3_000)
    await expect(b!.overlay.closed).resolves.toMatchObject({ reason: 'failed', error: { code: 'OVERLAY_CLOSED' } })
    await expect(b!.overlay.elect('x')).rejects.toThrow(/has left the pool/u)
  })

  test('refuses one election too many, and has room again once a node withdraws from another', async () => {
    const { overlay } = await enter({ config: { limits: { elections: 2 } } })
    for (const name of ['a', 'b']) await overlay.elect(name)
    await expect(overlay.elect('c')).rejects.toMatchObject({ code: 'ELECTIONS_FULL' })
    overlay.withdraw('a')
    await overlay.elect('c')
    await until(() => overlay.reign('c')?.winner.id === overlay.self.id)
  })

  test('elects one of its members', async () => {
    const nodes = await pool(3)
    for (const { overlay } of nodes) await overlay.elect('master')
    await until(() => nodes.every(({ overlay }) => overlay.reign('master') !== undefined))
    const winners = new Set(nodes.map(({ overlay }) => overlay.reign('master')!.winner.id))
    expect(winners.size).toBe(1)
    expect(nodes[0]!.heard.some((each) => each.type === 'elected' && each.reign.winner.addresses.length === 1)).toBe(true)
  })

  test('delivers signals, and reports the members that did not get one', async () => {
    const [a, b, c] = await pool(3)
    await a!.overlay.signal('go', [b!.id, c!.id])
    for (const node of [b!, c!]) {
      expect(node.heard.filter(({ type }) => type === 'signal')).toMatchObject([{ name: 'go', from: { id: a!.id } }])
    }
    const nobody = '12D3KooWQbjhTZwRrkRXZWwusceeWZ9xLT9HSpyCNhpzj9um7iM5'
    await expect(a!.overlay.signal('go', [b!.id, nobody])).rejects.toMatchObject({
      code: 'SIGNAL_FAILED',
      failed: [nobody],
      delivered: [b!.id],
    })
    const reason = new Error('changed my mind')
    await expect(a!.overlay.signal('go', [b!.id], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })

  test('reports an error of a listener to the process, and goes on', async () => {
    const { overlay, heard } = await enter()
    overlay.subscribe(() => {
      throw new Error('listener')
    })
    const later: OverlayNotification[] = []
    overlay.subscribe((each) => later.push(each))
    const thrown = new Promise((resolve) => {
      const others = process.listeners('uncaughtException')
      process.removeAllListeners('uncaughtException')
      process.once('uncaughtException', (error) => {
        for (const listener of others) process.on('uncaughtException', listener)
        resolve(error)
      })
    })
    await overlay.leave()
    await expect(thrown).resolves.toMatchObject({ message: 'listener' })
    expect(later).toEqual(heard)
    expect(later).toMatchObject([{ type: 'left' }])
  })
})

describe('an unreachable introducer', () => {
  test('is reported, and the node goes on alone', async () => {
    const gone = await enter()
    const address = gone.overlay.self.addresses[0]!
    await gone.overlay.leave()
    const node = await enter({ bootstrap: [address] })
    await until(() => node.overlay.health().introducers.length === 1)
    expect(node.overlay.health()).toMatchObject({
      alone: true,
      introducers: [{ address, reason: expect.stringMatching(/connection refused/u) }],
    })
  })

  test('of a private pool is reported with the key as the possible reason', async () => {
    const keyed = await enter({ key: generatePoolKey() })
    const node = await enter({ bootstrap: [...keyed.overlay.self.addresses], config: { introduction: { aloneAfter: 200 } } })
    await until(() => node.overlay.health().introducers[0]?.reason.includes('pool key may be the reason') === true, 8_000)
    expect(keyed.overlay.members()).toHaveLength(1)
  })

  test('of another pool is reported as such', async () => {
    const other = await enter({ pool: 'other' })
    const node = await enter({ bootstrap: [...other.overlay.self.addresses] })
    await until(() => node.overlay.health().introducers.length === 1)
    expect(node.overlay.health().introducers[0]!.reason).toMatch(/another pool/u)
    expect(other.overlay.members()).toHaveLength(1)
  })
})

describe('a private pool', () => {
  test('opens to nodes that have the key', async () => {
    const key = generatePoolKey()
    const nodes = await pool(3, { key })
    expect(nodes.every(({ overlay }) => overlay.members().length === 3)).toBe(true)
  })
})

describe('streams of the application', () => {
  test('reach the handler of a member, which knows the sender', async () => {
    const [a, b] = await pool(2)
    await b!.overlay.handle('/render/1.0.0', async (stream, from) => {
      for await (const data of stream) stream.send(bytes(`${from} said ${new TextDecoder().decode(data.subarray())}`))
      await stream.close()
    })
    const stream = await a!.overlay.open(b!.id, '/render/1.0.0')
    stream.send(bytes('hello'))
    await stream.close()
    let answer = ''
    for await (const data of stream) answer += new TextDecoder().decode(data.subarray())
    expect(answer).toBe(`${a!.id} said hello`)
  })

  test('are refused to peers that are no members', async () => {
    const [inside, outside] = [await enter(), await enter({ pool: 'other' })]
    let handled = 0
    await inside.overlay.handle('/render/1.0.0', () => void (handled += 1))
    const stream = await outside.overlay.libp2p.dialProtocol(multiaddr(inside.overlay.self.addresses[0]), '/render/1.0.0')
    await until(() => stream.status !== 'open')
    expect(handled).toBe(0)
  })

  test('that can not be opened say why', async () => {
    const [a, b] = await pool(2)
    await expect(a!.overlay.open('12D3KooWnobody', '/render/1.0.0')).rejects.toMatchObject({ code: 'UNKNOWN_MEMBER' })
    await expect(a!.overlay.open(b!.id, '/nobody/speaks/this')).rejects.toMatchObject({ code: 'OPEN_FAILED' })
    const reason = new Error('too late')
    await expect(a!.overlay.open(b!.id, '/render/1.0.0', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    await a!.overlay.handle('/render/1.0.0', () => {})
    await expect(a!.overlay.handle('/render/1.0.0', () => {})).rejects.toMatchObject({ code: 'INVALID_PROTOCOL' })
    await a!.overlay.unhandle('/render/1.0.0')
    await a!.overlay.handle('/render/1.0.0', () => {})
  })

  test('end with an error when their handler does', async () => {
    const [a, b] = await pool(2)
    await b!.overlay.handle('/render/1.0.0', () => {
      throw new Error('no paint')
    })
    const stream = await a!.overlay.open(b!.id, '/render/1.0.0')
    await until(() => stream.status === 'reset')
  })
})

describe('an identity file', () => {
  test('makes the same node enter with the next incarnation', async () => {
    const identityFile = join(temporary(), 'identity.json')
    const first = await enter({ identityFile })
    expect(first.overlay.self.incarnation).toBe(1)
    await first.overlay.leave()
    const second = await enter({ identityFile })
    expect(second.overlay.self).toMatchObject({ id: first.id, incarnation: 2 })
  })

  test('keeps the epochs of elections, so that a pool that was off as a whole repeats no token', async () => {
    const identityFile = join(temporary(), 'identity.json')
    for (const epoch of [1, 2, 3]) {
      const { overlay } = await enter({ identityFile })
      void overlay.elect('master')
      await until(() => overlay.reign('master') !== undefined)
      expect(overlay.reign('master')?.epoch).toBe(epoch)
      await overlay.leave()
    }
  })

  test('in use is refused and named, and free again after a leave', async () => {
    const identityFile = join(temporary(), 'identity.json')
    const first = await enter({ identityFile })
    await expect(enter({ identityFile })).rejects.toMatchObject({ code: 'IDENTITY_IN_USE', message: expect.stringContaining(identityFile) })
    await first.overlay.leave()
    await enter({ identityFile })
  })

  test('that is copied and used twice stops one of the two nodes', async () => {
    const folder = temporary()
    const identityFile = join(folder, 'identity.json')
    const first = await enter({ identityFile })
    copyFileSync(identityFile, join(folder, 'copy.json'))
    const other = await enter({ bootstrap: [...first.overlay.self.addresses] })
    const ends = [
      first.overlay.closed,
      enter({ identityFile: join(folder, 'copy.json'), bootstrap: [...other.overlay.self.addresses] }).then(
        async ({ overlay }) => await overlay.closed,
      ),
    ]
    await expect(Promise.race(ends)).resolves.toMatchObject({ reason: 'failed', error: { code: 'IDENTITY_IN_USE' } })
  })
})

describe('a start that fails', () => {
  test.each([
    ['an empty pool name', { pool: '' }, { code: 'INVALID_POOL_NAME' }],
    ['a malformed listen address', { listen: ['/ip4/nowhere/tcp/0'] }, { code: 'INVALID_ADDRESS', message: /nowhere/u }],
    ['a malformed bootstrap address', { bootstrap: ['nonsense'] }, { code: 'INVALID_ADDRESS', message: /nonsense/u }],
    ['a wrong key', { key: bytes('secret') }, { code: 'INVALID_POOL_KEY' }],
    [
      'an address of another machine',
      { listen: ['/ip4/192.0.2.1/tcp/0'] },
      { code: 'LISTEN_FAILED', message: /192\.0\.2\.1.*not one of this machine/u },
    ],
    ['an impossible setting', { config: { limits: { frameBytes: -1 } } }, { name: 'RangeError' }],
  ])('gives the reason: %s', async (_what, options, error) => {
    const { message, ...rest } = error as { message?: RegExp }
    await expect(enter(options)).rejects.toMatchObject({ ...rest, ...(message && { message: expect.stringMatching(message) as string }) })
  })

  test('names the port that is in use, and leaves nothing open', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const free = await enter()
    const freePort = /tcp\/(\d+)/u.exec(free.overlay.self.addresses[0]!)![1]!
    await free.overlay.leave()
    const identityFile = join(temporary(), 'identity.json')
    const listen = [`/ip4/127.0.0.1/tcp/${freePort}`, `/ip4/127.0.0.1/tcp/${port}`]
    await expect(enter({ listen, identityFile })).rejects.toMatchObject({
      code: 'LISTEN_FAILED',
      message: `can't listen on ${listen[1]}: the port is in use`,
    })
    server.close()
    await enter({ listen, identityFile })
  })

  test('ends with the reason of its signal', async () => {
    const reason = new Error('enough')
    await expect(enter({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    const controller = new AbortController()
    const silent = createServer()
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const start = enter({ bootstrap: [`/ip4/127.0.0.1/tcp/${(silent.address() as { port: number }).port}`], signal: controller.signal })
    setTimeout(() => controller.abort(reason), 200)
    await expect(start).rejects.toBe(reason)
    silent.close()
  })
})

describe('leaving', () => {
  test('may be asked for twice, and ends everything', async () => {
    const { overlay } = await enter()
    await Promise.all([overlay.leave(), overlay.leave()])
    await overlay.leave()
    expect(overlay.libp2p.status).toBe('stopped')
    expect(() => overlay.maybeDead('x')).toThrow(/has left the pool/u)
    await expect(overlay.signal('x', [])).rejects.toMatchObject({ code: 'OVERLAY_CLOSED' })
    expect(overlay.self.incarnation).toBe(1)
  })

  test('leaves no handle open: the process ends by itself', async () => {
    const { overlay } = await enter()
    const program = `
      import { startOverlay } from ${JSON.stringify(new URL('../index.ts', import.meta.url).href)}
      const overlay = await startOverlay({ pool: 'test', listen: ['/ip4/127.0.0.1/tcp/0'], bootstrap: ${JSON.stringify(overlay.self.addresses)} })
      await new Promise((resolve) => setTimeout(resolve, 500))
      console.log(overlay.members().length)
      await overlay.leave()
      console.log('left')`
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'], timeout: 10_000 })
    let output = ''
    let leftAt = 0
    child.stdout.on('data', (data: Buffer) => {
      output += data.toString()
      if (output.endsWith('left\n')) leftAt = performance.now()
    })
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
    expect({ output, code, signal }).toEqual({ output: '2\nleft\n', code: 0, signal: null })
    // A forgotten timer of libp2p would keep the process for 2 s.
    expect(performance.now() - leftAt).toBeLessThan(1_500)
  })
})

describe('multicast DNS', () => {
  test('is not even loaded into a host that listens on loopback only', async () => {
    const { overlay } = await enter({ mdns: true })
    expect(
      Object.keys((overlay.libp2p as unknown as { components: object }).components).filter((name) => name.startsWith('peer-discovery')),
    ).toEqual([])
  })
})
