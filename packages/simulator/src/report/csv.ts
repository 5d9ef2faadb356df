import type { Outcome } from './outcome.ts'
import { columns, type JobResult } from './result.ts'

/** Writes comma-separated values with a header. Quotes text where necessary (RFC 4180). */
function csv(columns: readonly string[], rows: readonly (readonly (string | number | undefined)[])[]): string {
  return [columns, ...rows]
    .map((row) => row.map(cell).join(','))
    .join('\n')
    .concat('\n')
}

function cell(value: string | number | undefined): string {
  const text = value === undefined ? '' : String(value)
  return /[",\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Returns a table with one row per run. */
export function runsCsv(outcomes: readonly Outcome[]): string {
  const classes = [...new Set(outcomes.flatMap(({ result }) => Object.keys(result.received.byPurpose)))]
  const elections = [...new Set(outcomes.flatMap(({ result }) => Object.keys(result.elections)))]
  const jobs = [...new Set(outcomes.flatMap(({ result }) => Object.keys(result.computed?.jobs ?? {})))]
  const sites = [...new Set(outcomes.flatMap(({ result }) => Object.keys(result.computed?.sites ?? {})))]
  return csv(
    [
      'set,seed,nodes,traceHash,violation,verdictsHeld,verdicts,allKnewAllAfterLastChange,detectionP50,detectionP99,detectionMax,missed,silenceP50,silenceP99,silenceMax,silenceMissed',
      'endedLives,falseDeaths,receivedMean,receivedWorst,sentMean,sentWorst,linksMean,linksMost,dials,dialsWorstSecond,hostProbes',
    ]
      .flatMap((names) => names.split(','))
      .concat(
        elections.map((name) => `reigns of ${name}`),
        classes.map((name) => `received for ${name}`),
        jobs.length === 0 ? [] : ['efficiency', 'doneTwice', 'jobMessages', 'jobDials'],
        jobs.map((name) => `time of ${name}`),
        sites.map((site) => `efficiency of ${site}`),
      ),
    outcomes.map(({ set, result }) => {
      const { detection, silenceDetection, endedLives, received, sent, links, dials, hostProbes, computed } = result
      return [
        set.join(' '),
        result.seed,
        result.nodes,
        result.traceHash,
        result.violation?.what,
        result.verdicts.filter(({ held }) => held).length,
        result.verdicts.length,
        knewAllAfterLastChange(result),
        detection.p50,
        detection.p99,
        detection.max,
        detection.missed,
        silenceDetection.p50,
        silenceDetection.p99,
        silenceDetection.max,
        silenceDetection.missed,
        endedLives.total,
        endedLives.false,
        received.mean,
        received.worst,
        sent.mean,
        sent.worst,
        links.mean,
        links.most,
        dials.total,
        dials.worstSecond,
        hostProbes.total,
        ...elections.map((name) => result.elections[name]?.reigns),
        ...classes.map((name) => received.byPurpose[name]),
        ...(jobs.length === 0 ? [] : [computed?.efficiency, computed?.doneTwice, computed?.messages, computed?.dials]),
        ...jobs.map((name) => timeOfJob(computed?.jobs[name])),
        ...sites.map((site) => computed?.sites[site]),
      ]
    }),
  )
}

/**
 * Returns the time from the last change until all nodes knew all members, ms. Returns undefined if
 * that did not happen.
 */
export function knewAllAfterLastChange({ allKnewAll, lastChange }: Outcome['result']): number | undefined {
  const episode = allKnewAll.find(([, to]) => to === null || to > lastChange)
  return episode && Math.max(0, episode[0] - lastChange)
}

/** Returns the time from a job's submission to its result, ms; undefined without a result. */
function timeOfJob(job: JobResult | undefined): number | undefined {
  return job?.doneAt === undefined || job.submittedAt === undefined ? undefined : job.doneAt - job.submittedAt
}

/** Returns a table with one row per sample. */
export function samplesCsv(outcomes: readonly Outcome[]): string {
  const elections = [...new Set(outcomes.flatMap(({ result }) => Object.keys(result.elections)))]
  return csv(
    ['set', 'seed', 'time', ...columns, ...elections.map((name) => `winners of ${name}`)],
    outcomes.flatMap(({ set, result: { seed, samples } }) =>
      samples.time.map((time, row) => [
        set.join(' '),
        seed,
        time,
        ...columns.map((column) => samples[column][row]),
        ...elections.map((name) => samples.winners[name]?.[row]),
      ]),
    ),
  )
}
