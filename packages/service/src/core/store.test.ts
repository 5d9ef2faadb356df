import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { comparePositions, forkOf, type Mark } from './history.ts'
import { namesLike, seniorOf, SERVICE_CONSTANT, sharedLevels } from './directory.ts'
import { reappliedMessage, snapshotContent } from './replica-messages.ts'
import { MAX_ENTRY_BYTES } from './entry.ts'
import { MAX_LOG_BYTES } from './log.ts'
import { MAX_STATE_BYTES } from './state-size.ts'
import { Store } from './store.ts'
import { checkDepth, textOfError, textOfValue } from './value.ts'

const reign = { epoch: 1, winner: 'a', incarnation: 1 }
const put = (state: unknown, operation: unknown): [unknown, unknown] => [{ ...(state as object), ...(operation as object) }, null]

function create(store: Store, key: string, operation: unknown) {
  return store.create(reign, { caller: 'c', key, operation }, 0)
}

describe('the store of a replica', () => {
  it('has the same state, results and position after a snapshot', () => {
    const store = new Store({}, put)
    for (let at = 0; at < 10; at++) create(store, `k${at}`, { [`n${at}`]: at })
    store.trim(4)
    const other = new Store({}, put)
    other.install(JSON.parse(JSON.stringify(store.snapshot(5))) as never)
    expect([other.state, other.position, other.now]).toEqual([store.state, store.position, 5])
    expect(other.position.from).toBe(5)
    expect(other.resultOf('c', 'k9')).toEqual({ seq: 10, text: 'null', isError: false })
    expect(other.entriesFrom(9, 1e9).map(({ key }) => key)).toEqual(['k8', 'k9'])
  })

  it('refuses an operation that would make the state too large, and takes one that makes it smaller', () => {
    const store = new Store({}, (state, operation) => {
      const next = state as Record<string, string>
      const [name, size] = operation as [string, number]
      // In place: the refused operation must leave no trace all the same.
      if (size === 0) delete next[name]
      else next[name] = 'x'.repeat(size)
      return [next, Object.keys(next).length]
    })
    const piece = MAX_STATE_BYTES / 4
    for (const name of ['a', 'b', 'c']) create(store, name, [name, piece])
    create(store, 'd', ['d', piece / 2])
    expect(() => create(store, 'e', ['e', piece])).toThrow('at most')
    expect(Object.keys(store.state as object)).toEqual(['a', 'b', 'c', 'd'])
    create(store, 'f', ['a', 0])
    create(store, 'g', ['e', piece / 2])
  })

  it('refuses an operation whose text is longer here than it came', () => {
    const store = new Store([], () => [[], 'done'])
    const numbers = (count: number): unknown => JSON.parse(`[${'1e20,'.repeat(count)}1]`)
    expect(create(store, 'a', numbers(40_000)).text).toBe('"done"')
    expect(() => create(store, 'b', numbers(150_000))).toThrow('the operation has 3300003 bytes; at most 1048576 are allowed')
    expect(store.seq).toBe(1)
  })

  it('keeps a bounded number of results, the newest ones', () => {
    const store = new Store({}, () => [{}, 'x'.repeat(1000)])
    for (let at = 0; at < 20_000; at++) create(store, `k${at}`, 1)
    expect(store.resultOf('c', 'k0')).toBeUndefined()
    expect(store.resultOf('c', 'k19999')).toBeDefined()
  })

  it('cuts its log to a size, the oldest operations first', () => {
    const store = new Store({}, put)
    for (let at = 0; at < 10; at++) create(store, `k${at}`, { a: 'x'.repeat(1000) })
    store.cut(store.logBytes / 2 + 10)
    expect(store.from).toBe(6)
    expect(store.seq).toBe(10)
  })

  it('says where the result of an operation is another one than at the primary', () => {
    const store = new Store(0, (state) => [Number(state) + 1, Number(state) + 1])
    const entry = { reign, seq: 1, caller: 'c', key: 'k', operation: 1, now: 0, result: 1 }
    expect(store.follow(entry)).toBe(true)
    expect(store.follow({ ...entry, seq: 2, result: 1 })).toBe(false)
  })
})

describe('histories', () => {
  it('fork where their lists of operations differ, whatever reigns came between', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(5), { maxLength: 6 }),
        fc.array(fc.nat(5), { maxLength: 4 }),
        fc.array(fc.nat(5), { maxLength: 4 }),
        (common, one, other) => {
          let epoch = 0
          const grow = (history: readonly Mark[], counts: readonly number[], winner: string): Mark[] => {
            const next = [...history]
            for (const count of counts) {
              epoch++
              const last = (next.at(-1)?.last ?? 0) + count
              if (count > 0) next.push({ reign: { epoch, winner, incarnation: 1 }, last })
            }
            return next
          }
          const base = grow([], common, 'a')
          const [a, b] = [grow(base, one, 'a'), grow(base, other, 'b')]
          expect(forkOf(a, b)).toBe(base.at(-1)?.last ?? 0)
          expect(forkOf(b, a)).toBe(forkOf(a, b))
        },
      ),
    )
  })

  it('are greater if they have more, then by reign, but always if their log can no longer be handed over', () => {
    const at = (epoch: number, last: number, from: number) => ({
      history: [
        { reign, last: 5 },
        { reign: { epoch, winner: 'a', incarnation: 1 }, last },
      ],
      from,
    })
    expect(comparePositions({ history: [{ reign, last: 6 }], from: 1 }, { history: [{ reign, last: 5 }], from: 1 })).toBeGreaterThan(0)
    expect(comparePositions(at(2, 9, 6), at(3, 6, 6))).toBeLessThan(0)
    expect(comparePositions(at(2, 9, 8), at(3, 6, 6))).toBeGreaterThan(0)
  })
})

