/** The same course for every contender. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { LabNetwork } from '../lab/network.ts'
import type { Contender } from './contender.ts'
import { Crowd } from './crowd.ts'

export interface Course {
  readonly nodes: number
  /** How often a single join, leave and kill is repeated. */
  readonly repeats: number
  /** ms. */
  readonly settle: number
  readonly idle: number
  readonly partition: number
}

/** What is measured; less is better in every row. */
export const ROWS = {
  flash: ['flash join: last one entered until all know all', 'ms'],
  flashWhole: ['flash join: first one started until all know all', 'ms'],
  flashBytes: ['flash join: traffic a node', 'KB'],
  flashProcessor: ['flash join: processor time a node, start-up included', 'ms'],
  idleBytes: ['idle: traffic a node', 'B/s'],
  idleProcessor: ['idle: processor a node', '% of a core'],
  memory: ['idle: memory a node', 'MB'],
  join: ['one join: entered until known by all', 'ms'],
  leave: ['leave: signal until known by all', 'ms'],
  kill: ['SIGKILL of one: known by all', 'ms'],
  stop: ['5 s stop of one: said to be dead by', 'nodes'],
  heal: ['partition in halves healed: until all know all', 'ms'],
  killMany: ['SIGKILL of 30 %: known by all', 'ms'],
  falseDeaths: ['living nodes said to be dead, at any other time', 'times'],
} as const satisfies Record<string, readonly [what: string, unit: string]>

export type Row = keyof typeof ROWS
export type Figures = Partial<Record<Row, number[]>>

/** Longest waits, ms; what takes longer is never. */
const PATIENCE = { join: 60_000, leave: 30_000, death: 60_000, heal: 240_000 }
const STOP = 5_000
/** After the stop a suspicion still has this long to become a death, ms. */
const AFTER_STOP = 10_000

export async function trial(
  contender: Contender,
  network: LabNetwork,
  { nodes, repeats, settle, idle, partition }: Course,
  group: string,
  say: (text: string) => void,
): Promise<Figures> {
  const crowd = new Crowd(contender, network, group)
  const figures: Figures = {}
  const add = (row: Row, value: number): void => {
    const rounded = Math.round(value * 1000) / 1000
    ;(figures[row] ??= []).push(rounded)
    say(`${contender.name}: ${ROWS[row][0]}: ${rounded} ${ROWS[row][1]}`)
  }
  try {
    await crowd.start(1)
    const [bytes, start] = [crowd.bytes(), Date.now()]
    const agents = await crowd.start(nodes - 1)
    const known = await crowd.settled(PATIENCE.join)
    add('flash', known - Math.max(...agents.map(({ entered }) => entered)))
    add('flashWhole', known - start)
    add('flashBytes', (crowd.bytes() - bytes) / nodes / 1000)
    add('flashProcessor', crowd.usage().processor / nodes)

    await sleep(settle * 2)
    const before = { bytes: crowd.bytes(), usage: crowd.usage(), time: Date.now() }
    await sleep(idle)
    const seconds = (Date.now() - before.time) / 1000
    add('idleBytes', (crowd.bytes() - before.bytes) / nodes / seconds)
    const usage = crowd.usage()
    add('idleProcessor', (usage.processor - before.usage.processor) / 10 / nodes / seconds)
    add('memory', usage.memory / nodes / 2 ** 20)

    for (let turn = 0; turn < repeats; turn++) {
      const [agent] = await crowd.start(1)
      add('join', Math.max(0, (await crowd.settled(PATIENCE.join)) - (agent?.entered ?? 0)))
      await sleep(settle)
      add('leave', await until(crowd, 1, 'SIGINT', PATIENCE.leave))
      await sleep(settle)
    }
    for (let turn = 0; turn < repeats; turn++) {
      add('kill', await until(crowd, 1, 'SIGKILL', PATIENCE.death))
      await crowd.start(1)
      await crowd.settled(PATIENCE.join)
      await sleep(settle)
    }

    const [stopped] = crowd.some(1)
    const others = [...crowd.agents.values()].filter((agent) => agent !== stopped)
    const wrong = crowd.falseDeaths
    stopped?.child.kill('SIGSTOP')
    await sleep(STOP)
    stopped?.child.kill('SIGCONT')
    await sleep(AFTER_STOP)
    add('stop', Math.min(others.length, crowd.falseDeaths - wrong))
    crowd.falseDeaths = wrong
    await crowd.settled(PATIENCE.join)

    crowd.countDeaths(false)
    const half = network.hosts.length / 2
    const mend = network.part('partition', network.hosts.slice(0, half), network.hosts.slice(half))
    await sleep(partition)
    mend()
    const healed = Date.now()
    add('heal', (await crowd.settled(PATIENCE.heal)) - healed)
    await sleep(settle)
    crowd.countDeaths(true)

    add('killMany', await until(crowd, Math.round(nodes * 0.3), 'SIGKILL', PATIENCE.death))
    add('falseDeaths', crowd.falseDeaths)
  } finally {
    await crowd.stop()
  }
  return figures
}

/** Ends some at once; how long until all others know, ms. */
async function until(crowd: Crowd, count: number, signal: 'SIGKILL' | 'SIGINT', patience: number): Promise<number> {
  const time = Date.now()
  for (const agent of crowd.some(count)) crowd.end(agent, signal)
  return (await crowd.settled(patience)) - time
}
