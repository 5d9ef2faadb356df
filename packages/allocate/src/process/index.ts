/**
 * Runs the ranks of a group as processes of their own: the program is a file that the starter
 * sends.
 *
 * @packageDocumentation
 */
import { fork, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as v from 'valibot'
import type { Group } from '../group/group.ts'
import { MAX_OUTPUT } from '../group/messages.ts'
import type { GroupProgram, WriteOutput } from '../group/running-rank.ts'
import type { FromRank, ProcessEnd, ToRank } from './messages.ts'

export type { ProcessEnd, ProcessInput } from './messages.ts'

/**
 * A process must end by itself after its program. If it writes nothing for this time and does not
 * end, it is killed, ms. A guess.
 */
const END_TIME = 2000

const processInput = v.object({
  name: v.pipe(v.string(), v.maxLength(256)),
  source: v.string(),
  input: v.optional(v.unknown()),
})

/**
 * Returns a program that runs a file of the starter in a process of its own, with all rights of
 * this user. Its output goes to the starter. Its result is a {@link ProcessEnd}.
 */
export function processProgram(): GroupProgram {
  return async (group, input, { output, starterGone }) => {
    const { name, source, input: own } = v.parse(processInput, input)
    const folder = await mkdtemp(join(tmpdir(), 'jel-rank-'))
    try {
      group.signal.throwIfAborted()
      const ending = /\.[cm]?ts$/u.test(name) ? 'mts' : 'mjs'
      const file = join(folder, `${basename(name).replace(/\.[^.]*$/u, '') || 'program'}.${ending}`)
      await writeFile(file, source, { mode: 0o600 })
      group.signal.throwIfAborted()
      return await new RankProcess(group, folder, output).run(file, own, AbortSignal.any([group.signal, starterGone]))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
}

/** The process of one rank. */
class RankProcess {
  #group: Group
  readonly #child: ChildProcess
  readonly #output: WriteOutput
  readonly #ready = Promise.withResolvers<void>()
  /** Resolves when the process has ended, or could not be started. */
  readonly #exited: Promise<Pick<ProcessEnd, 'status' | 'message'>>
  #result: Pick<ProcessEnd, 'value' | 'message'> = {}
  /** The time of the last output after the end of the program. 0: the program has not ended. */
  #lastOutput = 0

  constructor(group: Group, folder: string, output: WriteOutput) {
    this.#group = group
    this.#output = output
    const main = import.meta.url.endsWith('.ts') ? './rank-main.ts' : './rank-main.js'
    const child = fork(fileURLToPath(new URL(main, import.meta.url)), [], {
      cwd: folder,
      // A process group of its own, so that its children end with it.
      detached: true,
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      execArgv: [],
      env: { ...process.env, JEL_RANK: `${group.rank}`, JEL_SIZE: `${group.size}`, JEL_GROUP: group.id },
    })
    this.#child = child
    this.#exited = new Promise((resolve) => {
      child.once('error', (error) => resolve({ status: 1, message: error.message }))
      child.once('exit', (code, signal) => resolve({ status: code ?? 1, ...(signal !== null && { message: `it was ended by ${signal}` }) }))
    })
  }

  /** @param signal ends the process */
  async run(file: string, input: unknown, signal: AbortSignal): Promise<ProcessEnd> {
    const child = this.#child
    const streams = (['stdout', 'stderr'] as const).map(async (name) => await this.#forward(name))
    child.on('message', (message: unknown) => this.#take(message))
    const abort = (): void => this.#kill()
    signal.addEventListener('abort', abort, { once: true })
    let timer: NodeJS.Timeout | undefined
    try {
      signal.throwIfAborted()
      await Promise.race([this.#ready.promise, this.#exited])
      const { id, epoch, rank, members, sites } = this.#group
      this.#send({ type: 'start', file, input, group: { id, epoch, rank, members, sites } })
      timer = setInterval(() => {
        // The program has ended, and something keeps its process alive.
        if (this.#lastOutput > 0 && performance.now() - this.#lastOutput > END_TIME) this.#kill()
      }, END_TIME / 4)
      const { status, message } = await this.#exited
      signal.throwIfAborted()
      const isDone = this.#lastOutput > 0 && this.#result.message === undefined
      const end = { status: isDone && message !== undefined ? 0 : status, ...(!isDone && message !== undefined && { message }) }
      // A child in a session of its own may keep the streams for ever.
      await Promise.race([Promise.all(streams), new Promise((resolve) => setTimeout(resolve, END_TIME))])
      return { ...end, ...this.#result }
    } finally {
      clearInterval(timer)
      signal.removeEventListener('abort', abort)
      this.#kill()
      child.stdout?.destroy()
      child.stderr?.destroy()
    }
  }

  async #forward(name: 'stdout' | 'stderr'): Promise<void> {
    const stream = this.#child[name]
    if (stream === null) return
    stream.setEncoding('utf8')
    try {
      // The next text is read only after the starter has taken this text.
      for await (const text of stream) {
        if (this.#lastOutput > 0) this.#lastOutput = performance.now()
        const all = text as string
        for (let at = 0; at < all.length; at += MAX_OUTPUT) await this.#output(name, all.slice(at, at + MAX_OUTPUT))
      }
    } catch {
      // The process is gone.
    }
  }

  /** The program has the same channel, so a message may be anything. */
  #take(received: unknown): void {
    if (typeof received !== 'object' || received === null) return
    const message = received as FromRank
    if (message.type === 'ready') this.#ready.resolve()
    else if (message.type === 'done' || message.type === 'failed') {
      this.#result = message.type === 'done' ? { value: message.value } : { message: message.message }
      this.#lastOutput = performance.now()
    } else if (message.type === 'call' && typeof message.call === 'object')
      this.#call(message).then(
        (value) => this.#send({ type: 'answer', id: message.id, value }),
        (error: unknown) => {
          const { code = '' } = error as { code?: string }
          this.#send({ type: 'refused', id: message.id, code, message: error instanceof Error ? error.message : String(error) })
        },
      )
  }

  async #call({ epoch, call }: Extract<FromRank, { type: 'call' }>): Promise<unknown> {
    const group = this.#group
    if (call.name === 'shrink' || call.name === 'regroup') {
      this.#group = epoch === group.epoch ? await group[call.name]() : group
      const { id, rank, members, sites } = this.#group
      return { id, epoch: this.#group.epoch, rank, members, sites }
    }
    if (epoch !== group.epoch) throw Object.assign(new Error('a rank has revoked the group'), { code: 'REVOKED' })
    if (call.name === 'send') await group.sendTagged(call.to, call.bytes, call.tag)
    else if (call.name === 'receive')
      return await group.receive({ ...(call.from !== undefined && { from: call.from }), ...(call.tag !== undefined && { tag: call.tag }) })
    else if (call.name === 'check') group.checkAll()
    else group.revoke()
    return undefined
  }

  #send(message: ToRank): void {
    if (this.#child.connected) this.#child.send(message)
  }

  #kill(): void {
    const { pid } = this.#child
    if (pid === undefined) return
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // The process has ended.
    }
  }
}
