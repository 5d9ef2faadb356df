import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from '@jel/jel'
import { FrameStream, SendQueue } from '@jel/overlay'
import * as v from 'valibot'
import type { JobId, MemberId } from '../core/io.ts'
import { MAX_TEXT, type PrintedText } from '../executors/messages.ts'
import { OutputLimit } from '../executors/output-limit.ts'
import { count, fromBytes, id, path, text, toBytes } from '../schemas.ts'
import { OutputLog, type NumberedOutput, type TaskOutput } from './output-log.ts'
import type { PeerBudget } from './peer-budget.ts'

const PROTOCOL = '/jel-compute-output/1.0.0'
/** Number of replicas that keep the output of a job. A guess: one of them may die. */
const KEEPERS = 2
/** Output is sent to them after this time, ms. A guess: few messages, and no wait for a reader. */
const SEND_AFTER = 250
/**
 * Characters that one member may add to the output of a job at once. After that all members
 * together may add `RATE` a second. Guesses.
 */
const [BURST, RATE] = [65_536, 65_536]
/** A request has this long, ms. A guess. */
const ANSWER_TIME = 3000
/**
 * A member that has just entered may not know the replicas, nor they the member. So it asks this
 * often, with this pause in ms. Guesses.
 */
const [ATTEMPTS, ASK_AGAIN] = [6, 300]
/** Most requests that are read at once, in total and per member. Guesses. */
const [MAX_OPEN, MAX_OF_ONE] = [64, 2]
/** Most outputs of one message, and most bytes: all that a log keeps of a job. */
const [MAX_OUTPUTS, MAX_BYTES] = [512, 256 * 1024]

const output = v.object({
  member: id,
  task: v.optional(path),
  fn: v.optional(text(256)),
  stream: v.picklist(['stdout', 'stderr']),
  // With the notes of both limits.
  text: text(MAX_TEXT + 256),
  time: count,
  number: count,
})
const message = v.object({ job: id, outputs: v.optional(v.pipe(v.array(output), v.maxLength(MAX_OUTPUTS))) })

type Message = v.InferOutput<typeof message>

interface OutputExchangeParts {
  readonly budget: PeerBudget
  /** The ids of the replicas of a job, in order. */
  readonly replicas: (job: JobId) => readonly MemberId[]
  readonly isKnown: (job: JobId) => boolean
  /** The number of members that compute. */
  readonly computing: () => number
  readonly onOutput: (job: JobId, output: TaskOutput) => void
}

/**
 * Collects the output of tasks. The first two replicas of a job keep the latest output of all its
 * tasks. Every member can ask them for it.
 *
 * A stream carries one message: outputs for the log of a replica, or a request for the log of a
 * job, to which the replica replies.
 */
export class OutputExchange {
  readonly #pool: Pool
  readonly #parts: OutputExchangeParts
  readonly #log = new OutputLog()
  /** Outputs of this member that were not sent yet. */
  readonly #unsent = new Map<JobId, NumberedOutput[]>()
  readonly #limits = new Map<JobId, OutputLimit>()
  /** The members whose requests are being read. */
  readonly #open: MemberId[] = []
  /** A later process under the same id continues with greater numbers. */
  #number = Date.now() * 1024
  #timer: NodeJS.Timeout | undefined

  constructor(pool: Pool, parts: OutputExchangeParts) {
    this.#pool = pool
    this.#parts = parts
  }

