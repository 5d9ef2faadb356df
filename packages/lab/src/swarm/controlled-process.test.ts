import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { ControlledProcess } from './controlled-process.ts'
import type { Line, NodeProcess } from './start-node.ts'

test('the reason why a job waits is no answer to a question for its result', async () => {
  const child = { stdin: new PassThrough() }
  const node = new ControlledProcess({ id: 'n', child } as unknown as NodeProcess)
  const answer = node.ask({ command: 'job', job: 'wide', until: 'result' })
  node.note({ event: 'waits', re: 1 } as unknown as Line)
  node.note({ event: 'done', re: 1 } as unknown as Line)
  expect((await answer)?.event).toBe('done')
})
