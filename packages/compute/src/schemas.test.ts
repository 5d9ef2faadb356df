import { createRandom } from '@jel/protocol'
import { expect, it } from 'vitest'
import type { Input } from './core/io.ts'
import type { Message } from './core/messages.ts'
import { Scheduler } from './core/scheduler.ts'
import { decodeMessage, encodeMessage } from './shell/wire.ts'

it('counts that include the largest counts of another member make a valid message', () => {
  const scheduler = new Scheduler({ self: { id: 'self', location: '' }, workers: 1, random: createRandom(1) })
  let now = 0
  const feed = (input: Input): Message[] =>
    scheduler.handle(input, (now += 10)).flatMap((effect) => (effect.type === 'send' ? [effect.message] : []))
  const hear = (message: Message, from = 'liar'): Message[] => {
    const [data] = encodeMessage(message) as [Uint8Array]
    return feed({ type: 'message', from, message: decodeMessage(data) })
  }
  for (const id of ['liar', 'honest']) feed({ type: 'joined', member: { id, location: '' } })
  const spec = {
    id: 'job',
    owner: 'o',
    fn: 'root',
    input: new Uint8Array(),
    submitted: 0,
    desired: 'run',
    trusted: false,
    accepted: true,
    fresh: true,
  } as const
  feed({ type: 'job', spec })
  const most = Number.MAX_SAFE_INTEGER
  const claims = [{ path: 'a'.repeat(10), fn: 'x', input: new Uint8Array(), age: most, progress: 0, leaf: true, second: false }]
  const report = { type: 'report', job: 'job', number: 1, entries: [], dropped: [] } as const
  hear({ ...report, claims, work: { begun: most, finished: most, ran: most } })
  const root = { path: '', outcome: { value: new Uint8Array() }, shared: new Map() }
  const explained = hear({ type: 'explain', job: 'job' }, 'honest')
  hear({ ...report, claims: [], entries: [root], work: { begun: 9, finished: 9, ran: 9 } }, 'honest')
  const said = [...explained, ...hear({ type: 'awaiting', job: 'job', paths: [''] }, 'honest')]
  expect(said.map(({ type }) => type)).toEqual(expect.arrayContaining(['explained', 'result']))
  for (const message of said) for (const data of encodeMessage(message)) decodeMessage(data)
})
