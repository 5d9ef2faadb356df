/**
 * The tab as a member: a worker of its own. Browsers slow the timers of hidden pages down, but not
 * those of workers. Where there are shared workers, all tabs of a browser are one member of a pool.
 */
import { joinPool, JelError, type Pool } from '@jel/jel'
import { Agent } from '@jel/node/agent'
import { Feed } from '@jel/node/feed'
import { Stop } from '@jel/node/stop'
import type { Entry, PageMessage } from './messages.ts'
import { PortSink, type Port } from './port-sink.ts'

/** A member that has entered, with its feed. */
interface Running {
  readonly pool: Pool
  readonly feed: Feed
}

const pages = new Map<Port, PortSink>()
let running: Promise<Running> | undefined
/** The key with which this member has entered. Another page must know it, too. */
let keyOfPool: string | undefined

async function enter({ pool: name, bootstrap, key, location }: Entry): Promise<Running> {
  const options = { bootstrap, location, ...(key !== undefined && { key }), requireMembers: 2 }
  const pool = await joinPool(name, { ...options, identityFile: `pool ${name}` }).catch(async (error: unknown) => {
    // Another browser window of this user has the key, and no shared worker.
    if (!(error instanceof JelError) || error.code !== 'IDENTITY_IN_USE') throw error
    return await joinPool(name, options)
  })
  void pool.closed.then((end) => {
    running = undefined
    for (const [port, sink] of pages) {
      sink.end()
      if (end.reason === 'failed') fail(port, end.error)
      else port.postMessage({ type: 'left' })
    }
  })
  return { pool, feed: new Feed(new Agent(pool, new Stop(), { version: 'tab' })) }
}

async function show(port: Port, entry: Entry): Promise<void> {
  const sink = new PortSink(port)
  pages.set(port, sink)
  try {
    if (running !== undefined && keyOfPool !== entry.key) throw new Error('another tab is in this pool with another key')
    keyOfPool = entry.key
    running ??= enter(entry).catch((error: unknown) => {
      running = undefined
      throw error
    })
    const { feed } = await running
    if (pages.get(port) === sink) feed.add(sink)
  } catch (error) {
    pages.delete(port)
    fail(port, error)
  }
}

function fail(port: Port, error: unknown): void {
  const code = error instanceof JelError ? error.code : 'FAILED'
  port.postMessage({ type: 'failed', code, message: error instanceof Error ? error.message : String(error) })
}

/** Leaves the pool. So others need not find out that this member is gone. */
async function leave(): Promise<void> {
  const left = await running?.catch(() => undefined)
  left?.feed.close()
  await left?.pool.leave()
}

function take(port: Port, message: PageMessage): void {
  if (message.type === 'enter') void show(port, message)
  else if (message.type === 'leave') void leave()
  else {
    pages.get(port)?.end()
    pages.delete(port)
    if (pages.size === 0) void leave()
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
