/**
 * The pool under attack: honest hosts in a separate process. So the measurement of their cost
 * excludes the attacker's cost. The parent process calls this process over messages.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { allocator, type Allocator } from '@jel/allocate'
import type { Pool } from '@jel/jel'
import { monitor, type Monitor } from '@jel/monitor'
import { startOverlay, type Overlay } from '@jel/overlay'
import { serve } from '../base/remote.ts'
import { until } from '../base/wait.ts'
import { enter as enterPool } from '../swarm/member-process.ts'
import { SocketBytes } from '../swarm/socket-bytes.ts'

/** The views of the honest nodes, and their costs. Counts are since the start of the process. */
export interface Figures {
  /** Number of running honest nodes, and how many of them the smallest view contains. */
  readonly honest: number
  readonly fewest: number
  /** Members in the largest view that are not honest nodes. */
  readonly strangers: number
  /** `died` events about running honest nodes, summed over all nodes. */
  readonly falseDeaths: number
  /** Incarnations that honest nodes replaced because other nodes had pronounced them dead. */
  readonly lives: number
  /** Honest nodes that ended with an error. */
  readonly failed: readonly string[]
  /** Warnings of the honest nodes about misbehaving peers. */
  readonly accusations: readonly string[]
  /**
   * The reigns of the election in the views of the nodes, each distinct reign once, as the epoch
   * and the id of the winner. If all nodes agree, there is one entry.
   */
  readonly reigns: readonly string[]
  readonly links: number
  readonly connections: number
  readonly streams: number
  /** Heap in use, in bytes, after a garbage collection. */
  readonly heap: number
  /** Longest delay of the event loop since the last call of `figures`, ms. */
  readonly lag: number
  /** Bytes that the sockets of the process wrote. */
  readonly written: number
}

export const election = 'master'
/** Longest wait for the start of the pool, and for a change in it, ms. */
const START = 15_000
const TIMEOUT = 10_000
/** Time between two checks of all views, ms. */
const EVERY = 5

const nodes: Overlay[] = []
const failed: string[] = []
const accusations: string[] = []
const folder = mkdtempSync(join(tmpdir(), 'jel-attacked-'))
const keyFile = join(folder, 'identity.json')
const sockets = new SocketBytes()
const delays = monitorEventLoopDelay({ resolution: 10 })
let falseDeaths = 0
/** The id of the node whose key the attacker has. */
let stolen: string | undefined
let lives = 0

/** Index of the node that keeps its key in a file. */
const filed = 2

async function enter(pool: string, bootstrap: readonly string[], identityFile?: string): Promise<Overlay> {
  const overlay = await startOverlay({
    pool,
    listen: ['/ip4/127.0.0.1/tcp/0'],
    bootstrap,
    identityFile,
    web: { listen: '127.0.0.1:0' },
    // A short bootstrap time, as in a pool that has run for a while. A new pool accepts any number
    // of members for a minute, because a crowd may be joining.
    config: { limits: { bootstrapTime: 500 } },
  })
  nodes.push(overlay)
  overlay.subscribe((notification) => {
    if (notification.type === 'died' && ![overlay.self.id, stolen].includes(notification.member.id)) {
      if (nodes.some(({ self }) => self.id === notification.member.id)) falseDeaths += 1
    }
    if (notification.type === 'warning' && notification.code === 'PEER_MISBEHAVED') accusations.push(notification.message)
    if (notification.type === 'warning' && notification.code === 'INCARNATION_REPLACED') lives += 1
  })
  void overlay.handle('/echo/1', (stream) => {
    stream.addEventListener('message', () => {})
  })
  void overlay.closed.then((closed) => {
    nodes.splice(nodes.indexOf(overlay), 1)
    if (closed.reason === 'failed') failed.push(closed.error.message)
  })
  return overlay
}

/** The member that serves attributes, leases and groups, and one that uses them. */
interface GridMember {
  readonly pool: Pool
  readonly monitor: Monitor
  readonly allocator: Allocator
}

const grid: GridMember[] = []

async function enterGrid(pool: string, through: string): Promise<GridMember> {
  const entered = await enterPool({ pool, bootstrap: [through] })
  const attributes = await monitor(entered)
  const member = { pool: entered, monitor: attributes, allocator: await allocator(entered, attributes) }
  grid.push(member)
  return member
}

