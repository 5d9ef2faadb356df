import type { JobsResult, Verdict } from '../report/result.ts'
import type { Expectation } from '../scenario/expectation.ts'
import { writeDuration } from '../scenario/quantity.ts'

type JobExpectation = Extract<Expectation, { type: 'efficiency' | 'doneTwice' | 'jobDone' | 'sameResult' }>

/** Judges an expectation about the scenario's jobs. */
export function judgeJobs(expectation: JobExpectation, { jobs, efficiency, sites, doneTwice }: JobsResult): Verdict {
  const all = Object.entries(jobs)
  switch (expectation.type) {
    case 'efficiency': {
      const { atLeast, site } = expectation
      const seen = site.length === 0 ? efficiency : Math.min(...site.map((each) => sites[each] ?? 0))
      const where = site.length === 0 ? '' : ` at ${site.join(', ')}`
      // An unfinished job has no efficiency.
      const isDone = all.every(([, { doneAt }]) => doneAt !== undefined)
      return {
        what: `processors are at work for ${percent(atLeast)} of the time${where}`,
        held: isDone && seen >= atLeast,
        seen: isDone ? percent(seen) : 'it is not done',
        value: -seen,
      }
    }
    case 'doneTwice':
      return {
        what: `at most ${percent(expectation.atMost)} of the work is done twice`,
        held: doneTwice <= expectation.atMost,
        seen: percent(doneTwice),
        value: doneTwice,
      }
    case 'jobDone': {
      const { job, within } = expectation
      const times = all
        .filter(([name]) => job === undefined || name === job)
        .map(([, { submittedAt, doneAt }]) => (doneAt === undefined ? Infinity : doneAt - (submittedAt ?? 0)))
      const [time, known] = [Math.max(...times), all.every(([, { isDoneEverywhere }]) => isDoneEverywhere)]
      return {
        what: `${job ?? 'each job'} is done within ${writeDuration(within)}`,
        held: time <= within && known,
        seen: time === Infinity ? 'never' : `after ${(time / 1_000).toFixed(1)}s${known ? '' : ', and not all know it'}`,
        ...(time < Infinity && { value: time }),
      }
    }
    case 'sameResult': {
      const wrong = all.filter(([, { isRight }]) => !isRight).map(([name]) => name)
      return {
        what: 'all hold the right result',
        held: wrong.length === 0,
        seen: wrong.length === 0 ? 'so it was' : `not of ${wrong.join(', ')}`,
      }
    }
  }
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(2))} %`
}
