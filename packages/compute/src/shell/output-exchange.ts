import type { Pool } from '@jel/jel'
import { FrameStream, inBackground, pause, SendQueue, type Timer } from '@jel/overlay'
import * as v from 'valibot'
import type { JobId, MemberId } from '../core/io.ts'
import { MAX_TEXT, type PrintedText } from '../program/messages.ts'
import { OutputLimit } from '../executors/output-limit.ts'
import { count, fromBytes, id, path, text, toBytes } from '../schemas.ts'
import { OutputLog, sizeOf, type NumberedOutput, type TaskOutput } from './output-log.ts'
import type { PeerBudget } from './peer-budget.ts'

const PROTOCOL = '/jel-compute-output/1.0.0'
/** Number of replicas that keep the output of a job. A guess: one of them may die. */
const REPLICAS = 2
/**
 * A member gathers output for this time before it sends the output to these replicas, ms. A guess:
 * few messages, and no wait that a reader notices.
 */
const SEND_AFTER = 250
/**
 * Characters that one member may add to the output of a job at once. After that each member may add
 * its share of `RATE` a second, among the members that compute now. Guesses.
 */
const [BURST, RATE] = [65_536, 65_536]
/** Time limit for a request, and for the message of an accepted stream, ms. A guess. */
const ANSWER_TIME = 3000
/**
 * A new member may not know the replicas, and the replicas may not know the member. So `of` asks
 * until a replica answers, up to `ATTEMPTS` times, with a pause of `ASK_AGAIN` ms. Guesses.
 */
const [ATTEMPTS, ASK_AGAIN] = [6, 300]
/** Maximum number of streams that this member reads at once, in total and per member. Guesses. */
const [MAX_OPEN, MAX_OF_ONE] = [64, 2]
/**
 * `SENT_BYTES`: a message with outputs has about this many bytes. `MAX_BYTES`: no message has more
 * bytes. A reply contains the whole log of a job, and fits. Guesses.
 */
const [SENT_BYTES, MAX_BYTES] = [32_768, 256 * 1024]
/**
 * Maximum bytes that wait for one replica. Further output is not sent there. A guess: the logs of
 * 16 jobs.
 */
const MAX_WAITING = 1024 * 1024

const output = v.object({
  member: id,
  task: v.optional(path),
  fn: v.optional(text(256)),
  stream: v.picklist(['stdout', 'stderr']),
  // The limit of the program and the limit of its member may each add a note to the text.
  text: text(MAX_TEXT + 256),
  time: count,
  number: count,
})
const message = v.object({ job: id, outputs: v.optional(v.array(output)) })

interface OutputExchangeParts {
  readonly budget: PeerBudget
  /** The ids of the replicas of a job, in order. */
  readonly replicas: (job: JobId) => readonly MemberId[]
  readonly isKnown: (job: JobId) => boolean
  /** The number of members that have workers, this member included. */
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
  /** Unsent outputs of this member. */
  readonly #unsent = new Map<JobId, NumberedOutput[]>()
  readonly #limits = new Map<JobId, OutputLimit>()
  /** The members whose streams this member reads, one entry for each stream. */
  readonly #open: MemberId[] = []
  /**
   * The number of the next output. It begins at the time of the start, so a later process under the
   * same id has greater numbers.
   */
  #number = Date.now() * 1024
  #timer: Timer | undefined
  /** This member's share of `RATE`; undefined: the members have changed since. */
  #rate: number | undefined
  /**
   * For each replica with output on the way: the bytes that wait, and a promise that resolves after
   * the last send so far. A replica that does not answer delays only its own output.
   */
  readonly #sending = new Map<MemberId, { waiting: number; last: Promise<void> }>()

  constructor(pool: Pool, parts: OutputExchangeParts) {
    this.#pool = pool
    this.#parts = parts
  }

