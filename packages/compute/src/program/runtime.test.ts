import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { toBytes, fromBytes } from '../schemas.ts'
import { fromProgram, type FromProgram } from './messages.ts'
import { min, shared, task, union, type SharedDefinition, type TaskContext, type TaskDefinition } from './definitions.ts'
import { Runtime } from './runtime.ts'
import { decodeValue, encodeValue } from './values.ts'

type Returned = Extract<FromProgram, { type: 'returned' }>

/** Runs tasks of a program as a container does, and collects its messages. */
class Host {
  readonly said: FromProgram[] = []
  readonly owners = new AsyncLocalStorage<object>()
  readonly runtime: Runtime
  posts = 0

  constructor(exports: Record<string, TaskDefinition<never, unknown>>, job = 'job', declared: readonly SharedDefinition<never>[] = []) {
    const post = (messages: readonly FromProgram[]): void => {
      this.posts++
      this.said.push(...messages)
    }
    const step = (fn: string, _: Uint8Array, occurrence: number): string => `${fn}${occurrence}`.padStart(10, '_')
    const host = { job, post, step, stack: (stack: string) => stack, describe: String, idle: () => setImmediate() }
    this.runtime = new Runtime({ ...host, onBehalfOf: (owner, action) => this.owners.run(owner, action) }, exports, declared)
  }

  run(fn: string, input?: unknown, path = ''): void {
    this.runtime.handle([{ type: 'run', path, fn, input: encodeValue(input), split: false }])
  }

  async returned(path = ''): Promise<Returned['outcome']> {
    for (;;) {
      const found = this.said.find((message) => message.type === 'returned' && message.path === path)
      if (found !== undefined) return (found as Returned).outcome
      await setImmediate()
    }
  }
}

const thrower = (thrown: () => unknown): TaskDefinition<never, unknown> =>
  task(() => {
    throw thrown()
  })
const trap = (): never => {
  throw new Error('trapped')
}

describe('a failure', () => {
  it('names its task, the beginning of its input, and what caused its error', async () => {
    const loop = new Error('third')
    loop.cause = loop
    const host = new Host({ fails: thrower(() => new Error('first', { cause: Object.assign(new Error('second'), { cause: loop }) })) })
    host.run('fails', 'x'.repeat(2000), 'abcdefghij')
    expect(await host.returned('abcdefghij')).toMatchObject({
      failure: {
        task: 'abcdefghij',
        fn: 'fails',
        input: 'x'.repeat(500),
        cause: 'second, because: third',
      },
    })
  })

  it('of a long input gives its length', async () => {
    const host = new Host({ fails: thrower(() => new Error('no')) })
    host.run('fails', new Uint8Array(5000))
    expect(await host.returned()).toMatchObject({ failure: { task: '', input: expect.stringMatching(/^50\d\d bytes$/u) } })
  })
})

describe('a blob that a task can not have', () => {
  const cid = `b${'a'.repeat(58)}`
  const reads = task(async (_: unknown, { use }: TaskContext) => await use({ blob: cid }))
  it.each([
    ['fails the task if no member has it', 'BLOB_MISSING', 'returned'],
    ['makes this member unfit if its disk is full', 'ENOSPC', 'unusable'],
  ])('%s', async (_, code, end) => {
    const host = new Host({ reads })
    host.run('reads')
    await setImmediate()
    expect(host.said).toContainEqual({ type: 'use', blob: cid })
    host.runtime.handle([{ type: 'noBlob', blob: cid, code, message: 'no room' }])
    await expect.poll(() => host.said.map(({ type }) => type)).toContain(end)
  })
})

