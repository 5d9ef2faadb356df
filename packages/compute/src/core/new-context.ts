import { Timers } from '@jel/machine'
import { defaultSchedulerConfig, type SchedulerConfig } from './config.ts'
import type { Context, Signer } from './context.ts'
import type { ComputeMember, Effect } from './io.ts'
import type { Tickets } from './job-queue.ts'
import { Members } from './members.ts'
import type { Message } from './messages.ts'
import { PeerQuota } from './peer-quota.ts'
import { TaskCounts } from './task-counts.ts'
import { timerNames } from './timers.ts'

export interface SchedulerOptions {
  readonly self: ComputeMember
  /**
   * Maximum number of tasks that run at once here. 0: this member only keeps outcomes of others.
   */
  readonly workers: number
  readonly random: () => number
  /** Shares of owners. Default: none, and the first submitted job comes first. */
  readonly tickets?: Tickets
  /** Signs and verifies votes. Default: votes have no signatures, and anybody can forge them. */
  readonly signer?: Signer
  /** Whether this member saves outcomes on disk; see `takeUnsaved` of `Scheduler`. Default: no. */
  readonly saves?: boolean
  /** Returns the beginning of an encoded input, as text for people. Default: no text. */
  readonly describe?: (input: Uint8Array) => string
  readonly config?: Partial<SchedulerConfig>
}

const unsigned: Signer = { sign: () => new Uint8Array(), verify: () => true, isGenuine: () => true }

/** Returns the context of a new scheduler. `toSelf` takes the messages of this member to itself. */
export function newContext(
  { self, random, config, signer = unsigned, saves = false, describe = () => '' }: SchedulerOptions,
  toSelf: (message: Message) => void,
): Context {
  const settings = { ...defaultSchedulerConfig, ...config }
  const members = new Members(self, settings)
  const effects: Effect[] = []
  const context: Context = {
    self: self.id,
    config: settings,
    random,
    members,
    saves,
    jobs: new Map(),
    active: new Set(),
    attended: new Set(),
    unreported: new Set(),
    quota: new PeerQuota(() => context),
    counts: new TaskCounts(),
    timers: new Timers(timerNames),
    effects,
    ...signer,
    describe,
    isStopping: false,
    now: 0,
    exactNow: 0,
    send: (to, message) => {
      if (to === self.id) toSelf(message)
      else if (members.has(to)) effects.push({ type: 'send', to, message })
    },
    replicas: (job) => {
      if (job.replicasVersion !== members.version) {
        job.replicas = members.replicas(job.id)
        job.replicasVersion = members.version
      }
      return job.replicas
    },
  }
  return context
}
