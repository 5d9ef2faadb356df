import { expect, it } from 'vitest'
import type { NodeEvent } from '../events/events.ts'
import { handles, parseHandler, type Handler } from './handler.ts'

const node = { id: 'a', incarnation: 1, joinedAt: 0, addresses: [], location: '', tag: '' }
const joined: NodeEvent = { event: 'joined', node }
const go: NodeEvent = { event: 'signal', name: 'go', node }
const failed: NodeEvent = { event: 'error', code: 'HANDLER_FAILED', message: '' }
const record: NodeEvent = { event: 'record', name: 'jel.compute/job/x', owner: 'o', version: 1, expires: 2, value: null }

it.each([
  ['joined=./a.sh', { events: [{ kind: 'joined' }], command: './a.sh' }],
  ['joined,left=a=b', { events: [{ kind: 'joined' }, { kind: 'left' }], command: 'a=b' }],
  ['died,signal:go=run "$JEL_MEMBER"', { events: [{ kind: 'died' }, { kind: 'signal', name: 'go' }], command: 'run "$JEL_MEMBER"' }],
  ['elected:a:b=x', { events: [{ kind: 'elected', name: 'a:b' }], command: 'x' }],
  ['*=cat >> all', { events: [{ kind: '*' }], command: 'cat >> all' }],
])('%s is a handler', (text, handler) => {
  expect(parseHandler(text)).toEqual(handler)
})

it.each(['', 'joined', 'joined=', 'joined= ', '=x', 'fly=x', 'joined,fly=x', 'stopped=x'])('%j is none', (text) => {
  expect(parseHandler(text)).toBeUndefined()
})

it.each([
  ['joined=x', joined, true],
  ['left,joined=x', joined, true],
  ['left=x', joined, false],
  ['*=x', joined, true],
  ['signal=x', go, true],
  ['signal:go=x', go, true],
  ['signal:stay=x', go, false],
  ['*:go=x', go, true],
  ['joined,signal:stay=x', joined, true],
  ['joined,signal:stay=x', go, false],
  ['elected:master=x', { event: 'elected', election: 'master', epoch: 1, node }, true],
  ['error:SOME=x', { event: 'error', code: 'SOME', message: '' }, true],
  ['*=x', failed, false],
  ['error=x', failed, false],
  ['*=x', record, false],
  ['*=x', { event: 'stopped' }, false],
] as const satisfies readonly (readonly [string, NodeEvent, boolean])[])('%s for %j: %j', (text, event, expected) => {
  expect(handles(parseHandler(text) as Handler, event)).toBe(expected)
})
