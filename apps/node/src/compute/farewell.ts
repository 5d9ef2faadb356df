import type { JobEvent } from '../events/job-messages.ts'

/** Says that a job waits, since this node has met nobody. */
export function aloneText(pool: string): string {
  return `nobody else is in the pool ${pool} yet; the job waits for members that run \`jel work ${pool}\`. On loopback nodes do not find one another: give --bootstrap with an address that jel work prints`
}

/** The last message of a command that leaves before the end of its job. */
export class Farewell {
  #isAlone = (): boolean => false
  #isClient = false
  #isKept = false
  #job: string | undefined

  /** The command itself has entered the pool. `isAlone`: whether no other member is there. */
  entered(isAlone: () => boolean): void {
    this.#isClient = true
    this.#isAlone = isAlone
  }

  heard(event: JobEvent): void {
    if (event.event === 'submitted') this.#isKept = true
    const isOver = event.event === 'done' || event.event === 'failed' || event.event === 'cancelled'
    if (isOver) this.#job = undefined
    else if ('job' in event) this.#job = event.job
  }

  /** Tells the user on standard error what becomes of the job, if there is one. */
  say(pool: string): void {
    if (this.#job !== undefined) process.stderr.write(`jel: ${this.#text(pool, this.#job)}\n`)
  }

  #text(pool: string, job: string): string {
    if (this.#isAlone()) return 'nobody else is in the pool: the job ends here'
    return this.#isClient && !this.#isKept
      ? 'no other member has taken all of the job: it can not go on without this one'
      : `the job goes on without this command: jel job ${pool} ${job} --follow, --result or --cancel`
  }
}
