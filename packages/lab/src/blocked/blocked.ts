/**
 * Five of twenty applications block their thread at the same time. Meanwhile other nodes join,
 * leave and send signals. Reports the nodes that others pronounce dead, and the events that the
 * blocked nodes receive afterwards. A scenario can't express this, because nodes of scenarios have
 * no application.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { end } from '../base/child.ts'
import { startRemote, type RemoteProcess } from '../base/remote.ts'
import { oneOf, seconds, whole } from '../base/settings.ts'
import { until } from '../base/wait.ts'
import { bench } from '../bench/bench.ts'
import type { Application, Part } from './application.ts'
import { problemsOf, type Observation } from './judge.ts'

/**
 * Time for which the client stays, ms: long enough for a node to publish its join before its leave.
 */
const STAY = 1_000
/** Number of signals to each blocked node, one after the other. */
const SIGNALS = 20
/** Longest time until all nodes see each other, ms. A guess: it takes seconds. */
const SETTLE_WITHIN = 120_000
/**
 * Time after the block for the remaining events, ms. If others pronounced a node dead, the node
 * must also return to the pool within this time.
 */
const SETTLE = 15_000

interface Process extends RemoteProcess<Application> {
  readonly ids: readonly string[]
  readonly addresses: readonly string[]
}

async function start(part: Part): Promise<Process> {
  const process = startRemote<Application>(new URL('application.ts', import.meta.url))
  return { ...process, ...(await process.remote.join(part)) }
}

export const experiment = bench({
  about: 'applications that block their thread',
  settings: {
    seconds: seconds(30, 'how long the applications block their thread'),
    thread: oneOf(['worker', 'main'], 'thread of their nodes: worker or main'),
    blocked: whole(5, 'applications that block their thread, one a process'),
    others: whole(15, 'nodes of applications that do not block, five a process'),
  },
  notes: 'Exit status 1 if a member was declared dead, or if an event is missing or out of order.',
  async measure({ seconds: ms, thread, blocked: count, others }) {
    const pool = `blocked-${process.pid}`
    const first = await start({ pool, nodes: 5, thread: 'main', bootstrap: [] })
    const bootstrap = first.addresses.slice(0, 1)
    const several = (many: number, part: Pick<Part, 'nodes' | 'thread'>): Promise<Process[]> =>
      Promise.all(Array.from({ length: many }, () => start({ pool, bootstrap, ...part })))
    const awake = await several(Math.ceil(others / 5) - 1, { nodes: 5, thread: 'main' })
    const blocked = await several(count, { nodes: 1, thread })
    const all = [first, ...awake, ...blocked]
    const size = all.reduce((sum, { ids }) => sum + ids.length, 0)
    const settled = async (): Promise<boolean> =>
      (await Promise.all(all.map(({ remote }) => remote.seen()))).every((seen) =>
        [...seen.values()].every((each) => each.filter(({ type }) => type === 'joined').length >= size),
      )
    if (!(await until(settled, SETTLE_WITHIN, 200))) throw new Error(`the nodes don't all see each other after ${SETTLE_WITHIN / 1_000} s`)
    console.log(`${size} nodes see each other; ${count} block their thread for ${ms / 1_000} s, thread: '${thread}'`)

    const begin = Date.now()
    const back = blocked.map(({ remote }) => remote.block(ms))
    const guest = await start({ pool, nodes: 1, thread: 'main', bootstrap })
    const signalled = first.remote
      .signal(
        blocked.flatMap(({ ids }) => ids),
        SIGNALS,
      )
      .catch((error: unknown) => console.log(`signals: ${String(error)}`))
    const client = await start({ pool, nodes: 1, thread: 'main', bootstrap })
    await delay(STAY)
    await client.remote.leave()
    await signalled
    const busy = Date.now() - begin
    if (busy > ms) console.log(`the joins, the leave and the signals took ${busy} ms, longer than the block`)
    await Promise.all(back)
    const returned = Date.now()
    await delay(SETTLE)
    const observe = async (each: Process): Promise<Observation[]> =>
      [...(await each.remote.seen())].map(([id, seen]) => ({ id, seen, blocked: blocked.includes(each) }))
    const observations = (await Promise.all(all.map(observe))).flat()
    await Promise.all([...all, guest, client].map(({ child }) => end(child, 5_000)))
    const expected = { signals: SIGNALS, came: [...guest.ids, ...client.ids], left: client.ids }
    return { observations, begin, returned, problems: problemsOf(observations, expected) }
  },
  table({ observations, begin, returned, problems }) {
    const told = observations
      .filter(({ blocked }) => blocked)
      .map(({ seen }) => seen.filter(({ time }) => time >= begin && time < returned + SETTLE))
    const deaths = observations.flatMap(({ seen }) => seen.filter(({ type }) => type === 'died'))
    return [
      `reported deaths: ${deaths.length}, of ${new Set(deaths.map(({ subject }) => subject)).size} incarnations`,
      `events of each blocked node since the start of the block: ${told.map(({ length }) => length).join(', ')}`,
      `the last of these events was read ${Math.max(...told.flat().map(({ time }) => time)) - returned} ms after the end of the block`,
      ...problems.slice(0, 10),
      problems.length === 0 ? 'complete and in order' : `${problems.length} problems`,
    ].join('\n')
  },
  passed: ({ problems }) => problems.length === 0,
})
