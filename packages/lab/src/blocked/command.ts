/**
 * Five applications of twenty block their thread at once, while others join, leave and send
 * signals. Reports the nodes that are declared dead, and the events that the blocked nodes receive
 * when they are back.
 *
 *     pnpm lab blocked --seconds 30 --thread worker
 */
import { setTimeout as delay } from 'node:timers/promises'
import { end, takeChildrenAlong } from '../base/child.ts'
import { oneOf, positive, command, type Values, whole } from '../base/program.ts'
import { Actor } from './actor.ts'
import { problemsOf, type Observation } from './judge.ts'

const USAGE = `pnpm lab blocked [options]

  --seconds 30       how long they block
  --thread worker    where their nodes run: worker or main
  --blocked 5        applications that block, a process each
  --others 15        nodes of those that don't, five a process

Exit status 1 if anybody was declared dead, or if an event is missing or out of order.
`

/**
 * Length of the visitor's stay, ms. A member that ends before its join was published is announced
 * to nobody.
 */
const VISIT = 1_000
/** Signals sent to each of the blocked, one after the other. */
const SIGNALS = 20
/**
 * Longest that the pool may take to be complete before the experiment begins, ms. A guess: it takes
 * seconds.
 */
const SETTLE_WITHIN = 120_000
/**
 * Time after the block within which every event must arrive, ms. After a death this includes the
 * way back into the pool.
 */
const SETTLE = 15_000

const options = {
  seconds: { type: 'string', default: '30' },
  thread: { type: 'string', default: 'worker' },
  blocked: { type: 'string', default: '5' },
  others: { type: 'string', default: '15' },
} as const

async function main(values: Values<typeof options>): Promise<number> {
  const thread = oneOf('thread', values.thread, ['worker', 'main'])
  const ms = positive('seconds', values.seconds) * 1_000
  const [sleepers, others] = [whole('blocked', values.blocked), whole('others', values.others)]
  takeChildrenAlong()
  const pool = `blocked-${process.pid}`
  const first = await Actor.start({ pool, nodes: 5, thread: 'main', bootstrap: [] })
  const bootstrap = first.addresses.slice(0, 1)
  const more = Math.ceil(others / 5) - 1
  const awake = [
    first,
    ...(await Promise.all(Array.from({ length: more }, () => Actor.start({ pool, nodes: 5, thread: 'main', bootstrap })))),
  ]
  const blocked = await Promise.all(Array.from({ length: sleepers }, () => Actor.start({ pool, nodes: 1, thread, bootstrap })))
  const all = [...awake, ...blocked]
  const settled = async (): Promise<boolean> =>
    (await Promise.all(all.map((actor) => actor.seen()))).every((seen) =>
      [...seen.values()].every((each) => each.filter(({ type }) => type === 'joined').length >= size),
    )
  const size = all.reduce((sum, { ids }) => sum + ids.length, 0)
  const deadline = Date.now() + SETTLE_WITHIN
  while (!(await settled())) {
    if (Date.now() > deadline) throw new Error(`the nodes don't all see each other after ${SETTLE_WITHIN / 1_000} s`)
    await delay(200)
  }
  console.log(`${size} nodes see each other; ${blocked.length} block their thread for ${values.seconds} s, thread: '${thread}'`)

  const start = Date.now()
  const back = blocked.map((actor) => actor.block(ms))
  // During the block a guest joins, signals are sent, and a visitor joins and leaves.
  const guest = await Actor.start({ pool, nodes: 1, thread: 'main', bootstrap })
  const signalled = first
    .signal(
      blocked.flatMap(({ ids }) => ids),
      SIGNALS,
    )
    .catch((error: unknown) => console.log(`signals: ${String(error)}`))
  const visitor = await Actor.start({ pool, nodes: 1, thread: 'main', bootstrap })
  await delay(VISIT)
  await visitor.leave()
  await signalled
  const busy = Date.now() - start
  if (busy > ms) console.log(`what was to happen meanwhile took ${busy} ms, longer than the block`)
  await Promise.all(back)
  const returned = Date.now()
  await delay(SETTLE)

  const observations: Observation[] = (
    await Promise.all(
      all.map(async (actor) => [...(await actor.seen())].map(([id, seen]) => ({ id, seen, blocked: blocked.includes(actor) }))),
    )
  ).flat()
  const problems = problemsOf(observations, { signals: SIGNALS, came: [...guest.ids, ...visitor.ids], left: visitor.ids })
  const told = observations
    .filter(({ blocked: is }) => is)
    .map(({ seen }) => seen.filter(({ time }) => time >= start && time < returned + SETTLE))
  const deaths = observations.flatMap(({ seen }) => seen.filter(({ type }) => type === 'died'))
  console.log(`deaths told: ${deaths.length}, of ${new Set(deaths.map(({ subject }) => subject)).size} lives`)
  console.log(`events that waited for the blocked: ${told.map(({ length }) => length).join(', ')}`)
  console.log(`the last of them was read ${Math.max(...told.flat().map(({ time }) => time)) - returned} ms after the end of the block`)
  for (const problem of problems.slice(0, 10)) console.log(problem)
  console.log(problems.length === 0 ? 'complete and in order' : `${problems.length} problems`)
  await Promise.all([...all, guest, visitor].map(({ child }) => end(child, 5000)))
  return problems.length > 0 ? 1 : 0
}

export const experiment = command(USAGE, options, main)
