import { expect, it } from 'vitest'
import { OutputLog, type NumberedOutput } from './output-log.ts'

const output = (number: number, text = 'x'.repeat(1000)): NumberedOutput => ({ member: 'a', stream: 'stdout', text, time: 0, number })

it('a log keeps the latest 64 KiB of a job', () => {
  const log = new OutputLog()
  for (let number = 0; number < 100; number++) log.append('job', output(number))
  expect(log.of('job').map(({ number }) => number)).toEqual(Array.from({ length: 58 }, (_, index) => 42 + index))
  log.append('job', output(100, 'y'.repeat(70_000)))
  expect(log.of('job')).toEqual([])
})

it('a log of many jobs drops the job that was silent for longest', () => {
  const log = new OutputLog()
  for (let job = 0; job < 300; job++) for (let number = 0; number < 58; number++) log.append(`job${job}`, output(number))
  expect(log.of('job0')).toEqual([])
  expect(log.of('job299')).toHaveLength(58)
  log.forget('job299')
  expect(log.of('job299')).toEqual([])
})
