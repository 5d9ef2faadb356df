import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { Output } from '../base/output.ts'
import type { NodeJson } from '../events/events.ts'
import { plainReporter } from './reporter.ts'

const node: NodeJson = { id: 'a', incarnation: 1, addresses: [], location: 'here', tag: '', reach: 'direct', joinedAt: 0 }

it('a change that no line shows, such as that of a constant, is no line', () => {
  const stream = new PassThrough()
  const reporter = plainReporter(new Output(stream, () => {}))
  reporter.report({ event: 'joined', node })
  reporter.report({ event: 'updated', node })
  reporter.report({ event: 'updated', node: { ...node, reach: 'hidden' } })
  reporter.report({ event: 'updated', node: { ...node, reach: 'hidden' } })
  reporter.report({ event: 'left', node })
  reporter.report({ event: 'joined', node })
  const lines = (stream.read() as Buffer).toString().trim().split('\n')
  expect(lines.map((line) => line.split(' ')[1])).toEqual(['joined', 'updated', 'left', 'joined'])
})