  async start(): Promise<void> {
    await this.#pool.handle(PROTOCOL, (stream, from) => {
      // Output is not worth a wait: this member refuses a peer that has used up its budget.
      const isRefused =
        this.#open.length >= MAX_OPEN ||
        this.#open.filter((each) => each === from).length >= MAX_OF_ONE ||
        this.#parts.budget.wait(from, performance.now()) > 0
      if (isRefused) {
        stream.abort(new Error('this member takes no more streams for output now'))
        return
      }
      this.#open.push(from)
      const queue = new SendQueue()
      let isTaken = false
      const frames: FrameStream = new FrameStream(
        stream,
        { maxFrameBytes: MAX_BYTES, queue },
        {
          onFrame: (data) => {
            try {
              if (isTaken) throw new Error('a stream carries one message')
              isTaken = true
              this.#handle(from, data, queue)
            } catch (error) {
              frames.abort(error)
            }
          },
          onEnd: () => {
            clearTimeout(timer)
            this.#open.splice(this.#open.indexOf(from), 1)
            queue.end()
            void frames.close()
          },
        },
      )
      const timer = inBackground(setTimeout(() => frames.abort(new Error('the message did not come in time')), ANSWER_TIME))
    })
  }

  /** A program of this member printed text. */
  printed(job: JobId, { path: task, fn, stream, text: printed }: PrintedText): void {
    const now = performance.now()
    this.#rate ??= RATE / Math.max(1, this.#parts.computing())
    const limit = this.#limits.get(job) ?? new OutputLimit(BURST, this.#rate, now)
    limit.rate = this.#rate
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
    this.#queue(job, piece)
    this.#timer ??= inBackground(setTimeout(() => this.#sendAll(), SEND_AFTER))
  }

  /**
   * Returns the latest output of a job, as the replicas keep it. The outputs of each member are in
   * order.
   */
  async of(job: JobId): Promise<readonly NumberedOutput[]> {
    for (let attempt = 1; ; attempt++) {
      const replicas = this.#parts.replicas(job).slice(0, REPLICAS)
      const logs = await Promise.all(
        replicas.map(async (replica) => (replica === this.#pool.self.id ? this.#log.of(job) : await this.#ask(replica, job))),
      )
      const answers = logs.filter((log) => log !== undefined)
      if (answers.length > 0 || attempt === ATTEMPTS) return united(answers)
      await pause(ASK_AGAIN)
    }
  }

  /** Members came or went, or now have workers or no longer do. */
  membersChanged(): void {
    this.#rate = undefined
  }

  forget(job: JobId): void {
    this.#log.forget(job)
    this.#limits.delete(job)
    this.#unsent.delete(job)
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#sendAll()
    const sent = Promise.all([...this.#sending.values()].map(async ({ last }) => await last))
    await Promise.race([sent, pause(SEND_AFTER, { background: true })])
    await this.#pool.unhandle(PROTOCOL).catch(() => {})
  }

  /**
   * Adds a piece to the unsent outputs. Consecutive texts of one task and stream become one piece.
   */
  #queue(job: JobId, piece: TaskOutput): void {
    const unsent = this.#unsent.get(job) ?? []
    this.#unsent.set(job, unsent)
    const last = unsent.at(-1)
    if (last?.task === piece.task && last?.stream === piece.stream && last.text.length + piece.text.length <= MAX_TEXT)
      unsent[unsent.length - 1] = { ...last, text: last.text + piece.text }
    else unsent.push({ ...piece, number: this.#number++ })
  }

  #sendAll(): void {
    this.#timer = undefined
    for (const [job, outputs] of this.#unsent) {
      for (const replica of this.#parts.replicas(job).slice(0, REPLICAS)) {
        if (replica === this.#pool.self.id) this.#log.append(job, ...outputs)
        else for (const batch of batchesOf(outputs)) this.#queueSend(replica, job, batch)
      }
    }
    this.#unsent.clear()
  }

  #queueSend(replica: MemberId, job: JobId, batch: readonly NumberedOutput[]): void {
    const queue = this.#sending.get(replica) ?? { waiting: 0, last: Promise.resolve() }
    if (queue.waiting >= MAX_WAITING) return
    this.#sending.set(replica, queue)
    const bytes = batch.reduce((all, each) => all + sizeOf(each), 0)
    queue.waiting += bytes
    queue.last = queue.last.then(async () => {
      await this.#send(replica, job, batch)
      queue.waiting -= bytes
      if (queue.waiting === 0) this.#sending.delete(replica)
    })
  }

  /** Sends outputs to a replica. If the replica is unreachable, the other replica may have them. */
  async #send(replica: MemberId, job: JobId, outputs: readonly NumberedOutput[]): Promise<void> {
    try {
      const stream = await this.#pool.open(replica, PROTOCOL, { signal: AbortSignal.timeout(ANSWER_TIME) })
      const queue = new SendQueue()
      const frames = new FrameStream(stream, { maxFrameBytes: 1, queue }, { onFrame: () => {}, onEnd: () => {} })
      queue.push(toBytes({ job, outputs }))
      await frames.close()
    } catch {
      // The replica is gone, or of an earlier release.
    }
  }

  /** Returns the log of a replica; undefined if the replica does not answer. */
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

  /** @throws Error for bytes that are no message. The peer pays for such bytes, too. */
  #handle(from: MemberId, data: Uint8Array, queue: SendQueue): void {
    const began = performance.now()
    let bytes = data.length
    try {
      const { job, outputs } = fromBytes(message, data)
      if (outputs === undefined) {
        const reply = toBytes({ job, outputs: this.#log.of(job) })
        bytes += reply.length
        queue.push(reply)
      } else if (this.#parts.isKnown(job)) this.#log.append(job, ...outputs.map((each) => ({ ...each, member: from }) as NumberedOutput))
    } finally {
      const now = performance.now()
      this.#parts.budget.charge(from, now - began, bytes, now)
    }
  }
}

/** Cuts outputs into messages. */
function batchesOf(outputs: readonly NumberedOutput[]): (readonly NumberedOutput[])[] {
  const batches: NumberedOutput[][] = []
  let left = 0
  for (const each of outputs) {
    left -= sizeOf(each)
    if (left < 0) {
      batches.push([])
      left = SENT_BYTES
    }
    batches.at(-1)?.push(each)
  }
  return batches
}

function outputsOf(data: Uint8Array): readonly NumberedOutput[] | undefined {
  try {
    return fromBytes(message, data).outputs as readonly NumberedOutput[] | undefined
  } catch {
    return undefined
  }
}

/**
 * Unites the logs of replicas, with each output once. The outputs of each member stay in the order
 * of their numbers. Outputs of different members are in the order of their times.
 *
 * For that, an output counts as no earlier than the one before it of the same member. Then a stable
 * sort by time keeps the order of the numbers.
 */
function united(logs: readonly (readonly NumberedOutput[])[]): NumberedOutput[] {
  const outputs = new Map<string, NumberedOutput>()
  for (const each of logs.flat()) if (!outputs.has(`${each.member} ${each.number}`)) outputs.set(`${each.member} ${each.number}`, each)
  const latest = new Map<MemberId, number>()
  return [...outputs.values()]
    .sort((a, b) => a.number - b.number)
    .map((each) => {
      const time = Math.max(each.time, latest.get(each.member) ?? 0)
      latest.set(each.member, time)
      return { each, time }
    })
    .sort((a, b) => a.time - b.time)
    .map(({ each }) => each)
}
