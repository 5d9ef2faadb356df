import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { Pool } from '@jel/jel'
import { entryBytes, type Entry } from '../core/entry.ts'
import type { JobId } from '../core/io.ts'
import type { Message } from '../core/messages.ts'
import type { Scheduler } from '../core/scheduler.ts'
import { JobFile } from './job-file.ts'
import { MAX_LIFETIME } from './job-record.ts'
import { decodeMessage, encodeMessage } from './wire.ts'

/**
 * Interval between saves of new outcomes, as for reports to replicas, and wait after a failed save,
 * ms. Guesses.
 */
const [SAVE_EVERY, RETRY_AFTER] = [1000, 5000]
/**
 * This member writes a file as a whole once it exceeds twice its former size by more than this,
 * bytes. A guess: a small file is written in one piece in any case.
 */
const SLACK = 64 * 1024
/**
 * Maximum bytes of outcomes in a part of a file, and maximum number of outcomes. Other work goes on
 * between two parts. Guesses: the check of 256 outcomes with two votes takes 0.1 s.
 */
const [PART_BYTES, PART_ENTRIES] = [512 * 1024, 256]

export interface SavedJobsOptions {
  readonly pool: Pick<Pool, 'sign'>
  /** The folder of the files. */
  readonly folder: string
  /** Maximum bytes of all files. */
  readonly limit: number
  readonly scheduler: Pick<Scheduler, 'takeUnsaved' | 'entries' | 'ended'>
  /** Hands a message of this member to its own scheduler. */
  readonly feed: (message: Message) => void
  readonly ownerOf: (job: JobId) => string | undefined
  readonly warn: (code: string, message: string, job: JobId | undefined) => void
}

interface Content {
  readonly messages: readonly Message[]
  readonly problem: string | undefined
}

/**
 * Keeps on disk the outcomes and votes that this member holds, one file for each job. After a
 * restart they come back as a report of this member to itself. So they pass the same checks as the
 * report of a peer, and count once.
 */
export class SavedJobs {
  readonly #options: SavedJobsOptions
  readonly #files = new Map<JobId, JobFile>()
  /** Files of an earlier run whose jobs have not come yet. */
  readonly #unread = new Set<JobId>()
  /** The content of such files that `start` has read in advance. */
  readonly #read = new Map<JobId, Content>()
  /** Jobs whose files this member removed for lack of room. */
  readonly #dropped = new Set<JobId>()
  /** Jobs whose last save failed. */
  readonly #failed = new Set<JobId>()
  #key = new Uint8Array()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false
  /** Reads and writes, one after the other. */
  #last: Promise<void> = Promise.resolve()

  constructor(options: SavedJobsOptions) {
    this.#options = options
  }

  /** Reads the files of these jobs, so that {@link restore} need not read them. */
  async start(jobs: readonly JobId[]): Promise<void> {
    const { pool, folder, warn } = this.#options
    // The key is as secret as the key of the member, and belongs to this pool.
    const secret = await pool.sign(new TextEncoder().encode('jel.compute/saved jobs'))
    this.#key = createHash('sha256').update(secret).digest()
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      for (const name of readdirSync(folder)) this.#found(name)
    } catch (error) {
      warn('STATE', `no jobs are saved in ${folder}: ${String(error)}`, undefined)
    }
    for (const id of jobs) if (this.#unread.has(id)) this.#read.set(id, await this.#contentOf(id))
  }

