import { Encoder } from 'cbor-x'
import fc from 'fast-check'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { Entry } from '../core/entry.ts'
import type { Message } from '../core/messages.ts'
import { toBytes } from '../schemas.ts'
import { decodeMessage, encodeMessage, MAX_MESSAGE_BYTES } from './wire.ts'

const path = 'abcdefghij'
const shared = new Map([['s0', { rule: 'min', key: 3, values: [Uint8Array.of(1)] } as const]])
const entries = [
  { path, outcome: { value: Uint8Array.of(7) }, shared },
  { path: '', outcome: { failure: { code: 'TASK_THREW', message: 'no', stack: 'at', member: 'm', tries: 2 } }, shared: new Map() },
]
const task = { path, fn: 'f', input: Uint8Array.of(1, 2) }
const functionsOf = (length: number) => Array.from({ length }, (_, i) => ({ fn: `f${i}`, finished: 2, failed: 1, ran: 3.5 }))

const messages: Message[] = [
  { type: 'steal', request: 1, jobs: ['a', 'b'], count: 2 },
  { type: 'steal', request: 1, jobs: ['a'], count: 1, busy: true },
  { type: 'work', request: 1, tasks: [{ ...task, occurrence: 1, job: 'a', replay: true, tries: 1 }], left: 3, ended: ['b'] },
  { type: 'lifeline' },
  { type: 'awaiting', job: 'a', paths: ['', path] },
  { type: 'holding', job: 'a', progress: [[path, 0.5]], totals: { begun: 1, finished: 1, ran: 0.5, members: 1 } },
  { type: 'moved', job: 'a', tasks: [{ path, holder: 'm' }] },
  { type: 'unknown', job: 'a', paths: [path] },
  { type: 'unknown', job: 'a', paths: [path], saved: [{ path, number: 3, state: Uint8Array.of(4) }] },
  {
    type: 'work',
    request: 1,
    tasks: [{ ...task, job: 'a', replay: true, tries: 1, saved: { number: 2, state: Uint8Array.of(5) } }],
    left: 3,
    ended: [],
  },
  { type: 'result', job: 'a', entries },
  {
    type: 'report',
    job: 'a',
    number: 3,
    entries,
    claims: [{ ...task, age: 3, progress: 0, leaf: true, second: false }],
    dropped: [path],
    work: { begun: 1, finished: 0, ran: 1.5 },
  },
  { type: 'noted', job: 'a', number: 3 },
  { type: 'lookup', job: 'a', request: 1, paths: [''] },
  { type: 'lookup', job: 'a', request: 1, paths: [''], page: 2, after: path },
  { type: 'lookup', job: 'a', request: 0, paths: [path], page: 0, alone: true },
  { type: 'found', job: 'a', request: 1, entries, claims: [{ path, holder: 'm' }], last: false },
  { type: 'found', job: 'a', request: 1, entries, claims: [], last: false, page: 2, next: { at: 0, after: path } },
  {
    type: 'found',
    job: 'a',
    request: 1,
    entries: [],
    claims: [],
    last: true,
    saved: [{ path: '', number: 1, state: Uint8Array.of(6) }],
  },
  { type: 'yield', job: 'a', path, to: 'm' },
  { type: 'idle', request: 1, jobs: ['a'] },
  { type: 'shared', job: 'a', shared },
  { type: 'explain', job: 'a' },
  { type: 'explained', job: 'a', tasks: [{ path, fn: 'f', holder: 'm', age: 2, still: 1, progress: 0.5, leaf: false }] },
  {
    type: 'explained',
    job: 'a',
    tasks: [],
    functions: [{ fn: 'f', finished: 2, failed: 1, ran: 3.5 }],
    members: [{ member: 'm', begun: 3, finished: 2, ran: 3.5, running: 1, waiting: 1 }],
  },
  {
    type: 'explained',
    job: 'a',
    tasks: [],
    members: [{ member: 'm', begun: 3, finished: 2, ran: 3.5, running: 1, waiting: 1, functions: functionsOf(4) }],
  },
]