describe('values and names', () => {
  it('are bounded in depth and bytes', () => {
    expect(() => checkDepth(JSON.parse('['.repeat(101) + ']'.repeat(101)))).toThrow('levels')
    expect(() => textOfValue('ä'.repeat(600_000))).toThrow('at most 1048576')
    expect(() => textOfValue(() => 1)).toThrow('no JSON')
    expect(textOfValue(undefined)).toBe('null')
  })

  it('are compared: locations from the coarsest level on, names by their letters', () => {
    expect(sharedLevels('a@rack1@delft', 'b@rack1@delft')).toBe(2)
    expect(sharedLevels('a@rack1@delft', 'a@rack1@leiden')).toBe(0)
    expect(namesLike('ecko', ['counter', 'echo', 'broker', 'notes'])[0]).toBe('echo')
  })
})

describe('the senior backup', () => {
  it('is the candidate with the lowest id, other than the primary', () => {
    const member = (id: string, stands: boolean) => {
      const stated = JSON.stringify({ echo: { version: '1', replicas: 3, stands } })
      return { id, constants: new Map([[SERVICE_CONSTANT, new TextEncoder().encode(stated)]]) }
    }
    const members = [member('d', true), member('b', true), member('a', false), member('c', true)]
    expect(seniorOf(members, 'echo', 'd')).toBe('b')
    expect(seniorOf(members, 'echo', 'b')).toBe('c')
    expect(seniorOf(members, 'other', 'b')).toBeUndefined()
  })
})

describe('operations of a program', () => {
  const over = (value: unknown): never => JSON.parse(JSON.stringify(value)) as never

  it('are in the log as they came, though the program keeps their objects and changes them', () => {
    const run = (state: unknown, operation: unknown): [unknown, unknown] => {
      const [all, { put, inc }] = [state as Record<string, { n: number }>, operation as { put?: { n: number }; inc?: true }]
      if (put !== undefined) all['a'] = put
      if (inc === true) (all['a'] as { n: number }).n++
      return [all, 'ok']
    }
    const [store, other] = [new Store({}, run), new Store({}, run)]
    create(store, 'one', { put: { n: 0 } })
    create(store, 'two', { inc: true })
    for (const entry of store.entriesFrom(1, 1e9)) expect(other.follow(over(entry))).toBe(true)
    expect([store.state, other.state]).toEqual([{ a: { n: 1 } }, { a: { n: 1 } }])
  })

  it.each([
    ['has a result that is too large', 'x'.repeat(2e6), 'at most'],
    ['has a result that is no JSON', 1n, 'BigInt'],
    ['throws a value without a text', Object.create(null), 'without a text'],
    ['throws an error whose message throws', new Proxy(new Error('x'), { get: () => nothing() }), 'without a text'],
  ])('one that %s does the same at all replicas', (_, value, message) => {
    const run = (state: unknown): [unknown, unknown] => {
      ;(state as { n: number }).n++
      if (typeof value === 'object') throw value
      return [state, value]
    }
    const [store, other] = [new Store({ n: 0 }, run), new Store({ n: 0 }, run)]
    const entry = create(store, 'k', 1)
    expect(entry.text).toContain(message)
    expect(store.resultOf('c', 'k')).toMatchObject({ isError: true, seq: 1 })
    for (const each of store.entriesFrom(1, 1e9)) expect(other.follow(over(each))).toBe(true)
    expect(other.state).toEqual(store.state)
  })

  it('have a log that a backup cuts, and whose size is that of its JSON', () => {
    const store = new Store(0, (state) => [state, 1])
    const entry = { reign, caller: 'c', key: 'k', operation: '\0'.repeat(170_000), now: 0, result: 1 }
    store.follow({ ...entry, seq: 1 })
    expect(store.logBytes).toBeGreaterThan(6 * 170_000)
    for (let seq = 2; seq < 100; seq++) store.follow({ ...entry, seq })
    expect(store.logBytes).toBeLessThan(MAX_LOG_BYTES + MAX_ENTRY_BYTES)
    expect(store.seq).toBe(99)
  })

  it('that are small and make the state grow fast are refused in time', () => {
    const store = new Store([], (state) => [[...(state as string[]), 'x'.repeat(8_000_000)], null])
    expect(() => {
      for (let at = 0; at < 20; at++) create(store, `k${at}`, 1)
    }).toThrow('at most')
  })

  it('may make a state of undefined, which is null', () => {
    const store = new Store(0, () => [undefined, 1])
    create(store, 'k', 1)
    expect(v.safeParse(snapshotContent, over(store.snapshot(1))).success).toBe(true)
  })

  it('that fail when they are applied again can be reported', () => {
    const report = { name: 'x', key: 'k', operation: 1, before: [1], error: textOfError(new Error('e'.repeat(9000))) }
    expect(v.safeParse(reappliedMessage, over(report)).success).toBe(true)
  })
})

function nothing(): never {
  throw new Error('nothing')
}
