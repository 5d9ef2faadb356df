import cliProgress from 'cli-progress'
import { jsonLine } from '../events/events.ts'
import { outputLines } from '../events/event-text.ts'
import type { JobEvent } from '../events/job-messages.ts'
import { jsonText, oneLine } from '../base/text.ts'
import { counted } from '../events/quantity.ts'

/**
 * Interval of the lines about progress if standard error is no terminal, ms. A guess: the log of a
 * night gets a thousand lines.
 */
const PROGRESS_EVERY = 30_000

/**
 * Shows a job's progress. A program gets one JSON object a line. A person gets a bar, then the
 * result.
 */
export interface JobReporter {
  report(event: JobEvent): void
  close(): void
}

interface Display extends JobReporter {
  /** Writes a line about the job to standard error. */
  note(text: string): void
}

/** Events after `stopped` are not shown: their cause is the leave, not the job. */
export function jobReporterOf(json: boolean, pool: string, stopped: AbortSignal): JobReporter {
  const display = json ? jsonReporter(pool) : process.stderr.isTTY ? barReporter() : plainReporter()
  return {
    report: (event) => {
      if (stopped.aborted) return
      const note = noteOf(event)
      if (note === undefined) display.report(event)
      else display.note(note)
    },
    close: () => display.close(),
  }
}

/** Returns the line about an event that is neither progress nor an end. */
function noteOf(event: JobEvent): string | undefined {
  switch (event.event) {
    case 'needs-trust':
      return `jel: the program uses ${event.message}`
    case 'not-kept':
      return `jel: ${event.message}; this command goes on asking`
    case 'waits':
      return `jel: the job waits: ${oneLine(event.reason)}`
    case 'collected':
      return `${counted(event.files, 'file')} in ${oneLine(event.folder)}, a folder for each input`
    case 'written':
      return `${counted(event.bytes, 'byte')} in ${oneLine(event.file)}`
    case 'not-own':
      return `jel: this job belongs to another owner, ${event.owner}: no job of that name of yours is known`
    default:
      return undefined
  }
}

function writeNote(text: string): void {
  process.stderr.write(`${text}\n`)
}

function jsonReporter(pool: string): Display {
  return {
    report: (event) => void process.stdout.write(`${jsonLine(event, pool)}\n`),
    note: writeNote,
    close: () => {},
  }
}

/** Writes the result to standard output, progress and problems to standard error. */
function plainReporter(): Display {
  const begin = performance.now()
  let saidAt = begin
  return {
    report(event) {
      if (event.event === 'progress') {
        if (performance.now() - saidAt < PROGRESS_EVERY) return
        saidAt = performance.now()
        const { covered, rate, members } = event
        const parts = [`${Math.round(covered * 100)} %`, `${rate.toFixed(0)} tasks/s`, counted(members, 'member'), leftOf(event, begin)]
        process.stderr.write(`jel: ${parts.filter((part) => part !== '').join(', ')}\n`)
      } else if (event.event === 'submitted') process.stderr.write(`job ${event.job} ${oneLine(event.name)}\n`)
      else if (event.event === 'output') process.stdout.write(`${outputLines(event).join('\n')}\n`)
      else if (event.event === 'done') process.stdout.write(`${jsonText(event.result, 2)}\n`)
      else if (event.event === 'cancelled') process.stderr.write('jel: the job was cancelled by its owner\n')
      else if (event.event === 'forgotten') process.stderr.write('jel: the job and its result are out of the pool\n')
      else if (event.event === 'failed') {
        const where =
          event.member === undefined || event.member === ''
            ? ''
            : ` (at ${oneLine(event.member)}, tried ${counted(event.tries ?? 1, 'time')})`
        process.stderr.write(`jel: ${oneLine(event.code)}: ${oneLine(event.message)}${where}\n`)
        if (event.fn !== undefined)
          process.stderr.write(`    in ${oneLine(`${event.fn}(${event.input ?? ''})`)}${event.task === '' ? ', the root' : ''}\n`)
        if (event.cause !== undefined) process.stderr.write(`    because: ${oneLine(event.cause)}\n`)
        if (event.stack !== undefined) process.stderr.write(`${linesOf(event.stack)}\n`)
      }
    },
    note: writeNote,
    close: () => {},
  }
}

/** Makes a stack trace of another member safe for a terminal. */
function linesOf(stack: string): string {
  const [first = '', ...frames] = stack.split('\n').map(oneLine)
  return [first, ...frames.map((frame) => `    ${frame}`)].join('\n')
}

function barReporter(): Display {
  const plain = plainReporter()
  const bar = new cliProgress.SingleBar(
    {
      format: '{bar} {percentage} %  {rate} tasks/s  {members} members  {left}',
      hideCursor: true,
      stream: process.stderr,
      clearOnComplete: true,
    },
    cliProgress.Presets.shades_classic,
  )
  const begin = performance.now()
  let running = false
  return {
    report(event) {
      if (event.event === 'progress') {
        const { covered, rate, members } = event
        const shown = { rate: rate.toFixed(0), members, left: leftOf(event, begin) }
        if (running) bar.update(Math.round(covered * 100), shown)
        else bar.start(100, Math.round(covered * 100), shown)
        running = true
        return
      }
      if (running && event.event !== 'submitted') bar.stop()
      plain.report(event)
    },
    note(text) {
      // The next progress draws the bar anew, below the line.
      if (running) bar.stop()
      running = false
      writeNote(text)
    },
    close: () => bar.stop(),
  }
}

/** Returns the estimated time to the end, or the reason why nothing is done. */
function leftOf({ covered, rate, state, reason }: Extract<JobEvent, { readonly event: 'progress' }>, begin: number): string {
  const spent = (performance.now() - begin) / 1000
  if (covered > 0.02 && covered < 1 && rate > 0) return `some ${Math.ceil((spent / covered) * (1 - covered))} s left`
  return state === 'active' ? '' : oneLine(reason) || state
}
