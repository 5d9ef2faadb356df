import { hash } from 'node:crypto'
import type { Pool, StreamHandler } from '@jel/jel'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { StreamEnds } from '../../test/stream-ends.ts'
import { Log } from '../log/log.ts'
import { OrderTaker } from './order-taker.ts'
import { signedBytes, type Task } from './order.ts'

const idOf = (letter: string): string => `12D3KooW${letter.repeat(44)}`
const [admin, stranger, self, member] = ['A', 'S', 'M', 'F'].map(idOf) as [string, string, string, string]
const keyId = '0123456789abcdef'

/** Stands for a signature in one pool: it fits one signer and message only. */
const sign = (signer: string, bytes: Uint8Array): Buffer => Buffer.from(hash('sha256', signer + Buffer.from(bytes).toString('base64')))

/** A member that takes orders of `admin`, and a way to reach it. */
async function taker(admins: readonly string[] = [admin], allowed?: readonly string[]) {
  const done: string[] = []
  const lines: string[] = []
  let handler: StreamHandler = () => {}
  const change = (what: string) => async (key: string) => {
    if (key === 'refused') throw new Error('no such key')
    done.push(`${what} ${key}`)
    return { id: keyId, primary: false }
  }
  const keys = {
    install: change('install'),
    use: change('use'),
    remove: change('remove'),
    list: async () => [{ id: keyId, primary: true }],
  }
  const pool = {
    self: { id: self },
    keys,
    allowList: {
      add: async (id: string) => void done.push(`add ${id}`),
      remove: async (id: string) => void done.push(`remove ${id}`),
      list: async () => allowed,
    },
    handle: async (_protocol: string, handle: StreamHandler) => void (handler = handle),
    isSignedBy: (by: string, bytes: Uint8Array, signature: Uint8Array) => sign(by, bytes).equals(signature),
  } as unknown as Pool
  const log = new Log({ level: 'info', format: 'text', pool: 'p', write: (line) => lines.push(line.slice(25)) })
  await OrderTaker.start(pool, log, admins)
  const open = (from = member): { ends: StreamEnds; ended: Promise<void> } => {
    const ends = new StreamEnds()
    const ended = Promise.resolve(handler(ends.stream, from))
    ended.catch(() => {})
    return { ends, ended }
  }
  return { open, done, lines }
}

interface Given {
  readonly by?: string
  readonly signer?: string
  readonly target?: string
  readonly nonce?: string
  readonly signed?: Task
}

const use: Task = { do: 'use', key: keyId }

