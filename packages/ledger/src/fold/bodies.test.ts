import { expect, it } from 'vitest'
import { decode, encode, mayPropose, toBase64 } from './bodies.ts'

const life = { id: 'a', incarnation: 1 }
const read = (statement: Uint8Array) => ({ id: new TextDecoder().decode(statement), incarnation: 1 })
const may = (id: string, entry: { readonly kind: string; readonly body: Uint8Array }): boolean => mayPropose(id, entry, read)

it('a member proposes entries about itself alone', () => {
  const own = [
    encode('gone', { ...life, how: 'left' }),
    encode('stand', { ...life, election: 'x', sequence: 1 }),
    encode('withdraw', { ...life, election: 'x', sequence: 1 }),
    encode('order', { ...life, number: 1, name: 'n', payload: '' }),
    encode('join', { statement: toBase64(new TextEncoder().encode('a')) }),
  ]
  expect(own.map((entry) => may('a', entry))).toEqual(own.map(() => true))
  expect(own.map((entry) => may('b', entry))).toEqual(own.map(() => false))
})

it('nobody proposes a death, changes of voters, or what no fold reads', () => {
  expect(may('a', encode('gone', { ...life, how: 'died' }))).toBe(false)
  expect(may('a', { kind: 'voters', body: new Uint8Array() })).toBe(false)
  expect(may('a', { kind: 'begin', body: new TextEncoder().encode('{"size":1}') })).toBe(false)
  expect(may('a', { kind: '__proto__', body: new Uint8Array() })).toBe(false)
})

it('base64 with digits that count for nothing is no entry, so that no fold stumbles over it', () => {
  const text = (body: object): Uint8Array => new TextEncoder().encode(JSON.stringify(body))
  for (const statement of ['AB==', 'A', '====', 'AAB=']) expect(decode({ kind: 'join', body: text({ statement }) })).toBeUndefined()
  const order = { ...life, number: 1, name: 'n', payload: 'AB==' }
  expect(decode({ kind: 'order', body: text(order) })).toBeUndefined()
  expect(decode({ kind: 'order', body: text({ ...order, payload: 'AA==' }) })).toBeDefined()
})