describe('a thrown value', () => {
  const long = 'x'.repeat(100_000)
  it.each<[string, () => unknown, string]>([
    ['an error', () => new RangeError('no luck'), 'no luck'],
    ['a text', () => 'words', 'words'],
    ['nothing', () => undefined, 'undefined'],
    ['what has no prototype', () => Object.create(null) as object, 'it threw something that has no text'],
    ['a symbol', () => Symbol('odd'), 'Symbol(odd)'],
    ['a message that is no text', () => Object.assign(new Error('x'), { message: 42 }), '42'],
    [
      'a message without text',
      () => Object.assign(new Error('x'), { message: Object.create(null) as object }),
      'it threw something that has no text',
    ],
    ['a text that throws', () => ({ toString: trap }), 'it threw something that has no text'],
    [
      'getters that throw',
      () => Object.defineProperties(new Error('x'), { message: { get: trap }, stack: { get: trap }, code: { get: trap } }),
      'no text',
    ],
    ['a proxy that throws', () => new Proxy({}, { get: trap, getPrototypeOf: trap, has: trap }), 'it threw something that has no text'],
    ['a member of its own', () => Object.assign(new Error('mine'), { member: long, tries: 1e9, code: long }), 'mine'],
    ['a code, stack and message of its own', () => Object.assign(new Error(long), { stack: long, code: 'NO_LUCK' }), long.slice(0, 2000)],
  ])('becomes a failure that its member may pass on: %s', async (_, thrown, message) => {
    const host = new Host({ throws: thrower(thrown) })
    host.run('throws')
    expect(await host.returned()).toMatchObject({ failure: { message: expect.stringContaining(message), member: '', tries: 1 } })
    expect(() => fromBytes(fromProgram, toBytes(host.said))).not.toThrow()
  })

  it('keeps the member of a failed child, whatever the program changes in the error', async () => {
    const child = task(() => 1)
    const parent = task(async (_: unknown, { run }: TaskContext) => {
      await run(child, 0).catch((error: unknown) => {
        throw Object.assign(error as Error, { member: 'z'.repeat(300), message: 'and so I failed' })
      })
    })
    const host = new Host({ child, parent })
    host.run('parent')
    while (!host.said.some(({ type }) => type === 'spawned')) await setImmediate()
    const failure = { code: 'TASK_THREW', message: 'no', member: 'there', tries: 2 }
    host.runtime.handle([{ type: 'deliver', path: '', step: '____child0', outcome: { failure } }])
    expect(await host.returned()).toMatchObject({ failure: { message: 'and so I failed', member: 'there', tries: 2 } })
  })
})

describe('an uncaught error', () => {
  it('ends only the task that caused it', async () => {
    let owner: object | undefined
    const waits = task(async () => {
      owner = host.owners.getStore()
      await new Promise(() => {})
    })
    const other = task(async () => await sleep(50, 'fine'))
    const host: Host = new Host({ waits, other })
    host.run('waits')
    await setImmediate()
    host.runtime.stray(undefined, new Error('of nobody'))
    expect(host.said).toEqual([])
    host.run('other', undefined, 'abcdefghij')
    // The process passes the owner of the timer that threw.
    host.runtime.stray(owner, new Error('of the timer'))
    expect(await host.returned()).toMatchObject({ failure: { message: 'of the timer' } })
    host.runtime.stray(owner, new Error('too late'))
    expect(await host.returned('abcdefghij')).toEqual({ value: encodeValue('fine') })
    expect(host.said.filter(({ type }) => type === 'returned')).toHaveLength(2)
  })
})

