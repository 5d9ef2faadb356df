/** What is compared: ways to run tasks on workers of one machine. */
import type { Begun, Client } from './client.ts'

/** Of a contender's processes. `holder`: of what a job can't do without, which is the master, the queue, or in ours the member that holds the job's root. */
export const PARTS = ['worker', 'holder', 'submitter'] as const
export type Part = (typeof PARTS)[number]

/** All methods of another process answer later. */
export type Called<Api> = {
  readonly [Method in keyof Api]: Api[Method] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never
}

/** A contender at work. */
export interface Crew {
  readonly client: Called<Client>
  /** Processes that talk to each other. */
  readonly nodes: number
  /** Ends a part with SIGKILL. Gives the number of workers that are left. */
  kill(part: Part, begun: Begun): number
  /** Resolves when somebody other than the submitter has the results. */
  outlived(begun: Begun, tasks: number): Promise<void>
  readonly stop: () => Promise<void>
}

export interface Place {
  readonly workers: number
  /** Its own, for the time that it runs. */
  readonly folder: string
  /** Its submitter will be killed, and somebody else has to be there. */
  readonly watched?: boolean
}

export interface Contender {
  readonly name: string
  /** What runs where, with versions. */
  form(): string
  /** What can be killed in it. */
  readonly parts: readonly Part[]
  /** Why it can't run here; undefined: it can. `install`: what is missing is installed. */
  missing(install: boolean): string | undefined
  readonly start: (place: Place) => Promise<Crew>
  /** The same with other settings than its defaults, for the SIGKILL of a worker. */
  readonly tuned?: { readonly how: string; readonly start: (place: Place) => Promise<Crew> }
}
