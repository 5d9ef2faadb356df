import { expect, it } from 'vitest'
import { isRefusal, plainProblem } from './refusal.ts'

const few = (reason: string): string => `1 of 2 members were here after 5 s; /ip4/192.0.2.7/tcp/8080/ws: ${reason}`
const handshake = 'connected, but the handshake failed (Unexpected EOF); the pool key may be the reason: the other side may require one'
const other = 'it does not speak /jel/9e62/2.0.0: it belongs to another pool or runs another version'

it.each([
  ['TOO_FEW_MEMBERS', few(handshake), undefined, 'The pool at this address asks for a key.'],
  ['TOO_FEW_MEMBERS', few(handshake), 'a key', 'This key does not fit.'],
  ['TOO_FEW_MEMBERS', few(other), undefined, 'There is no pool “farm” at this address.'],
  ['TOO_FEW_MEMBERS', few('no WebSocket there'), undefined, 'The server of this page does not answer.'],
  ['INVALID_POOL_KEY', 'a pool key starts with…', 'x', 'This is no key of a pool: it has 64 digits from 0 to 9 and a to f.'],
  ['CALENDARS_DIFFER', 'two hours', undefined, 'CALENDARS_DIFFER: two hours'],
])('%s: %s', (code, message, key, text) => {
  expect(plainProblem(code, message, { pool: 'farm', ...(key !== undefined && { key }) })).toBe(text)
})

it('a tab does not wait for a member that refuses it', () => {
  expect([handshake, other, 'no WebSocket there'].map((reason) => isRefusal(new Error(few(reason))))).toEqual([true, true, false])
})
