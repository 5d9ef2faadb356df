import { afterEach, expect, it, vi } from 'vitest'
import { jobReporterOf } from './job-reporter.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

it('a failure that others made up writes only plain text to the terminal', () => {
  let written = ''
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((written += String(text))))
  const escape = '\u001b]0;title\u0007\u001b[2J'
  jobReporterOf(false, 'pool', new AbortController().signal).report({
    event: 'failed',
    job: 'x',
    code: `CODE${escape}`,
    message: `message${escape}`,
    member: `member${escape}`,
    tries: 1,
    stack: `Error: message${escape}\n    at line${escape}`,
  })
  expect(written).toBe('jel: CODE: message (at member, tried 1 time)\nError: message\n    at line\n')
})

it('a result that others made up writes only plain text to the terminal', () => {
  let written = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((written += String(text))))
  const done = { event: 'done', job: 'x', result: 'a\u009B2Jb\u202Ec' } as const
  jobReporterOf(false, 'pool', new AbortController().signal).report(done)
  expect(written).toBe('"a\\u009b2Jb\\u202ec"\n')
  written = ''
  jobReporterOf(true, 'pool', new AbortController().signal).report(done)
  expect(written).toContain('"result":"a\\u009b2Jb\\u202ec"')
})

it('progress is a line each half minute if nobody watches a terminal', () => {
  let written = ''
  vi.useFakeTimers()
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((written += String(text))))
  const reporter = jobReporterOf(false, 'pool', new AbortController().signal)
  const progress = { event: 'progress', job: 'x', state: 'active', members: 3, begun: 9, finished: 8, rate: 12.4, reason: '' } as const
  for (let second = 1; second <= 65; second++) {
    vi.advanceTimersByTime(1000)
    reporter.report({ ...progress, covered: second / 100 })
  }
  vi.useRealTimers()
  expect(written).toBe('jel: 30 %, 12 tasks/s, 3 members, some 70 s left\njel: 60 %, 12 tasks/s, 3 members, some 40 s left\n')
})

it('a note of a terminal has a line of its own: the bar ends before it, and begins anew', () => {
  let written = ''
  const { isTTY } = process.stderr
  process.stderr.isTTY = true
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((written += String(text))))
  try {
    const reporter = jobReporterOf(false, 'pool', new AbortController().signal)
    const progress = { event: 'progress', job: 'x', state: 'active', members: 3, begun: 9, finished: 8, rate: 1, reason: '' } as const
    reporter.report({ ...progress, covered: 0.25 })
    reporter.report({ event: 'waits', job: 'x', reason: 'it hangs' })
    // The bar clears its line, and leaves it.
    const escape = String.fromCharCode(27)
    expect(written).toContain('25 %')
    expect(written.endsWith(`${escape}[1G${escape}[2Kjel: the job waits: it hangs\n`)).toBe(true)
    written = ''
    reporter.report({ ...progress, covered: 0.5 })
    expect(written).toContain('50 %')
    reporter.close()
  } finally {
    process.stderr.isTTY = isTTY
  }
})
