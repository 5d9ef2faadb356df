import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Member } from '@jel/jel'
import { afterAll, describe, expect, it, vi } from 'vitest'
import type { NodeEvent } from '../events/events.ts'
import { SILENT } from '../log/log.ts'
import { parseHandler, type Handler } from './handler.ts'
import { Handlers } from './handlers.ts'

const folder = mkdtempSync(join(tmpdir(), 'jel-handlers-'))
afterAll(() => rmSync(folder, { recursive: true }))
const fileOf = (name: string): string => join(folder, name)
const linesOf = (name: string): string[] => {
  try {
    return readFileSync(fileOf(name), 'utf8').split('\n').slice(0, -1)
  } catch {
    return []
  }
}

function joined(id: string, location = 'here', tag = ''): NodeEvent {
  return { event: 'joined', node: { id, reach: 'direct', incarnation: 1, joinedAt: 0, addresses: [], location, tag } }
}

function died(id: string): NodeEvent {
  return { event: 'died', node: { id, reach: 'direct', incarnation: 1, joinedAt: 0, addresses: [], location: 'here', tag: '' } }
}

interface Started {
  readonly handlers: Handlers
  readonly told: Extract<NodeEvent, { event: 'error' }>[]
}

function start(texts: readonly string[], more: { waitingLimit?: number; timeLimit?: number } = {}): Started {
  const told: Started['told'] = []
  const report = (event: NodeEvent): void => {
    if (event.event === 'error') told.push(event)
    handlers.take(event)
  }
  const handlers: Handlers = new Handlers(
    texts.map((text) => parseHandler(text) as Handler),
    { pool: 'p', self: 'me', log: SILENT, report, ...more },
  )
  return { handlers, told }
}

const waiting = { timeout: 10_000, interval: 20 }

