import { expect, it } from 'vitest'
import { cloneState, leftOut, stateKey } from '../../test/seat-state.ts'
import { Seats } from '../../test/seats.ts'
import { Leading, Progress } from './leading.ts'
import { LedgerState } from './state.ts'

const log = { term: 1, entries: [1] }
const key = (state: LedgerState): string => stateKey(state, (number) => number)

/** A leader that sends a snapshot. It also has a received part, so that no field is empty. */
function leader(): LedgerState {
  const seats = new Seats({ a: log, b: log, c: log })
  seats.elect('a', 'b')
  const state = seats.of('a')
  seats.say('a', 'client', { type: 'propose', number: 2, entries: [{ kind: 'order', body: new Uint8Array() }] })
  state.incoming = { from: 'b/0', hash: 'h', parts: [], received: 3 }
  const [progress] = state.leading?.progress.values() ?? []
  if (progress !== undefined) progress.sending = { snapshot: state.log.snapshot, offset: 0 }
  return state
}

/** All objects of a state, with their paths. */
function* objectsOf(value: unknown, path = ''): Generator<[string, object]> {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return
  yield [path, value]
  const parts = value instanceof Map || value instanceof Set ? [...value.entries()] : Object.entries(value)
  for (const [field, each] of parts) yield* objectsOf(each, `${path}.${String(field)}`)
}

/** Gives another value of the same kind. */
function changed(value: unknown): unknown {
  if (typeof value === 'number') return value === -Infinity ? 0 : value === 0 ? -Infinity : value + 1
  if (typeof value === 'boolean') return !value
  if (value instanceof Map || value instanceof Set) return value.size === 0 ? new Set(['x']) : new Set()
  if (Array.isArray(value)) return value.length === 0 ? ['x'] : []
  return typeof value === 'object' && value !== null ? undefined : `${String(value)}x`
}

it('the key of a state has each field of a seat, of a leader and of a progress', () => {
  const before = key(leader())
  const missing: string[] = []
  const seen = new Set<string>()
  for (const [path, object] of objectsOf(leader())) {
    if (!(object instanceof LedgerState || object instanceof Leading || object instanceof Progress)) continue
    for (const field of Object.keys(object)) {
      if (leftOut.has(field) || field === 'log') continue
      const state = leader()
      const target = [...objectsOf(state)].find(([each]) => each === path)?.[1] as Record<string, unknown>
      target[field] = changed(target[field])
      seen.add(field)
      if (key(state) === before) missing.push(`${path}.${field}`)
    }
  }
  expect(missing).toEqual([])
  expect([...seen]).toEqual(expect.arrayContaining(['term', 'longestTurns', 'committed', 'hasAnswered', 'sending', 'requests']))
})

it('the key of a state follows the log', () => {
  const [one, other] = [leader(), leader()]
  other.log.cut(other.log.lastIndex)
  expect(key(one)).not.toBe(key(other))
})

it('a copy shares nothing that a step changes', () => {
  const state = leader()
  const copy = cloneState(state)
  expect(key(copy)).toBe(key(state))
  const isChanging = (value: object): boolean => Object.getPrototypeOf(value) !== Object.prototype
  const own = new Set([...objectsOf(state)].map(([, object]) => object))
  const shared = [...objectsOf(copy)].filter(([, object]) => isChanging(object) && own.has(object))
  // The fields of plain objects are readonly.
  expect(
    shared.map(([path]) => path).filter((path) => !/\.(?:options|snapshot|configuration|parts|requests\.\d|body)\b/u.test(path)),
  ).toEqual([])
})
