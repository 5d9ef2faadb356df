import { attend, type Context } from './context.ts'
import { explanationOf } from './explanation.ts'
import type { MemberId } from './io.ts'
import type { Job } from './job.ts'
import type { Message } from './messages.ts'
import type { Parts } from './parts.ts'
import { READ } from './outcome-reader.ts'
import { ROOT } from './path.ts'

/** Hands each message of another member to the part that handles it. */
export class Reception {
  readonly #context: Context
  readonly #parts: Parts

  constructor(context: Context, parts: Parts) {
    this.#context = context
    this.#parts = parts
  }

  receive(from: MemberId, message: Message): void {
    if (!this.#context.members.has(from)) return
    switch (message.type) {
      case 'steal':
        this.#parts.grants.asked(from, message)
        return
      case 'work':
        this.#parts.stealing.answered(from, message)
        return
      case 'lifeline':
        this.#parts.stealing.lifeline(from)
        return
      case 'idle':
        this.#parts.speculation.asked(from, message)
        return
      default: {
        const job = attend(this.#context, message.job)
        if (job !== undefined) this.#receiveFor(job, from, message)
        else this.#answerUnknown(from, message)
      }
    }
  }

  /** Answers a message on a job that this member has not received yet. */
  #answerUnknown(from: MemberId, message: Message): void {
    if (message.type === 'lookup') {
      this.#context.send(from, { type: 'found', job: message.job, request: message.request, entries: [], claims: [], last: true })
    } else if (message.type === 'awaiting') this.#context.send(from, { type: 'unknown', job: message.job, paths: message.paths })
  }

  #receiveFor(job: Job, from: MemberId, message: Exclude<Message, { type: 'steal' | 'work' | 'lifeline' | 'idle' }>): void {
    switch (message.type) {
      case 'awaiting':
        this.#parts.supervision.awaited(from, job, message)
        return
      case 'holding':
        this.#parts.supervision.holding(from, job, message)
        return
      case 'moved':
        this.#parts.supervision.moved(from, job, message.tasks)
        return
      case 'unknown':
        this.#parts.supervision.unknown(from, job, message)
        if (message.paths.includes(ROOT)) this.#parts.ended.unknown(from, job)
        return
      case 'result':
        job.work.totals = message.totals ?? job.work.totals
        for (const entry of message.entries) this.#parts.settlement.settle(job, entry, from)
        return
      case 'report':
        this.#parts.replication.report(from, job, message)
        if (message.work.unfit !== undefined) this.#parts.blame.judge(job)
        return
      case 'noted':
        this.#parts.reports.noted(from, job, message.number)
        return
      case 'lookup':
        this.#parts.replication.lookup(from, job, message)
        return
      case 'found':
        if (message.request === READ) this.#parts.reader.found(from, job, message)
        else this.#parts.lookups.found(from, message, job)
        return
      case 'yield': {
        const node = job.tree.find(message.path)
        const mayYield = this.#context.replicas(job).includes(from) && this.#context.members.has(message.to)
        if (mayYield && node?.frame?.claimed === true) this.#parts.execution.yield(job, node, message.to, from)
        return
      }
      case 'explain':
        this.#context.send(from, { type: 'explained', job: job.id, ...explanationOf(this.#context, job) })
        return
      case 'explained':
        if (!this.#context.replicas(job).includes(from)) return
        this.#context.effects.push({ functions: [], members: [], ...message })
        return
      case 'shared':
        this.#parts.settlement.offered(job, message.shared)
    }
  }
}