  async start(): Promise<void> {
    await this.#pool.handle(PROTOCOL, (stream, from) => {
      const queue = new SendQueue()
      let isOpen = this.#open.length < MAX_OPEN && this.#open.filter((each) => each === from).length < MAX_OF_ONE
      if (isOpen) this.#open.push(from)
      const close = (): void => {
        if (isOpen) this.#open.splice(this.#open.indexOf(from), 1)
        isOpen = false
        queue.end()
      }
      const frames: FrameStream = new FrameStream(
        stream,
        { maxFrameBytes: MAX_BYTES, queue },
        {
          onFrame: (data) => {
            if (isOpen)
              void this.#handle(from, data, queue)
                .catch((error: unknown) => frames.abort(error))
                .finally(close)
            else frames.abort(new Error('it asks for too much'))
          },
          onEnd: () => {
            close()
            void frames.close()
          },
        },
      )
    })
  }

  /** A program of this member printed text. */
  printed(job: JobId, { path: task, fn, stream, text: printed }: PrintedText): void {
    const now = performance.now()
    const limit = this.#limits.get(job) ?? new OutputLimit(BURST, RATE / Math.max(1, this.#parts.computing()), now)
    this.#limits.set(job, limit)
    const passed = limit.pass(printed, now)
    if (passed === '') return
    const piece = {
      member: this.#pool.self.id,
      ...(task !== undefined && { task }),
      ...(fn !== undefined && { fn }),
      stream,
      text: passed,
      time: Date.now(),
    }
    this.#parts.onOutput(job, piece)
    const unsent = this.#unsent.get(job) ?? []
    this.#unsent.set(job, unsent)
    unsent.push({ ...piece, number: this.#number++ })
    this.#timer ??= setTimeout(() => this.#sendAll(), SEND_AFTER).unref()
  }

  /** Returns the latest output of a job, as the replicas keep it. */
  async of(job: JobId): Promise<readonly NumberedOutput[]> {
    for (let attempt = 1; ; attempt++) {
      const keepers = this.#parts.replicas(job).slice(0, KEEPERS)
      const logs = await Promise.all(
        keepers.map(async (keeper) => (keeper === this.#pool.self.id ? this.#log.of(job) : await this.#ask(keeper, job))),
      )
      const answers = logs.filter((log) => log !== undefined)
      if (answers.length > 0 || attempt === ATTEMPTS) return united(answers)
      await sleep(ASK_AGAIN)
    }
  }

  forget(job: JobId): void {
    this.#log.forget(job)
    this.#limits.delete(job)
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#pool.unhandle(PROTOCOL).catch(() => {})
  }

  #sendAll(): void {
    this.#timer = undefined
    for (const [job, outputs] of this.#unsent) {
      for (const replica of this.#parts.replicas(job).slice(0, KEEPERS)) {
        if (replica === this.#pool.self.id) this.#log.append(job, ...outputs)
        else for (let at = 0; at < outputs.length; at += MAX_OUTPUTS) void this.#send(replica, job, outputs.slice(at, at + MAX_OUTPUTS))
      }
    }
    this.#unsent.clear()
  }

  /** Sends outputs to a replica. If it can't be reached, the other replica may have them. */
  async #send(replica: MemberId, job: JobId, outputs: readonly NumberedOutput[]): Promise<void> {
    try {
      const stream = await this.#pool.open(replica, PROTOCOL, { signal: AbortSignal.timeout(ANSWER_TIME) })
      const queue = new SendQueue()
      const frames = new FrameStream(stream, { maxFrameBytes: 1, queue }, { onFrame: () => {}, onEnd: () => {} })
      queue.push(toBytes({ job, outputs }))
      await frames.close()
    } catch {
      // It is gone, or of an earlier release.
    }
  }

  /** Returns the log of a replica; undefined if it does not answer. */
  async #ask(replica: MemberId, job: JobId): Promise<readonly NumberedOutput[] | undefined> {
    const { promise, resolve } = Promise.withResolvers<readonly NumberedOutput[] | undefined>()
    const timer = setTimeout(() => resolve(undefined), ANSWER_TIME)
    try {
      const stream = await this.#pool.open(replica, PROTOCOL, { signal: AbortSignal.timeout(ANSWER_TIME) })
      const queue = new SendQueue()
      const frames = new FrameStream(
        stream,
        { maxFrameBytes: MAX_BYTES, queue },
        { onFrame: (data) => resolve(outputsOf(data)), onEnd: () => resolve(undefined) },
      )
      queue.push(toBytes({ job }))
      const outputs = await promise
      void frames.close()
      return outputs
    } catch {
      return undefined
    } finally {
      clearTimeout(timer)
    }
  }

  async #handle(from: MemberId, data: Uint8Array, queue: SendQueue): Promise<void> {
    const { budget, isKnown } = this.#parts
    await sleep(budget.wait(from, performance.now()), undefined, { ref: false })
    const began = performance.now()
    const { job, outputs }: Message = fromBytes(message, data)
    let sent = 0
    if (outputs === undefined) {
      const reply = toBytes({ job, outputs: this.#log.of(job) })
      sent = reply.length
      queue.push(reply)
    } else if (isKnown(job)) this.#log.append(job, ...outputs.map((each) => ({ ...each, member: from }) as NumberedOutput))
    const now = performance.now()
    budget.charge(from, now - began, data.length + sent, now)
  }
}

function outputsOf(data: Uint8Array): readonly NumberedOutput[] | undefined {
  try {
    return fromBytes(message, data).outputs as readonly NumberedOutput[] | undefined
  } catch {
    return undefined
  }
}

/** Unites the logs of replicas, in the order of time. */
function united(logs: readonly (readonly NumberedOutput[])[]): NumberedOutput[] {
  const outputs = new Map<string, NumberedOutput>()
  for (const each of logs.flat()) outputs.set(`${each.member} ${each.number}`, each)
  return [...outputs.values()].sort((a, b) => a.time - b.time || a.number - b.number)
}
