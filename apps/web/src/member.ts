/**
 * The member of a tab. It runs in a worker, because browsers slow the timers of hidden pages down,
 * but not those of workers. If the browser has shared workers, all tabs with one pool share one
 * member.
 */
import { joinPool, JelError, type Pool } from '@jel/jel'
import { Agent } from '@jel/node/agent'
import { Feed } from '@jel/node/feed'
import { Stop } from '@jel/node/stop'
import { isRefusal } from './refusal.ts'
import type { Entry, MemberMessage, PageMessage, Work } from './messages.ts'
import { PortSink, type Port } from './port-sink.ts'
import type { Volunteer } from './volunteer.ts'

/** The interval of the figures of computing, ms. A guess: people do not need figures more often. */
const WORK_TIME = 1_000
/**
 * `TRY_TIME`: time of one try to enter, ms. `TRIES`: number of tries. Guesses: a refusal comes at
 * once, and an answer from far away takes some seconds.
 */
const [TRY_TIME, TRIES] = [5_000, 6]

/** A member that has entered, with its feed. */
interface Running {
  readonly pool: Pool
  readonly feed: Feed
}

/** A member that computes, in the frame of a page. */
interface Computing {
  readonly page: Port
  readonly volunteer: Promise<Volunteer>
  readonly timer: ReturnType<typeof setInterval>
}

const pages = new Map<Port, PortSink>()
let running: Promise<Running> | undefined
/** The key of the pool with which this member has entered. Another page must give the same key. */
let keyOfPool: string | undefined
let computing: Computing | undefined
/** The `run` of the last message of each page; see `PageMessage`. */
const runs = new WeakMap<Port, number>()
/** Resolves when this member has left. */
let left: Promise<void> = Promise.resolve()
/** Ends a try to enter. */
let leaving = new AbortController()
let volunteer: Volunteer | undefined

async function join({ pool: name, bootstrap, key, location }: Entry): Promise<Pool> {
  const { signal } = leaving
  const options = { bootstrap, location, ...(key !== undefined && { key }), requireMembers: 2, timeout: TRY_TIME, signal }
  let identityFile: string | undefined = `pool ${name}`
  for (let tried = 1; ; tried++) {
    try {
      return await joinPool(name, { ...options, ...(identityFile !== undefined && { identityFile }) })
    } catch (error) {
      const code = error instanceof JelError ? error.code : ''
      // Another window holds this identity, because this browser has no shared workers. So this
      // member enters with a new identity.
      if (code === 'IDENTITY_IN_USE' && identityFile !== undefined) identityFile = undefined
      else if (code !== 'TOO_FEW_MEMBERS' || tried >= TRIES || isRefusal(error)) throw error
    }
  }
}

async function enter(entry: Entry): Promise<Running> {
  const pool = await join(entry)
  void pool.closed.then((end) => {
    running = undefined
    void stop()
    for (const [port, sink] of pages) {
      sink.end()
      if (end.reason === 'failed') fail(port, end.error)
      else port.postMessage({ type: 'left' })
    }
  })
  const agent = new Agent(pool, new Stop(), {
    version: 'tab',
    gridOf: () => volunteer?.grid,
    // The answer to each command is an overview of the jobs, because the page asks for nothing
    // else.
    runJobCommand: async (_, report) => {
      if (volunteer !== undefined) report(await volunteer.overview())
    },
  })
  return { pool, feed: new Feed(agent) }
}

async function show(port: Port, entry: Entry): Promise<void> {
  const sink = new PortSink(port)
  pages.set(port, sink)
  try {
    await left
    if (running !== undefined && keyOfPool !== entry.key) throw new Error('another tab is in this pool with another key')
    keyOfPool = entry.key
    running ??= enter(entry).catch((error: unknown) => {
      running = undefined
      throw error
    })
    const { feed } = await running
    if (pages.get(port) === sink) feed.add(sink)
  } catch (error) {
    // The page may have said `bye` meanwhile.
    if (pages.get(port) !== sink) return
    pages.delete(port)
    fail(port, error)
  }
}