describe('handlers', () => {
  it('answer queries with what their commands print, and not at all if these fail', async () => {
    const answers = new Map<string, (payload: Uint8Array, from: Member, signal: AbortSignal) => Promise<Uint8Array | undefined>>()
    const pool = {
      answer: (name: string, handler: unknown) =>
        void answers.set(name, handler as typeof answers extends Map<string, infer H> ? H : never),
    }
    const { handlers, told } = start([
      `query:load=echo "$JEL_NAME of $JEL_MEMBER"; echo said >&2`,
      `query:large=head -c 5000 /dev/zero`,
      `query:fails,query:fails too=echo no; exit 3`,
    ])
    handlers.answer(pool)
    expect([...answers.keys()]).toEqual(['load', 'large', 'fails', 'fails too'])
    const from = {
      id: 'asker',
      reach: 'direct',
      incarnation: 1,
      joinedAt: 0,
      addresses: [],
      location: 'here',
      tag: new Uint8Array(),
    } as unknown as Member
    const ask = async (name: string): Promise<Uint8Array | undefined> =>
      await answers.get(name)?.(new Uint8Array(), from, new AbortController().signal)
    expect(new TextDecoder().decode(await ask('load'))).toBe('load of asker')
    // The pool refuses it: an answer has at most 1 KiB.
    expect((await ask('large'))?.length).toBe(4096)
    expect(await ask('fails too')).toBeUndefined()
    expect(told).toMatchObject([{ code: 'HANDLER_FAILED', message: expect.stringContaining('status 3') }])
    const late = ask('load')
    await handlers[Symbol.asyncDispose]()
    await late
    expect(await ask('load')).toBeUndefined()
  })

  it.each(['query=x', 'query:=x', 'joined,query=x'])('answer only queries of a name: %s is refused', (text) => {
    expect(parseHandler(text)).toBeUndefined()
  })

  it('get the event as a line of JSON, and its subject in the environment', async () => {
    const { handlers, told } = start([
      `joined=cat > '${fileOf('line')}'; echo "$JEL_EVENT $JEL_POOL $JEL_NODE $JEL_MEMBER $JEL_LOCATION" > '${fileOf('env')}'`,
    ])
    handlers.take(joined('one', '$(echo evil)\0'))
    await vi.waitFor(() => expect(linesOf('env')).toEqual(['joined p me one $(echo evil)']), waiting)
    expect(linesOf('line').map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ event: 'joined', pool: 'p', time: expect.any(Number), node: expect.objectContaining({ id: 'one' }) }),
    ])
    await handlers[Symbol.asyncDispose]()
    expect(told).toEqual([])
  })

  it('that hang do not keep other handlers waiting, and end when nobody waits for their answers', async () => {
    const answers: ((payload: Uint8Array, from: Member, signal: AbortSignal) => Promise<unknown>)[] = []
    const pool = { answer: (_: string, handler: unknown) => void answers.push(handler as (typeof answers)[number]) }
    const { handlers, told } = start([
      `joined,query:hang=echo "$JEL_PAYLOAD $$" >> '${fileOf('hanging')}'; exec sleep 1000`,
      `died=echo "$JEL_MEMBER" >> '${fileOf('alerts')}'`,
    ])
    handlers.answer(pool)
    for (const id of ['a', 'b', 'c']) handlers.take(joined(id))
    const from = {
      id: 'asker',
      reach: 'direct',
      incarnation: 1,
      joinedAt: 0,
      addresses: [],
      location: 'here',
      tag: new Uint8Array(),
    } as unknown as Member
    const controller = new AbortController()
    const asked = answers[0]?.(Buffer.from('who\0'), from, controller.signal)
    await vi.waitFor(() => expect(linesOf('hanging')).toHaveLength(4), waiting)
    handlers.take(died('d'))
    await vi.waitFor(() => expect(linesOf('alerts')).toEqual(['d']), waiting)

    controller.abort()
    expect(await asked).toBeUndefined()
    expect(told).toMatchObject([{ code: 'HANDLER_FAILED', message: expect.stringContaining('nobody waits for its answer') }])
    const [, pid] =
      linesOf('hanging')
        .find((line) => line.startsWith('who '))
        ?.split(' ') ?? []
    expect(isRunning(Number(pid))).toBe(false)
    await handlers[Symbol.asyncDispose]()
  })

  it('run at most four at once, and in order for events of one member', async () => {
    const { handlers } = start([
      `*=echo "begin $JEL_MEMBER $JEL_EVENT" >> '${fileOf('order')}'; sleep 0.1; echo "end $JEL_MEMBER $JEL_EVENT" >> '${fileOf('order')}'`,
    ])
    const ids = ['a', 'b', 'c', 'd', 'e', 'f']
    for (const id of ids) handlers.take(joined(id))
    for (const id of ids) handlers.take(died(id))
    await vi.waitFor(() => expect(linesOf('order')).toHaveLength(24), waiting)
    let atOnce = 0
    let most = 0
    for (const line of linesOf('order')) {
      atOnce += line.startsWith('begin') ? 1 : -1
      most = Math.max(most, atOnce)
    }
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThanOrEqual(4)
    for (const id of ids) {
      expect(linesOf('order').filter((line) => line.includes(` ${id} `))).toEqual([
        `begin ${id} joined`,
        `end ${id} joined`,
        `begin ${id} died`,
        `end ${id} died`,
      ])
    }
    await handlers[Symbol.asyncDispose]()
  })

  it('that fail are reported with their output, and run no handler themselves', async () => {
    const { handlers, told } = start(['*=echo out; echo err >&2; exit 3', 'joined=exec /no/such/command'])
    handlers.take(joined('one'))
    await vi.waitFor(() => expect(told).toHaveLength(2), waiting)
    expect(told.map(({ code }) => code)).toEqual(['HANDLER_FAILED', 'HANDLER_FAILED'])
    const messages = told.map(({ message }) => message).join('\n')
    expect(messages).toMatch(/exit 3" for joined: status 3: (out err|err out)/u)
    expect(messages).toMatch(/\/no\/such\/command" for joined: status 12[67]: /u)
    await handlers[Symbol.asyncDispose]()
    expect(told).toHaveLength(2)
  })

  it('that take too long are ended, with all processes that they started', async () => {
    const { handlers, told } = start([`joined=trap 'echo was told; exit 1' TERM; sleep 1000 & echo $! > '${fileOf('child')}'; wait`], {
      timeLimit: 500,
    })
    handlers.take(joined('one'))
    await vi.waitFor(() => expect(told).toHaveLength(1), waiting)
    expect(told[0]).toMatchObject({ code: 'HANDLER_FAILED', message: expect.stringMatching(/it took more than 0\.5 s: was told$/u) })
    await vi.waitFor(() => expect(isRunning(Number(linesOf('child')[0]))).toBe(false), waiting)
    await handlers[Symbol.asyncDispose]()
  })

  it('end with the node, those that ignore SIGTERM as well', async () => {
    const { handlers, told } = start([`joined=trap '' TERM; echo $$ > '${fileOf('stubborn')}'; sleep 1000`])
    handlers.take(joined('one'))
    await vi.waitFor(() => expect(linesOf('stubborn')).toHaveLength(1), waiting)
    await handlers[Symbol.asyncDispose]()
    await vi.waitFor(() => expect(isRunning(Number(linesOf('stubborn')[0]))).toBe(false), waiting)
    handlers.take(joined('other'))
    expect(told).toEqual([])
  })

  it('wait in a bounded queue, and dropped events are reported', async () => {
    const { handlers, told } = start([`joined=sleep 0.2; echo "$JEL_MEMBER" >> '${fileOf('queue')}'`], { waitingLimit: 3 })
    for (let index = 0; index < 12; index += 1) handlers.take(joined(`${index}`))
    expect(told).toEqual([{ event: 'error', code: 'HANDLER_BACKLOG', message: '3 runs of handlers wait: what comes now is dropped' }])
    await vi.waitFor(() => expect(told).toHaveLength(2), waiting)
    expect(told[1]).toMatchObject({ code: 'HANDLER_BACKLOG', message: '5 runs of handlers were dropped' })
    await vi.waitFor(() => expect(linesOf('queue').toSorted()).toEqual(['0', '1', '2', '3', '4', '5', '6']), waiting)
    await handlers[Symbol.asyncDispose]()
  })

  it('need neither read their input nor end the processes that they leave behind', async () => {
    const { handlers, told } = start([`joined=sleep 1000 & echo $! > '${fileOf('background')}'`])
    handlers.take(joined('one', 'here', 'x'.repeat(1_000_000)))
    await vi.waitFor(() => expect(linesOf('background')).toHaveLength(1), waiting)
    const pid = Number(linesOf('background')[0])
    await new Promise((resolve) => setTimeout(resolve, 500))
    await handlers[Symbol.asyncDispose]()
    expect(told).toEqual([])
    expect(isRunning(pid)).toBe(true)
    process.kill(pid)
  })
})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A zombie that its parent has not reaped does not count as running.
    return !/^State:\s+Z/mu.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
