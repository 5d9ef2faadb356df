import { createRandom, hash52 } from '@jel/protocol'
import { beforeEach, expect, it } from 'vitest'
import type { Effect, Input, Message } from './io.ts'
import { Scheduler } from './scheduler.ts'

// One whose first replica is another member.
const job = Array.from({ length: 100 }, (_, number) => `job${number}`).find(
  (id) => hash52(`${id} other`) > hash52(`${id} self`) && hash52(`${id} other`) > hash52(`${id} third`),
) as string
const input = Uint8Array.of(1)

let now: number
let scheduler: Scheduler

function feed(next: Input, after = 0): Effect[] {
  now += after
  return scheduler.handle(next, now)
}

function sent<Type extends Message['type']>(effects: readonly Effect[], type: Type): Extract<Message, { type: Type }>[] {
  return effects.flatMap((effect) =>
    effect.type === 'send' && effect.message.type === type ? [effect.message as Extract<Message, { type: Type }>] : [],
  )
}

function hear(message: Message, from: string): Effect[] {
  return feed({ type: 'message', from, message })
}

beforeEach(() => {
  now = 0
  scheduler = new Scheduler({ self: { id: 'self', location: 'self@here' }, workers: 1, random: createRandom(1) })
  for (const id of ['other', 'third', 'fourth']) feed({ type: 'joined', member: { id, location: `${id}@here` } })
})

const spec = { id: job, owner: 'owner', fn: 'root', input, submitted: 0, wish: 'run', accepted: true, fresh: true } as const

it('a member that leaves to another one what it did for the second time does not wait for it', () => {
  feed({ type: 'job', spec })
  let request: number | undefined
  for (let tries = 0; tries < 50 && request === undefined; tries++) request = sent(feed({ type: 'timer' }, 100), 'idle')[0]?.request
  const grant = { path: '', fn: 'root', input, job, replay: false, tries: 0 }
  const begun = hear({ type: 'work', request: request ?? -1, tasks: [grant], left: 0, ended: [] }, 'other')
  expect(begun.some(({ type }) => type === 'run')).toBe(true)
  const left = hear({ type: 'yield', job, path: '', to: 'third' }, 'other')
  expect(left.some(({ type }) => type === 'forget')).toBe(true)
  expect(sent(left, 'awaiting')).toEqual([])
})
