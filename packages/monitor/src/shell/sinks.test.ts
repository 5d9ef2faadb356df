import { toJson } from '@jel/channel'
import { expect, it } from 'vitest'
import { Sinks } from './sinks.ts'

it('news of a member that pushes go to the function that takes its attributes, and to no other', () => {
  const heard: unknown[] = []
  const other: unknown[] = []
  const sinks = new Sinks()
  sinks.add(['other'], (event) => other.push(event))
  const end = sinks.add(['alarm'], (event) => heard.push(event))
  const take = sinks.takerOf('m', ['alarm'])
  take?.(toJson({ rows: [{ lost: 3 }] }))
  take?.(toJson({ rows: [{ i: 0, problem: { code: 'BROKEN', message: 'no sensor' } }] }))
  expect(heard).toMatchObject([
    { type: 'lost', member: 'm', count: 3 },
    { type: 'problem', name: 'alarm' },
  ])
  expect(other).toEqual([])
  end()
  expect(sinks.takerOf('m', ['alarm'])).toBeUndefined()
})
