import type { MemberId, Message, SchedulerConfig, SharePolicy, Tickets } from '@jel/compute/internals'
import type { Milliseconds } from '@jel/protocol'
import type { VirtualProgram } from '../jobs/programs/program.ts'
import type { Site } from '../network/site.ts'

/** Options of a virtual grid. */
export interface GridOptions {
  readonly seed: number
  /** One-way latency between members of two sites, ms. */
  readonly latency: (from: string, to: string) => Milliseconds
  /** The sites. Default: `s`, and `s0` to `s3`. */
  readonly sites?: readonly Site[]
  readonly program: VirtualProgram
  readonly config?: Partial<SchedulerConfig>
  /** The share of each owner in the processor time, at each member. */
  readonly tickets?: Tickets
  /** The policy of an administrator, which all members know. Default: none. */
  readonly policy?: SharePolicy
}

/** Options of a member. */
export interface GridMemberOptions {
  readonly site: string
  readonly workers?: number
  readonly speed?: number
  /** Whether the member runs the programs of jobs. Default: true. */
  readonly accepts?: boolean
  /**
   * Whether the member gets no inputs of jobs that are older than itself. This simulates the loss
   * of all holders of the inputs.
   */
  readonly lacksInputs?: boolean
  /** Whether the member gives wrong values. */
  readonly lies?: boolean
  /** Whether the member's containers fail to start. */
  readonly isSick?: boolean
  /**
   * Whether the member is a client. A client runs nothing, keeps nothing, and publishes nothing
   * about itself.
   */
  readonly isClient?: boolean
  /** Handles messages in place of a scheduler, for a hostile member. */
  readonly takes?: (from: MemberId, message: Message) => void
}