  /**
   * Hands the saved outcomes of a job to the scheduler, which must know the job. Returns true if
   * there may be saved outcomes.
   */
  restore(id: JobId): boolean {
    const content = this.#read.get(id)
    this.#read.delete(id)
    if (content === undefined && !this.#unread.has(id)) return false
    this.#queue(async () => await this.#feed(id, content ?? (await this.#contentOf(id))))
    return true
  }

  /** The scheduler may have outcomes to save. Saves them within a second. */
  changed(after = SAVE_EVERY): void {
    if (this.#timer !== undefined || this.#isClosed) return
    this.#timer = setTimeout(() => {
      // A change during the save starts the next timer.
      this.#timer = undefined
      this.#queue(async () => {
        await this.#saveAll()
        if (this.#failed.size > 0) this.changed(RETRY_AFTER)
      })
    }, after)
    this.#timer.unref()
  }

  /** The job is over, and the pool no longer keeps its result. */
  forget(id: JobId): void {
    const file = this.#files.get(id)
    for (const each of [this.#files, this.#unread, this.#read, this.#dropped, this.#failed]) each.delete(id)
    if (file !== undefined) this.#queue(async () => await file.remove().catch(() => {}))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#queue(async () => await this.#saveAll())
    await this.#last
  }

  #queue(action: () => Promise<void>): void {
    this.#last = this.#last.then(action).catch((error: unknown) => this.#options.warn('STATE', String(error), undefined))
  }

  async #feed(id: JobId, { messages, problem }: Content): Promise<void> {
    if (problem !== undefined) this.#options.warn('STATE', `its saved outcomes are of use in part or not at all: ${problem}`, id)
    for (const message of messages) {
      this.#options.feed(message)
      await turn()
    }
  }

  async #saveAll(): Promise<void> {
    const { folder, scheduler, ownerOf, warn } = this.#options
    const news = scheduler.takeUnsaved()
    for (const job of this.#failed) if (!news.has(job)) news.set(job, [])
    for (const [job, entries] of news) {
      if (this.#dropped.has(job) || (entries.length === 0 && !this.#failed.has(job))) continue
      // `forget` has dropped the job meanwhile.
      if (ownerOf(job) === undefined) {
        this.#failed.delete(job)
        continue
      }
      const file = this.#files.get(job) ?? new JobFile(join(folder, job), this.#key, job)
      this.#files.set(job, file)
      try {
        await this.#save(job, file, entries)
        this.#failed.delete(job)
      } catch (error) {
        if (this.#failed.size === 0) warn('STATE', `its outcomes can't be saved: ${String(error)}`, job)
        this.#failed.add(job)
      }
    }
  }

  async #save(job: JobId, file: JobFile, entries: readonly Entry[]): Promise<void> {
    const { scheduler } = this.#options
    const isWhole = !file.isSound || scheduler.ended(job) !== undefined || file.size > 2 * file.wholeSize + SLACK
    const parts = await partsOf(job, isWhole ? scheduler.entries(job) : entries)
    const bytes = parts.reduce((sum, { length }) => sum + length, isWhole ? 0 : file.size)
    if (!this.#makeRoom(job, bytes)) return
    if (isWhole) await file.replace(parts)
    else await file.append(parts)
    // `forget` may have dropped the job meanwhile.
    if (this.#files.get(job) !== file) await file.remove()
  }

  /**
   * Removes files until there is room: first those of unknown jobs, then the largest file of the
   * owner that takes most. Returns false if this removes the file of the job itself.
   */
  #makeRoom(job: JobId, bytes: number): boolean {
    const { folder, ownerOf, limit, warn } = this.#options
    for (;;) {
      const files = [...this.#files].map(([id, { size }]) => ({ id, owner: ownerOf(id), size: id === job ? bytes : size }))
      if (files.reduce((sum, { size }) => sum + size, 0) <= limit) return true
      const taken = new Map<string | undefined, number>()
      for (const { owner, size } of files) taken.set(owner, (taken.get(owner) ?? 0) + size)
      const most = taken.has(undefined) ? undefined : [...taken].sort(([, a], [, b]) => b - a)[0]?.[0]
      const [largest] = files.filter(({ owner }) => owner === most).sort((a, b) => b.size - a.size)
      const { id } = largest as { readonly id: JobId }
      if (most !== undefined) {
        this.#dropped.add(id)
        warn('STATE_FULL', `this member saves at most ${limit} bytes of jobs, and no more of this one`, id)
      }
      this.#files.delete(id)
      this.#unread.delete(id)
      rmSync(join(folder, id), { force: true })
      if (id === job) return false
    }
  }

  /** Notes a file in the folder. Removes the file if nobody can need it any more. */
  #found(name: string): void {
    if (!/^[\da-f]{20}(\.tmp)?$/u.test(name)) return
    const path = join(this.#options.folder, name)
    const status = lstatSync(path, { throwIfNoEntry: false })
    if (status?.isFile() !== true) return
    if (name.endsWith('.tmp') || Date.now() - status.mtimeMs > MAX_LIFETIME) rmSync(path, { force: true })
    else {
      const file = new JobFile(path, this.#key, name)
      file.size = status.size
      this.#files.set(name, file)
      this.#unread.add(name)
    }
  }

  async #contentOf(id: JobId): Promise<Content> {
    this.#unread.delete(id)
    const { parts, problem } = (await this.#files.get(id)?.read(this.#options.limit)) ?? { parts: [], problem: undefined }
    const messages: Message[] = []
    for (const part of parts) {
      messages.push(...messageOf(part, id))
      await turn()
    }
    return { messages, problem: problem ?? (messages.length < parts.length ? 'some are no outcomes' : undefined) }
  }
}

/** Encodes outcomes as reports. */
async function partsOf(job: JobId, entries: readonly Entry[]): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = []
  for (let at = 0; at < entries.length;) {
    const some: Entry[] = []
    for (let bytes = 0; at < entries.length && bytes < PART_BYTES && some.length < PART_ENTRIES; at++) {
      some.push(entries[at] as Entry)
      bytes += entryBytes(entries[at] as Entry)
    }
    const work = { begun: 0, finished: 0, ran: 0 }
    parts.push(...encodeMessage({ type: 'report', job, number: 0, entries: some, claims: [], dropped: [], work }))
    await turn()
  }
  return parts
}

/** Returns no message if the part is not a report on this job. */
function messageOf(part: Uint8Array, job: JobId): Message[] {
  try {
    const message = decodeMessage(part)
    return message.type === 'report' && message.job === job ? [message] : []
  } catch {
    return []
  }
}
