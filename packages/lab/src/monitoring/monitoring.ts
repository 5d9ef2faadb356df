/** Measures the costs and the times of watched attributes, with a process for each member. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { markdownTable } from '../base/markdown.ts'
import { seconds, whole } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'

/** The answer of a member: see `application.ts`. */
interface State {
  readonly runs: number
  readonly ranAt: number
  readonly samples: number
  readonly lost: number
  readonly endedAt: number
  /** ms of processor time */
  readonly processor: number
  /** bytes */
  readonly sent: number
  readonly memory: number
  readonly members: number
}

/** Number of attributes of the producer: see `application.ts`. */
const ATTRIBUTES = 20
/** Longest wait for all members to know all, ms. A guess. */
const ENTER = 30_000

/** A watcher stands still for this time, ms: less than makes it dead. */
const STOPPED = 10_000

class Member {
  readonly id: string
  readonly address: string
  readonly child: ChildProcess

  private constructor(child: ChildProcess, { id, address }: { readonly id: string; readonly address: string }) {
    this.child = child
    this.id = id
    this.address = address
  }

  static async start(pool: string, bootstrap: readonly string[]): Promise<Member> {
    const child = fork(join(import.meta.dirname, 'application.ts'), [pool, ...bootstrap], { execArgv: ['--expose-gc'] })
    const [first] = (await once(child, 'message')) as [{ readonly id: string; readonly address: string }]
    return new Member(child, first)
  }

  async ask(order: object = {}): Promise<State> {
    const answer = once(this.child, 'message')
    this.child.send(order)
    const [state] = (await answer) as [State]
    return state
  }
}

interface Row {
  readonly what: string
  readonly value: number
  readonly unit: string
  readonly most: number
}

export const experiment = bench({
  about: 'watched attributes: what they cost, and how soon an end is known',
  settings: {
    watchers: whole(10, 'processes that watch 20 attributes of one', 1),
    seconds: seconds(20, 'seconds of each part'),
  },
  notes: 'Exit status 1 if a target is missed.',
  where: 'network',
  async measure({ watchers, seconds: time }): Promise<readonly Row[]> {
    const name = `monitoring-${process.pid}`
    const all: Member[] = [await Member.start(name, [])]
    try {
      const producer = all[0] as Member
      while (all.length <= watchers) all.push(await Member.start(name, [producer.address]))
      const consumers = all.slice(1)
      const begin = Date.now()
      while ((await producer.ask()).members <= watchers && Date.now() - begin < ENTER) await sleep(200)
      const rows: Row[] = []
      const add = (what: string, value: number, unit: string, most: number): void => void rows.push({ what, value, unit, most })

      await sleep(5000)
      const before = await producer.ask()
      await sleep(time)
      const idle = await producer.ask()
      add('sensor runs while nobody watches', idle.runs, '', 0)

      for (const each of consumers) await each.ask({ watch: producer.id, every: 1000 })
      await sleep(2000)
      const from = await producer.ask()
      const samplesFrom = (await Promise.all(consumers.map((each) => each.ask()))).reduce((sum, { samples }) => sum + samples, 0)
      await sleep(time)
      const to = await producer.ask()
      const samplesTo = (await Promise.all(consumers.map((each) => each.ask()))).reduce((sum, { samples }) => sum + samples, 0)
      const span = time
      add(
        `processor of the producer for ${ATTRIBUTES} attributes at 1 Hz to ${watchers} watchers, above idle`,
        ((to.processor - from.processor - (idle.processor - before.processor)) / span) * 100,
        '% of a core',
        0.5,
      )
      add('bytes of the producer for a sample', (to.sent - from.sent - (idle.sent - before.sent)) / (samplesTo - samplesFrom), 'B', 60)
      add('sensor runs a second and attribute', (to.runs - from.runs) / ATTRIBUTES / (span / 1000), '', 1.1)

      const slow = consumers[0] as Member
      const usual = await producer.ask()
      await sleep(STOPPED)
      const asked = await slow.ask()
      const held = await producer.ask()
      process.kill(slow.child.pid as number, 'SIGSTOP')
      await sleep(STOPPED)
      const grown = await producer.ask()
      process.kill(slow.child.pid as number, 'SIGCONT')
      await sleep(3000)
      const [after, now] = [await slow.ask(), await producer.ask()]
      add(
        'memory of the producer for a stopped watcher, above its usual growth',
        (grown.memory - held.memory - (held.memory - usual.memory)) / 1024,
        'KiB',
        64,
      )
      const missing = now.runs - held.runs - (after.samples - asked.samples) - (after.lost - asked.lost)
      add('samples that a stopped watcher did not get and was not told of', Math.abs(missing) > 2 * ATTRIBUTES ? missing : 0, '', 0)

      const killed = Date.now()
      for (const each of consumers.slice(1)) each.child.kill('SIGKILL')
      slow.child.kill('SIGKILL')
      await sleep(5000)
      add(
        'time for which the producer measures after the last watcher was killed',
        Math.max(0, (await producer.ask()).ranAt - killed),
        'ms',
        1000,
      )
      all.splice(1)

      // A member that is alone pronounces nobody dead for a while, so there are three.
      const next = await Member.start(name, [producer.address])
      all.push(next, await Member.start(name, [producer.address]))
      await next.ask({ watch: producer.id, every: 100 })
      await sleep(2000)
      const dead = Date.now()
      producer.child.kill('SIGKILL')
      await sleep(5000)
      const { endedAt } = await next.ask()
      add('time until a watcher knows that the producer was killed', endedAt === 0 ? Infinity : endedAt - dead, 'ms', 1000)
      return rows
    } finally {
      for (const { child } of all) child.kill('SIGKILL')
    }
  },
  table: (rows) =>
    markdownTable(
      ['watched attributes', 'value', 'target', 'met'],
      rows.map(({ what, value, unit, most }) => [
        what,
        `${Number(value.toFixed(2))} ${unit}`.trim(),
        `≤ ${most}`,
        value <= most ? 'yes' : 'no',
      ]),
    ),
  passed: (rows) => rows.every(({ value, most }) => value <= most),
})
