import { expect, it } from 'vitest'
import type { CommandResult } from '../src/index.ts'
import { testPool } from './test-pool.ts'

const test = testPool()

it.runIf(process.platform === 'linux')('the files of a command outlive the member that ran it', async () => {
  await test.member()
  const worker = await test.member({ workers: 1 })
  const submitter = await test.member({ visits: true })
  await expect.poll(() => submitter.source.replicas('x').length).toBe(2)
  const job = await submitter.mapCommand('echo {} > a.txt', ['made'], { collect: ['*.txt'] })
  const [result] = (await job.result) as [CommandResult]
  await worker.close()
  await test.pools[1]?.leave()
  await expect.poll(() => submitter.source.replicas(job.id).length).toBe(1)
  const files = await job.files(result.files)
  expect(files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()])).toEqual([['a.txt', 'made\n']])
})
