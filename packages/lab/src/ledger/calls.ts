/** Times of single elections, and of ordered events of several clients at once. */
import { place, type Contender, type Figures, type Target } from './figures.ts'
import type { Group, Store } from './group.ts'

/** Clients that order events at once. */
const CLIENTS = 16
/** Bytes of an event. */
const BYTES = 64
/** Calls before those that count. */
const WARM_UP = 20
/**
 * Time before the events count, ms. A process of `jel join` begins with the interpreter, and turns
 * the compilers on after 15 s and two seconds of load (`apps/node/bin/frugal.js`).
 */
const WARM_TIME = 20_000

const ELECT: Readonly<Record<Store, readonly [Target, Target]>> = {
  memory: [{ most: 5 }, { most: 20 }],
  synced: [
    { most: 15, beside: true },
    { most: 50, beside: true },
  ],
}
/** With synced files the target is the figure of etcd in the same run. */
const ORDER: Readonly<Record<Store, Target>> = { memory: { least: 2_000 }, synced: { least: 0, beside: true } }

/**
 * Elections of a free name, one after the other, by the members in turn. `when`: the state of the
 * group before.
 */
export async function elections(
  contender: Contender,
  group: Group,
  { store, calls, when }: { readonly store: Store; readonly calls: number; readonly when: 'at rest' | 'after load' },
  figures: Figures,
): Promise<void> {
  const times: number[] = []
  for (let at = 0; at < WARM_UP + calls; at++) {
    const begin = performance.now()
    await group.elect(at % group.seats, `free ${when} ${at}`)
    if (at >= WARM_UP) times.push(performance.now() - begin)
  }
  figures.addTimes(contender, `election of a free name ${when}, ${place(group.seats, store)}`, times, ...ELECT[store])
}

export async function events(contender: Contender, group: Group, store: Store, ms: number, figures: Figures): Promise<void> {
  const times: number[] = []
  const places = new Set<number>()
  let answers = 0
  const begin = performance.now()
  const [from, to] = [begin + WARM_TIME, begin + WARM_TIME + ms]
  const client = async (number: number): Promise<void> => {
    for (let sent = 0; performance.now() < to; sent++) {
      const asked = performance.now()
      places.add(await group.order(number % group.seats, `${number} ${sent} `.padEnd(BYTES, 'x')))
      answers++
      const answered = performance.now()
      if (asked >= from && answered <= to) times.push(answered - asked)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, async (_, number) => await client(number)))
  const what = `events of ${CLIENTS} clients, ${place(group.seats, store)}`
  figures.add(contender, `${what}: a second`, '/s', (times.length * 1_000) / ms, ORDER[store])
  figures.addTimes(contender, what, times)
  figures.add(contender, `${what}: places that were given twice`, '', answers - places.size, { most: 0 })
}
