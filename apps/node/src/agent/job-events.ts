import type { HeldTask, JobProgress } from '@jel/compute'

/** What the commands about jobs tell; time and pool are added by the writer. */
export type JobEvent =
  | { readonly event: 'submitted'; readonly job: string; readonly name: string; readonly replicas: readonly string[] }
  | ({ readonly event: 'progress'; readonly job: string } & JobProgress)
  /** `result` is as JSON has it: large integers and bytes are text, sets and maps are lists. */
  | { readonly event: 'done'; readonly job: string; readonly result: unknown }
  | { readonly event: 'cancelled'; readonly job: string }
  /** It and its result are out of the pool. */
  | { readonly event: 'forgotten'; readonly job: string }
  | {
      readonly event: 'failed'
      readonly job: string
      readonly code: string
      readonly message: string
      readonly member?: string
      readonly tries?: number
      readonly stack?: string
    }
  | ({
      readonly event: 'job'
      readonly job: string
      readonly name: string
      readonly owner: string
      readonly submitted: number
      readonly expires: number
      readonly replicas: readonly string[]
      /** Where it was asked for: who holds what. */
      readonly waits?: readonly HeldTask[]
    } & JobProgress)
  /** The program that is submitted can't run in a sandbox, as of what `message` names. */
  | { readonly event: 'needs-trust'; readonly message: string }
  /** No other member has taken the job yet, and why. It is still offered to them. */
  | { readonly event: 'not-kept'; readonly message: string }
