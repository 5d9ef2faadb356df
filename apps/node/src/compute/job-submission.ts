import { setTimeout as sleep } from 'node:timers/promises'
import type { BlobReference, Grid, Job, Sweep } from '@jel/compute'
import type { JobCommand } from '../events/job-messages.ts'
import { CommandError, codeOf, messageOf } from '../base/usage-error.ts'
import { collect } from './collected.ts'
import { readValue, writeValue } from './value-files.ts'
import { follow, reportEach, type Report } from './job-reports.ts'

/**
 * After this time, ms, the progress of a followed job is reported, even if no other member has
 * taken the job. A guess: there may be no other member.
 */
const KEPT_SOON = 2000
/**
 * Submits a job or a sweep. Reports when it is submitted. With `until: ended` it goes on to report
 * until the end.
 */
export async function submit(
  grid: Grid,
  command: JobCommand & { readonly command: 'submit' | 'map' },
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  const warn = ({ detail: { code, message } }: CustomEvent<{ readonly code: string; readonly message: string }>): void => {
    if (code === 'PROGRAM_NEEDS_TRUST') report({ event: 'needs-trust', message })
  }
  grid.addEventListener('warning', warn)
  try {
    const swept = command.command === 'map' ? await sweep(grid, command) : undefined
    const job = swept ?? (await single(grid, command as JobCommand & { command: 'submit' }))
    const reportKept = (): void => report({ event: 'submitted', job: job.id, name: job.name, replicas: job.replicas })
    // The job is reported once another member has it: then the job survives this member.
    if (command.until !== 'ended') {
      await keptOrAlone(grid, job)
      reportKept()
      return
    }
    let isOver = false
    const reportAlone = (error: unknown): void => {
      if (!isOver) report({ event: 'not-kept', message: messageOf(error) })
    }
    const kept = grid.works ? undefined : job.kept().catch((error: unknown) => (reportAlone(error), job.kept(Infinity)))
    const told = Promise.resolve(kept).then(
      () => isOver || reportKept(),
      () => {},
    )
    await Promise.race([told, sleep(KEPT_SOON, undefined, { signal }).catch(() => {})])
    const collectTo = command.command === 'map' ? command.collectTo : undefined
    const outputFile = command.command === 'submit' ? command.outputFile : undefined
    const result = async (): Promise<unknown> => {
      if (collectTo !== undefined) {
        const collected = await collect(job, { folder: collectTo, keepGoing: (command as { keepGoing?: boolean }).keepGoing === true })
        report({ event: 'collected', job: job.id, folder: collectTo, files: collected.files })
        return collected.result
      }
      if (outputFile === undefined) return await job.result
      const value = await job.result
      const bytes = await writeValue(outputFile, value).catch((error: unknown) => {
        const problem = `the job is done, but its result is not written: ${messageOf(error)}`
        throw Object.assign(new Error(`${problem}; jel job with --result prints it`), { code: codeOf(error) })
      })
      report({ event: 'written', job: job.id, file: outputFile, bytes })
      return undefined
    }
    const outcomes =
      command.command === 'map' && command.each === true && swept !== undefined
        ? reportEach(swept, collectTo !== undefined, report, signal)
        : undefined
    await follow(job, report, signal, { before: outcomes, result }).finally(() => (isOver = true))
  } finally {
    grid.removeEventListener('warning', warn)
  }
}

/**
 * Waits until another member has the job. If this member works, and nobody else takes the job, the
 * job runs here.
 *
 * @throws JobNotKeptError if this member does not work
 */
async function keptOrAlone(grid: Grid, job: Job): Promise<void> {
  if (!grid.works) await job.kept()
  else if (job.replicas.length > 1) await job.kept().catch(() => {})
}

async function single(
  grid: Grid,
  {
    file,
    function: fn,
    input: given,
    inputFile,
    outputFile,
    until,
    blobs = {},
    name,
    keep,
    votes,
    requirements,
    after,
    maxTime,
  }: JobCommand & { command: 'submit' },
): Promise<Job> {
  if (inputFile !== undefined && given !== undefined) throw new CommandError('INVALID_COMMAND', 'submit: give input or inputFile')
  if (outputFile !== undefined && until !== 'ended') throw new CommandError('INVALID_COMMAND', 'submit: outputFile needs until: ended')
  const input = inputFile === undefined ? given : await readValue(inputFile)
  if (Object.keys(blobs).length > 0 && input !== undefined && (typeof input !== 'object' || input === null || Array.isArray(input)))
    throw new CommandError('INVALID_COMMAND', 'submit: with blobs the input must be an object')
  const references: Record<string, BlobReference> = {}
  for (const [field, blob] of Object.entries(blobs)) references[field] = await grid.blob(blob)
  const whole = Object.keys(blobs).length > 0 ? { ...(input as object | undefined), ...references } : input
  return await grid.submit(file, fn, whole, {
    ...(name !== undefined && { name }),
    ...(keep !== undefined && { keep }),
    ...(votes !== undefined && { votes }),
    ...(requirements !== undefined && { requirements }),
    ...(after !== undefined && { after }),
    ...(maxTime !== undefined && { maxTime }),
  })
}

async function sweep(
  grid: Grid,
  {
    file,
    function: fn,
    shell,
    files,
    persistent,
    container,
    collect: patterns,
    collectTo,
    until,
    inputs: given,
    inputsFile,
    keepGoing,
    retries,
    name,
    keep,
    requirements,
    after,
    maxTime,
  }: JobCommand & { command: 'map' },
): Promise<Sweep> {
  const options = {
    ...(keepGoing !== undefined && { keepGoing }),
    ...(retries !== undefined && { retries }),
    ...(name !== undefined && { name }),
    ...(keep !== undefined && { keep }),
    ...(requirements !== undefined && { requirements }),
    ...(after !== undefined && { after }),
    ...(maxTime !== undefined && { maxTime }),
  }
  const inputs = inputsFile === undefined ? given : await readValue(inputsFile)
  if (!Array.isArray(inputs) || (inputsFile !== undefined && given !== undefined))
    throw new CommandError('INVALID_COMMAND', 'map: give inputs, or inputsFile with a JSON array')
  if ((collectTo !== undefined) !== (patterns !== undefined && until === 'ended'))
    throw new CommandError('INVALID_COMMAND', 'map: collectTo needs collect, and until: ended')
  if (shell !== undefined)
    return await grid.mapCommand(shell, inputs, {
      ...options,
      ...(files !== undefined && { files }),
      ...(persistent !== undefined && { persistent }),
      ...(container !== undefined && { container }),
      ...(patterns !== undefined && { collect: patterns }),
    })
  if (file === undefined || fn === undefined) throw new CommandError('INVALID_COMMAND', 'map: give file and function, or shell')
  return await grid.map(file, fn, inputs, options)
}
