import type { JobId, MemberId } from '../core/io.ts'
import type { Path } from '../core/path.ts'
import type { OutputStream } from '../program/messages.ts'

/** Maximum bytes that a log keeps of a job's output, and of the output of all jobs. */
const [MAX_OF_JOB, MAX_OF_ALL] = [65_536, 16 * 1024 * 1024]
/** Bytes that count for each piece besides its text. A guess. */
const OVERHEAD = 128

/** Text that a task printed. */
export interface TaskOutput {
  /** The id of the member that ran the task. */
  readonly member: MemberId
  /** The path of the task; undefined if no task printed the text, or nobody knows which. */
  readonly task?: Path
  /** The function of the task. */
  readonly fn?: string
  readonly stream: OutputStream
  /** Any text: a whole line, a part of one, or several. */
  readonly text: string
  /** Time at which the task printed the text, ms since 1970 by that member's clock. */
  readonly time: number
}

/** An output with its number. The numbers of one member and job grow. */
export interface NumberedOutput extends TaskOutput {
  readonly number: number
}

/** The latest output of jobs. If there is no more room, drops the oldest output. */
export class OutputLog {
  /** The job with the latest output comes last. */
  readonly #jobs = new Map<JobId, { outputs: NumberedOutput[]; bytes: number }>()
  #bytes = 0

  append(job: JobId, ...outputs: readonly NumberedOutput[]): void {
    const log = this.#jobs.get(job) ?? { outputs: [], bytes: 0 }
    this.#jobs.delete(job)
    this.#jobs.set(job, log)
    log.outputs.push(...outputs)
    this.#count(
      log,
      outputs.reduce((sum, output) => sum + sizeOf(output), 0),
    )
    while (log.bytes > MAX_OF_JOB) this.#count(log, -sizeOf(log.outputs.shift() as NumberedOutput))
    for (const oldest of this.#jobs.keys()) {
      if (this.#bytes <= MAX_OF_ALL) break
      this.forget(oldest)
    }
  }

  of(job: JobId): readonly NumberedOutput[] {
    return this.#jobs.get(job)?.outputs ?? []
  }

  forget(job: JobId): void {
    this.#bytes -= this.#jobs.get(job)?.bytes ?? 0
    this.#jobs.delete(job)
  }

  #count(log: { bytes: number }, bytes: number): void {
    log.bytes += bytes
    this.#bytes += bytes
  }
}

/** Estimates the bytes of an output in memory. The result is no less than the bytes on the wire. */
export function sizeOf({ member, task = '', fn = '', text }: TaskOutput): number {
  return OVERHEAD + member.length + task.length + 3 * fn.length + new TextEncoder().encode(text).length
}