function fail(port: Port, error: unknown): void {
  const code = error instanceof JelError ? error.code : 'FAILED'
  port.postMessage({ type: 'failed', code, message: messageOf(error) })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/**
 * Computes in the frame of this page, with this number of workers.
 *
 * Only one page computes at a time. So the programs that run now end first: those of another page,
 * or those of this page with another number of workers. Meanwhile this page may have closed, or
 * another one may have begun to compute. Then nothing begins here.
 */
async function compute(port: Port, workers: number): Promise<void> {
  await end(port)
  const entered = await running?.catch(() => undefined)
  if (entered === undefined || !pages.has(port) || computing !== undefined) return
  const frame = {
    open: (id: number, end: MessagePort) => port.postMessage({ type: 'program', id }, [end]),
    end: (id: number) => port.postMessage({ type: 'program', id }),
  }
  const started = import('./volunteer.ts').then(async (loaded) => await loaded.Volunteer.start(entered.pool, workers, frame))
  const mine = { page: port, volunteer: started, timer: setInterval(() => void sayWork(), WORK_TIME) }
  computing = mine
  try {
    const begun = await started
    // `end` may have been called meanwhile.
    if (computing !== mine) return
    volunteer = begun
    await sayWork()
  } catch (error) {
    console.error(error)
    if (computing !== mine) return
    sayAll(undefined, messageOf(error))
    await end()
  }
}

/** Ends all programs, and reports this to all pages. Other members take over the tasks. */
async function stop(): Promise<void> {
  if (computing === undefined) return
  sayAll(undefined)
  await end()
}

/**
 * Ends all programs, and waits for their end.
 *
 * @param next the page that computes next. If another page computed until now, that one gets a
 *   report, and then closes its frame. Without `next` no page gets a report.
 */
async function end(next?: Port): Promise<void> {
  const ended = computing
  if (ended === undefined) return
  clearInterval(ended.timer)
  computing = undefined
  volunteer = undefined
  if (next !== undefined && ended.page !== next) say(ended.page, undefined)
  const begun = await ended.volunteer.catch(() => undefined)
  await begun?.stop()
}

async function sayWork(): Promise<void> {
  const work = await volunteer?.work()
  if (work !== undefined && computing !== undefined) sayAll(work)
}

function sayAll(work: Work | undefined, problem?: string): void {
  for (const port of pages.keys()) say(port, work, problem)
}

function say(port: Port, work: Work | undefined, problem?: string): void {
  const run = runs.get(port) ?? 0
  port.postMessage({ type: 'work', run, work, ...(problem !== undefined && { problem }) } satisfies MemberMessage)
}

/** Leaves the pool. So others need not detect the end of this member. */
async function leave(): Promise<void> {
  leaving.abort(new Error('cancelled'))
  leaving = new AbortController()
  const entered = running
  const member = await entered?.catch(() => undefined)
  // Others take over the tasks sooner if this member reports which tasks it gives up.
  await stop()
  member?.feed.close()
  await member?.pool.leave()
  if (running === entered) running = undefined
}

function take(port: Port, message: PageMessage): void {
  if ('run' in message) runs.set(port, message.run)
  if (message.type === 'enter') void show(port, message)
  else if (message.type === 'compute') void compute(port, message.workers)
  else if (message.type === 'stop') void stop()
  else if (message.type === 'leave') left = leave()
  else {
    // `bye`: the page goes, and its frame with it.
    if (computing?.page === port) void stop()
    pages.get(port)?.end()
    pages.delete(port)
    if (pages.size === 0) left = leave()
  }
}

function serve(port: MessagePort | DedicatedWorkerGlobalScope): void {
  port.addEventListener('message', ({ data }: MessageEvent) => take(port as Port, data as PageMessage))
  if ('start' in port) port.start()
}

/** The parts of the two kinds of workers that this module uses. */
interface DedicatedWorkerGlobalScope extends Port {
  addEventListener(type: 'message', listener: (event: MessageEvent) => void): void
}

const scope = globalThis as unknown as DedicatedWorkerGlobalScope & { onconnect?: ((event: MessageEvent) => void) | null }
if ('onconnect' in scope) scope.onconnect = ({ ports: [port] }) => port && serve(port)
else serve(scope)