describe('messages as bytes', () => {
  it.each(messages)('come back unchanged: $type', (message) => {
    expect(encodeMessage(message).map((data) => decodeMessage(data))).toEqual([message])
  })

  it('call a lifeline `surplus`, as members of older versions do', () => {
    const [data] = encodeMessage({ type: 'lifeline' }) as [Uint8Array]
    expect(new Encoder({ mapsAsObjects: true }).decode(data)).toEqual({ type: 'surplus' })
    expect(() => decodeMessage(toBytes({ type: 'lifeline' }))).toThrow(Error)
  })

  it('come in several messages if one would be too large, and only the last is acknowledged', () => {
    const many = Array.from({ length: 18 }, () => ({ ...(entries[0] as Entry), outcome: { value: new Uint8Array(2 ** 20) } }))
    const report = { ...(messages.find(({ type }) => type === 'report') as Extract<Message, { type: 'report' }>), entries: many }
    const parts = encodeMessage(report).map((data) => decodeMessage(data) as typeof report)
    // For megabytes, the comparison of the test runner takes seconds.
    expect(
      isDeepStrictEqual(
        parts.flatMap(({ entries: each }) => each),
        many,
      ),
    ).toBe(true)
    expect(parts.flatMap(({ claims }) => claims)).toEqual(report.claims)
    expect(parts.map(({ number }) => number)).toEqual([0, 0, 0, 3])
  })

  it('have room for the largest entry of a job that is voted on, and are split if a claim stands beside it', () => {
    const sharedOf = (byte: number): Entry['shared'] =>
      new Map([0, 1].map((name) => [`s${name}`, { rule: 'min', key: byte, values: [new Uint8Array(2 ** 20).fill(byte)] } as const]))
    const votes = Array.from({ length: 16 }, (_, number) => ({ by: `${number}`.padEnd(128), leaf: true, signature: new Uint8Array(64) }))
    const outcome = { value: new Uint8Array(2 ** 20) }
    const largest = { path: path.repeat(256), outcome, shared: sharedOf(1), given: sharedOf(2), votes }
    const claim = { ...task, path, input: new Uint8Array(2 ** 20), age: 3, progress: 0, leaf: true, second: false }
    const report = messages.find(({ type }) => type === 'report') as Extract<Message, { type: 'report' }>
    const parts = encodeMessage({ ...report, entries: [largest], claims: [claim] }).map((data) => decodeMessage(data) as typeof report)
    expect(
      isDeepStrictEqual(
        parts.flatMap((each) => each.entries),
        [largest],
      ),
    ).toBe(true)
    expect(
      isDeepStrictEqual(
        parts.flatMap((each) => each.claims),
        [claim],
      ),
    ).toBe(true)
    expect(parts.map(({ number }) => number)).toEqual([0, 3])
  })

  it('offer the next page of an answer only in the last of several messages', () => {
    const many = Array.from({ length: 18 }, () => ({ ...(entries[0] as Entry), outcome: { value: new Uint8Array(2 ** 20) } }))
    const next = { at: 3, after: path }
    const found: Message = { type: 'found', job: 'a', request: 1, entries: many, claims: [], last: false, page: 0, next }
    const parts = encodeMessage(found).map((data) => decodeMessage(data) as typeof found)
    expect(parts.map((part) => part.next)).toEqual([undefined, undefined, undefined, next])
  })

  it('come in several messages if an outcome comes with tasks that crashed many members', () => {
    const names = Array.from({ length: 16 }, (_, name) => String(name).padEnd(128, '_'))
    const tried = Array.from({ length: 4096 }, (_, number) => ({
      path: String(number).padStart(10, '0'),
      crashes: names,
      holders: names,
    }))
    const found = { type: 'found', job: 'a', request: 1, entries, claims: [], last: true, tried: tried.slice(0, 1100) } as const
    const report = { ...(messages.find(({ type }) => type === 'report') as Extract<Message, { type: 'report' }>), tried }
    for (const message of [report, found]) {
      const data = encodeMessage(message)
      expect(Math.max(...data.map(({ length }) => length))).toBeLessThanOrEqual(MAX_MESSAGE_BYTES)
      const parts = data.map((each) => decodeMessage(each) as typeof message)
      expect(parts.flatMap((part) => part.tried ?? [])).toEqual(message.tried)
      expect(parts.flatMap((part) => part.entries)).toEqual(entries)
    }
  })

  it('come in several messages if a task is given back with many saved states, and the task comes last', () => {
    const saved = Array.from({ length: 20 }, (_, number) => ({ path, number: number + 1, state: new Uint8Array(2 ** 20) }))
    const parts = encodeMessage({ type: 'unknown', job: 'a', paths: [path], saved }).map(
      (data) => decodeMessage(data) as Extract<Message, { type: 'unknown' }>,
    )
    expect(parts.flatMap((part) => (part.saved ?? []).map(({ number }) => number))).toEqual(saved.map(({ number }) => number))
    expect(parts.map(({ paths }) => paths.length)).toEqual([...parts.slice(1).map(() => 0), 1])
  })

  it('come in several messages if one would have too many elements', () => {
    const parts = encodeMessage({ type: 'awaiting', job: 'a', paths: Array.from({ length: 70_000 }, () => '') })
    expect(parts.map((data) => (decodeMessage(data) as Extract<Message, { type: 'awaiting' }>).paths.length)).toEqual([35_000, 35_000])
  })

  it('are not read from random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(() => decodeMessage(bytes)).toThrow(Error)
      }),
    )
  })

  it('are refused if references make more elements than there are bytes', () => {
    // [[ "a" ], ten times the first, ten times the second, …]: 10⁷ elements.
    const bytes = [0x88, 0xd8, 28, 0x81, 0x61, 0x61]
    for (let level = 0; level < 7; level++) bytes.push(0xd8, 28, 0x8a, ...Array.from({ length: 10 }, () => [0xd8, 29, level]).flat())
    expect(() => decodeMessage(Uint8Array.from(bytes))).toThrow(/more elements than bytes/u)
  })

  it.each([
    ['another type', { type: 'obey' }],
    ['a path of no whole steps', { type: 'awaiting', job: 'a', paths: ['abc'] }],
    ['a path of other characters', { type: 'awaiting', job: 'a', paths: ['/../../../'] }],
    ['a path that is too deep', { type: 'awaiting', job: 'a', paths: ['a'.repeat(2570)] }],
    ['a progress above one', { type: 'holding', job: 'a', progress: [['', 2]] }],
    [
      'more held tasks than a person reads',
      {
        type: 'explained',
        job: 'a',
        tasks: Array.from({ length: 65 }, () => ({ path, fn: 'f', holder: 'm', age: 2, still: 1, progress: 0.5, leaf: false })),
      },
    ],
    [
      'more functions than are counted',
      {
        type: 'explained',
        job: 'a',
        tasks: [],
        functions: functionsOf(17),
      },
    ],
    [
      'more functions of a member than are counted',
      {
        type: 'explained',
        job: 'a',
        tasks: [],
        members: [{ member: 'm', begun: 3, finished: 2, ran: 3, running: 1, waiting: 1, functions: functionsOf(5) }],
      },
    ],
    ['a count below zero', { type: 'steal', request: -1, jobs: [], count: 1 }],
    ['a count that is no number', { type: 'noted', job: 'a', number: Number.NaN }],
    ['a list that is too long', { type: 'steal', request: 1, jobs: Array.from({ length: 65_537 }, () => 'a'), count: 1 }],
    [
      'a value that is too large',
      { type: 'result', job: 'a', entries: [{ path, outcome: { value: new Uint8Array(2 ** 20 + 1) }, shared: new Map() }] },
    ],
    [
      'a saved state that is too large',
      { type: 'unknown', job: 'a', paths: [], saved: [{ path, number: 1, state: new Uint8Array(2 ** 20 + 1) }] },
    ],
    ['a saved state of no save', { type: 'unknown', job: 'a', paths: [], saved: [{ path, number: 0, state: new Uint8Array() }] }],
    [
      'a saved state of too many saves',
      { type: 'unknown', job: 'a', paths: [], saved: [{ path, number: 1e9 + 1, state: new Uint8Array() }] },
    ],
    ['a saved state of no path', { type: 'unknown', job: 'a', paths: [], saved: [{ path: 'x', number: 1, state: new Uint8Array() }] }],
    ['an outcome that is none', { type: 'result', job: 'a', entries: [{ path, outcome: {}, shared: new Map() }] }],
    ['an offer without a value', { type: 'shared', job: 'a', shared: new Map([['s0', { rule: 'min', key: 1, values: [] }]]) }],
    [
      'shared values that are too large',
      {
        type: 'shared',
        job: 'a',
        shared: new Map([['s0', { rule: 'union', key: 1, values: [1, 2, 3].map(() => new Uint8Array(2 ** 20)) }]]),
      },
    ],
    ['a name of a prototype', JSON.parse('{"type":"noted","job":"a","number":1,"__proto__":{"polluted":true},"constructor":1}')],
  ])('are refused, or read without this field: %s', (name, value) => {
    const bytes = new Encoder({ useRecords: false, tagUint8Array: false }).encode(value)
    if (name.includes('prototype')) expect(decodeMessage(bytes)).toEqual({ type: 'noted', job: 'a', number: 1 })
    else expect(() => decodeMessage(bytes)).toThrow(Error)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})