describe('a running program', () => {
  it('states the index of each child among equal ones', async () => {
    const child = task(() => 1)
    const parent = task(async (_: unknown, { run }: TaskContext) => {
      await Promise.all([run(child, 0), run(child, 0), run(child, 0)])
    })
    const host = new Host({ child, parent })
    host.run('parent')
    while (!host.said.some(({ type }) => type === 'spawned')) await setImmediate()
    const children = host.said.flatMap((said) => (said.type === 'spawned' ? said.children : []))
    expect(children.map(({ occurrence }) => occurrence)).toEqual([undefined, 1, 2])
  })

  it('calls for children in messages of bounded size, in their order', async () => {
    const child = task(() => 1)
    const parent = task(async (bytes: number, { run }: TaskContext) => {
      await Promise.all(Array.from({ length: 5 }, (_, number) => run(child as never, new Uint8Array(bytes).fill(number) as never)))
    })
    const host = new Host({ child, parent })
    host.run('parent', 1_000_000)
    const spawned = (): FromProgram[] => host.said.filter(({ type }) => type === 'spawned')
    while (spawned().length === 0) await setImmediate()
    expect(spawned().map((message) => message.type === 'spawned' && message.children.length)).toEqual([1, 1, 1, 1, 1])
    host.run('parent', 10, 'abcdefghij')
    while (spawned().length < 6) await setImmediate()
    expect(spawned().slice(5)).toMatchObject([{ path: 'abcdefghij', children: { length: 5 } }])
  })

  it('reports in one message the result of a task and that the task was seen', async () => {
    const host = new Host({ adds: task((n: number) => n + 1) as never })
    host.run('adds', 1)
    expect(await host.returned()).toEqual({ value: encodeValue(2) })
    await setImmediate()
    expect([host.posts, host.said.map(({ type }) => type)]).toEqual([1, ['returned', 'seen']])
  })

  it('draws the same random numbers in each run of a task, and others in other jobs and tasks', async () => {
    const draws = task((_: unknown, { random }: TaskContext) => [random(), random()])
    const drawn = async (job: string, path: string): Promise<unknown> => {
      const host = new Host({ draws }, job)
      host.run('draws', undefined, path)
      const outcome = await host.returned(path)
      return 'value' in outcome && decodeValue(outcome.value)
    }
    const first = await drawn('one', '')
    expect(await drawn('one', '')).toEqual(first)
    expect(await drawn('two', '')).not.toEqual(first)
    expect(await drawn('one', 'abcdefghij')).not.toEqual(first)
  })

  it('goes on in the sequence of random numbers after a saved state', async () => {
    const sums = task(async (count: number, { random, saved, save }: TaskContext) => {
      let state = (saved as { at: number; sum: number } | undefined) ?? { at: 0, sum: 0 }
      for (; state.at < count; state = { at: state.at + 1, sum: state.sum + random() });
      await save(state)
      return state.sum
    })
    const sum = async (count: number, saved?: Uint8Array): Promise<Host> => {
      const host = new Host({ sums })
      host.runtime.handle([{ type: 'run', path: '', fn: 'sums', input: encodeValue(count), split: false, ...(saved && { saved }) }])
      await host.returned()
      return host
    }
    const half = await sum(500)
    const state = half.said.find((message) => message.type === 'saved')?.state
    expect(state).toBeDefined()
    expect(await (await sum(1000, state)).returned()).toEqual(await (await sum(1000)).returned())
  })

  it('begins without a saved state that no task saved', async () => {
    const shows = task((_: unknown, { saved }: TaskContext) => saved ?? 'none')
    for (const forged of [encodeValue(7), encodeValue([1, -1]), encodeValue([1, 0.5]), Uint8Array.of(255)]) {
      const host = new Host({ shows })
      host.runtime.handle([{ type: 'run', path: '', fn: 'shows', input: encodeValue(0), split: false, saved: forged }])
      expect(await host.returned()).toEqual({ value: encodeValue('none') })
    }
  })
})

describe('an offer', () => {
  it('goes out together with those that follow it at once', async () => {
    const best = shared(min((value: number) => value))
    const search = task(() => {
      for (let value = 100; value > 0; value--) best.offer(value)
    })
    const host = new Host({ search }, 'job', [best] as unknown as SharedDefinition<never>[])
    host.run('search')
    await host.returned()
    const offered = host.said.filter(({ type }) => type === 'offered')
    expect(offered).toEqual([{ type: 'offered', shared: new Map([['s0', expect.objectContaining({ key: 1 })]]) }])
  })

  it('that exceeds its part of the room for shared values fails its task, whatever others offered', async () => {
    const values = Array.from({ length: 4 }, () => shared(min<Uint8Array>(({ length }) => length)))
    const offer = task((size: number) => values[0]?.offer(new Uint8Array(size)))
    const host = new Host({ offer }, 'job', values as unknown as SharedDefinition<never>[])
    host.run('offer', 2 ** 19, 'a')
    expect(await host.returned('a')).toMatchObject({ failure: { code: 'SHARED_TOO_LARGE' } })
    host.run('offer', 2 ** 19 - 100, 'b')
    expect(await host.returned('b')).toHaveProperty('value')
  })

  it('that has no room beside unions fails its task', async () => {
    const values = Array.from({ length: 3 }, () => shared(union<Uint8Array>()))
    const offer = task(() => {
      for (const value of values) for (let at = 0; at < 10; at++) value.offer(new Uint8Array(100_000).fill(at))
    })
    const host = new Host({ offer }, 'job', values as unknown as SharedDefinition<never>[])
    host.run('offer', 0)
    expect(await host.returned()).toMatchObject({ failure: { code: 'SHARED_TOO_LARGE' } })
  })
})

it('an outcome carries no shared values that its program does not declare', async () => {
  const declared = [shared(min<number>((value) => value))] as unknown as SharedDefinition<never>[]
  const host = new Host({ one: task(() => 1) }, 'job', declared)
  const offer = { rule: 'min', key: 1, values: [encodeValue(1)] } as const
  host.runtime.handle([{ type: 'shared', shared: new Map(['s0', 's1', 'made up'].map((name) => [name, offer])) }])
  host.run('one')
  await host.returned()
  const returned = host.said.find((message) => message.type === 'returned')
  expect([...(returned as Returned).shared.keys()]).toEqual(['s0'])
})
