import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { NodeEvent } from '../events/events.ts'
import { handles, missingFileOf, parseHandler, type Handler } from './handler.ts'

const node = { id: 'a', reach: 'direct' as const, incarnation: 1, joinedAt: 0, addresses: [], location: '', tag: '' }
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

it.runIf(process.platform !== 'win32')('a command whose file is missing or no program is refused before the first event', () => {
  const folder = mkdtempSync(join(tmpdir(), 'jel-handler-'))
  try {
    const [script, text, none] = ['script.sh', 'text', 'none'].map((name) => join(folder, name)) as [string, string, string]
    writeFileSync(script, '', { mode: 0o700 })
    writeFileSync(text, '', { mode: 0o600 })
    const reasonOf = (command: string): string | undefined => missingFileOf({ events: [], command })
    expect(reasonOf(`${script} "$JEL_MEMBER"`)).toBeUndefined()
    expect(reasonOf(`${text} now`)).toBe(`${text} can't be executed: chmod +x ${text}`)
    expect(reasonOf(none)).toBe(`${none} does not exist: there is no file ${none}`)
    expect(reasonOf(folder)).toMatch(/there is no file/u)
    for (const others of [
      'uptime',
      'echo ./none',
      '"$HOME/none"',
      'a=/none true',
      '[ -e /none ] && date',
      'cat >> /none',
      '/none || date',
      '/none; date',
    ])
      expect(reasonOf(others)).toBeUndefined()
  } finally {
    rmSync(folder, { recursive: true })
  }
})