const commands = {
  /** Starts the members of the grid layers. Returns the address of the one that serves them. */
  startGrid: async (pool: string, through: string): Promise<string> => {
    const server = await enterGrid(pool, through)
    server.monitor.attribute('value.x', { ttl: 0, read: () => 1 })
    server.allocator.offer('cpus', 1000)
    server.allocator.program('attacked', () => 1)
    const user = await enterGrid(pool, through)
    await until(() => grid.every((each) => each.pool.members().some(({ id }) => id === user.pool.self.id)), TIMEOUT, EVERY)
    return server.pool.self.addresses[0] ?? ''
  },
  /** Leases and reads as an honest member does. Returns the time that it took, ms. */
  useGrid: async (): Promise<number> => {
    const [server, user] = grid as [GridMember, GridMember]
    const started = performance.now()
    await using _lease = await user.allocator.lease(server.pool.self, { cpus: 1 }, { for: 1000 })
    await user.monitor.read(server.pool.self, ['value.x'])
    return performance.now() - started
  },
  gridLeases: async (): Promise<number> => {
    const [server, user] = grid as [GridMember, GridMember]
    return (await user.allocator.leasesOf(server.pool.self)).leases.length
  },
  /**
   * Starts the nodes. Resolves with one address of each node when every node sees all nodes and one
   * node is elected.
   */
  start: async (pool: string, count: number): Promise<string[]> => {
    delays.enable()
    const first = await enter(pool, [])
    const bootstrap = [...first.self.addresses]
    await Promise.all(
      Array.from({ length: count - 1 }, async (_, i) => await enter(pool, bootstrap, i + 1 === filed ? keyFile : undefined)),
    )
    await seenByAll((node) => node.members().length === count)
    void nodes.findLast(({ self }) => self.id !== filedId())?.elect(election)
    await seenByAll((node) => node.reign(election) !== undefined)
    return nodes.map(({ self }) => self.addresses.find((address) => !address.includes('/ws')) ?? '')
  },
  /** Returns the port for browsers of each node. */
  webPorts: (): number[] => nodes.map(({ self }) => Number(/\/tcp\/(\d+)\/ws/u.exec(self.addresses.join(' '))?.[1])),
  /**
   * Lets a newcomer join through this address and leave again. Returns the time until all nodes saw
   * it, ms; NaN if some node did not see it in time.
   */
  newcomer: async (pool: string, through: string): Promise<number> => {
    const started = performance.now()
    const overlay = await startOverlay({ pool, listen: ['/ip4/127.0.0.1/tcp/0'], bootstrap: [through] })
    try {
      const { id } = overlay.self
      const isSeen = (node: Overlay): boolean => node.members().some((member) => member.id === id)
      return (await until(() => nodes.every(isSeen), TIMEOUT, EVERY)) ? performance.now() - started : Number.NaN
    } finally {
      await overlay.leave()
    }
  },
  /**
   * Makes an honest node a candidate. Returns the time until all nodes see a winner, ms; NaN if
   * some node sees none in time.
   */
  elects: async (name: string): Promise<number> => {
    const started = performance.now()
    void nodes[1]?.elect(name)
    const isElected = await until(() => nodes.every((node) => node.reign(name) !== undefined), TIMEOUT, EVERY)
    return isElected ? performance.now() - started : Number.NaN
  },
  /**
   * Returns the content of the key file. After this call the member's incarnations may be the
   * attacker's, so its deaths do not count as false.
   */
  keyFile: (): string => {
    stolen = filedId()
    return readFileSync(keyFile, 'utf8')
  },
  figures: (): Figures => {
    globalThis.gc?.()
    const ids = new Set(nodes.map(({ self }) => self.id))
    const views = nodes.map((node) => node.members().map(({ id }) => id))
    const honest = views.map((view) => view.filter((id) => ids.has(id)).length)
    const connections = nodes.flatMap(({ libp2p }) => libp2p.getConnections())
    const figures: Figures = {
      honest: nodes.length,
      fewest: Math.min(...honest),
      strangers: Math.max(...views.map((view, i) => view.length - (honest[i] ?? 0))),
      falseDeaths,
      lives,
      failed,
      accusations,
      reigns: [...new Set(nodes.map((node) => reign(node)))],
      links: nodes.reduce((sum, node) => sum + node.health().links, 0),
      connections: connections.length,
      streams: connections.reduce((sum, { streams }) => sum + streams.length, 0),
      heap: process.memoryUsage().heapUsed,
      lag: delays.max / 1e6,
      written: sockets.written(),
    }
    delays.reset()
    return figures
  },
  stop: async (): Promise<void> => {
    await Promise.all(grid.map(async ({ pool }) => await pool.leave()))
    await Promise.all(nodes.map(async (node) => await node.leave()))
    setImmediate(() => process.disconnect()) // so that the answer leaves first
  },
}

function filedId(): string {
  return (JSON.parse(readFileSync(keyFile, 'utf8')) as { id: string }).id
}

function reign(node: Overlay): string {
  const known = node.reign(election)
  return known === undefined ? 'nobody' : `${known.epoch} ${known.winner.id}`
}

async function seenByAll(condition: (node: Overlay) => boolean): Promise<void> {
  if (!(await until(() => nodes.every(condition), START, EVERY)))
    throw new Error(`the pool did not start within ${START} ms: ${condition.toString()}`)
}

export type Commands = typeof commands

process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
serve(commands)