/** Returns the line of an order. The fields of `given` replace the correct ones. */
function orderOf(ends: StreamEnds, task: Task, { by = admin, signer = by, target = self, nonce, signed = task }: Given = {}): string {
  const bytes = signedBytes(target, nonce ?? (ends.sent[0]?.['nonce'] as string), signed)
  return `${JSON.stringify({ by, task, signature: sign(signer, bytes).toString('base64') })}\n`
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

describe('a member with an administrator', () => {
  it('carries out an order that the administrator signed for it, and logs who gave it', async () => {
    const { open, done, lines } = await taker()
    const { ends, ended } = open()
    const line = orderOf(ends, use)
    ends.write(line.slice(0, 10))
    ends.write(line.slice(10))
    await ended
    expect(done).toEqual([`use ${keyId}`])
    expect(ends.sent[1]).toEqual({ keys: [{ id: keyId, primary: true }] })
    expect(ends.isClosed).toBe(true)
    expect(lines).toEqual([`info  ORDER use the key ${keyId} by=${admin} member=${member}`])
  })

  it('logs the fingerprint of an installed key, never the key', async () => {
    const { open, done, lines } = await taker()
    const { ends, ended } = open()
    ends.write(orderOf(ends, { do: 'install', key: 'secret' }))
    await ended
    expect(done).toEqual(['install secret'])
    expect(lines).toEqual([`info  ORDER install the key ${keyId} by=${admin} member=${member}`])
  })

  it('changes its allow list, and shows its size and a fingerprint of it', async () => {
    const { open, done, lines } = await taker([admin], [member, stranger])
    for (const task of [{ do: 'allow', node: stranger }, { do: 'disallow', node: stranger }, { do: 'allowList' }] as const) {
      const { ends, ended } = open()
      ends.write(orderOf(ends, task))
      await ended
      expect(ends.sent[1]).toEqual({ allowed: { count: 2, fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/u) } })
    }
    expect(done).toEqual([`add ${stranger}`, `remove ${stranger}`])
    expect(lines[1]).toBe(`info  ORDER disallow ${stranger} by=${admin} member=${member}`)
  })

  it('refuses a change of an allow list that it does not have, or that was signed for another node', async () => {
    const { open } = await taker()
    const { ends, ended } = open()
    ends.write(orderOf(ends, { do: 'allowList' }))
    await ended
    expect(ends.sent[1]).toEqual({ refused: expect.stringContaining('it has no allow list') })
    const other = (await taker([admin], [])).open()
    other.ends.write(orderOf(other.ends, { do: 'disallow', node: member }, { signed: { do: 'disallow', node: stranger } }))
    await other.ended
    expect(other.ends.sent[1]).toEqual({ refused: expect.stringContaining('is not signed by') })
  })

  it('takes no order that was given before', async () => {
    const { open, done } = await taker()
    const first = open()
    const line = orderOf(first.ends, use)
    first.ends.write(line)
    await first.ended
    const second = open()
    second.ends.write(line)
    await second.ended
    expect(done).toHaveLength(1)
    expect(second.ends.sent[1]).toEqual({ refused: `the order is not signed by ${admin}` })
  })

  it.each<[string, Given, string]>([
    ['of somebody else', { by: stranger }, 'is no administrator of this node'],
    ['that somebody else signed', { signer: stranger }, 'is not signed by'],
    ['to another member', { target: member }, 'is not signed by'],
    ['to do something else', { signed: { do: 'remove', key: keyId } }, 'is not signed by'],
    ['about another key', { signed: { do: 'use', key: 'fedcba9876543210' } }, 'is not signed by'],
  ])('refuses an order %s, and logs it', async (_, given, reason) => {
    const { open, done, lines } = await taker()
    const { ends, ended } = open()
    ends.write(orderOf(ends, use, given))
    await ended
    expect(done).toEqual([])
    expect(ends.sent[1]).toEqual({ refused: expect.stringContaining(reason) })
    expect(lines).toEqual([expect.stringMatching(`^warn  ORDER_REFUSED use: .* by=${given.by ?? admin} member=${member}$`)])
  })

  it('reports why a change failed', async () => {
    const { open } = await taker()
    const { ends, ended } = open()
    ends.write(orderOf(ends, { do: 'install', key: 'refused' }))
    await ended
    expect(ends.sent[1]).toEqual({ refused: 'no such key' })
  })

  it.each([
    ['no JSON', '{"by": secret}\n', 'not JSON'],
    ['another form', '{"by":"x"}\n', 'nobody can read'],
    [
      'a key that is too long',
      `${JSON.stringify({ by: admin, task: { do: 'install', key: 'k'.repeat(1025) }, signature: '' })}\n`,
      'nobody can read',
    ],
    ['a line that is too long', `${'x'.repeat(5000)}\n`, 'too long'],
  ])('ends the stream of a member that sends %s', async (_, text, reason) => {
    const { open, done } = await taker()
    const { ends, ended } = open()
    ends.write(text)
    await expect(ended).rejects.toThrow(reason)
    await expect(ended).rejects.not.toThrow('secret')
    expect(done).toEqual([])
  })

  it('waits 5 s for an order, and takes one at a time of a member, after a refusal one a second', async () => {
    const { open, done } = await taker()
    const silent = open()
    await expect(open().ended).rejects.toThrow('one order at a time')
    const other = open(idOf('X'))
    other.ends.write(orderOf(other.ends, use))
    await other.ended
    expect(done).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(4_999)
    expect(silent.ends.aborted).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    expect(silent.ends.aborted).toBeDefined()
    await expect(silent.ended).rejects.toThrow('the stream ended')
    await vi.advanceTimersByTimeAsync(999)
    await expect(open().ended).rejects.toThrow('one order at a time')
    await vi.advanceTimersByTimeAsync(1)
    const again = open()
    again.ends.write(orderOf(again.ends, use))
    await again.ended
    expect(done).toHaveLength(2)
  })
})

describe('a member without administrators', () => {
  it('refuses each order before it is given, says how to allow it, and logs it', async () => {
    const { open, lines } = await taker([])
    const { ends, ended } = open()
    await ended
    expect(ends.sent).toEqual([{ refused: expect.stringContaining('start it with --admin') }])
    expect(lines).toEqual([expect.stringContaining(`member=${member}`)])
  })
})
