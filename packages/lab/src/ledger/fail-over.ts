/** Times from the end of a winner or a leader until all goes on. */
import { setTimeout as sleep } from 'node:timers/promises'
import { soon, until } from '../base/wait.ts'
import { place, type Contender, type Figures, type Target } from './figures.ts'
import type { Group, Store, Victim } from './group.ts'

/** Longest wait for the next reign or commit, ms. Later counts as never. */
const MAX_WAIT = 60_000
/** Interval between two events that test whether the group places events again, ms. */
const ASK_AGAIN = 50
/** A candidacy without a reign is known everywhere after this time, ms. A guess. */
const SETTLE = 500
/** Longest random wait before the signal, ms: about the time between two renewals of a lease. */
const SPREAD = 700

export interface Blow {
  readonly signal: 'SIGKILL' | 'SIGSTOP'
  readonly victim: Victim
  readonly what: string
  readonly targets: readonly [Target, Target]
}

export const BLOWS = {
  winner: {
    signal: 'SIGKILL',
    victim: 'winner',
    what: 'SIGKILL of the winner: all know the next',
    targets: [{ most: 800 }, { most: 1_500 }],
  },
  leader: {
    signal: 'SIGKILL',
    victim: 'leader',
    what: 'SIGKILL of the leader: the next commit',
    targets: [{ most: 700 }, { most: 1_500 }],
  },
  both: {
    signal: 'SIGKILL',
    victim: 'both',
    what: 'SIGKILL of a winner that leads: all know the next',
    targets: [{ most: 1_200 }, { most: 2_500 }],
  },
  'stopped-winner': {
    signal: 'SIGSTOP',
    victim: 'winner',
    what: 'SIGSTOP of the winner: all others know the next',
    targets: [{ most: 16_000 }, { most: 16_000 }],
  },
  'stopped-leader': { signal: 'SIGSTOP', victim: 'leader', what: 'SIGSTOP of the leader: the next commit', targets: [{}, {}] },
} as const satisfies Readonly<Record<string, Blow>>

/** Repeats the blow. After each blow it fills the seats again. */
export async function failOver(
  contender: Contender,
  group: Group,
  { store, blow, runs }: { readonly store: Store; readonly blow: Blow; readonly runs: number },
  figures: Figures,
): Promise<void> {
  const times: number[] = []
  try {
    for (let run = 0; run < runs; run++) {
      times.push(await strike(group, blow, `${blow.victim}-${blow.signal}-${run}`))
      await group.mend()
    }
  } finally {
    // If a group stops for good, `mend` throws. The times until then still count.
    figures.addTimes(contender, `${blow.what}, ${place(group.seats, store)}`, times, ...blow.targets)
  }
}

async function strike(group: Group, { signal, victim }: Blow, election: string): Promise<number> {
  const leader = await group.whole()
  if (victim === 'leader') {
    await sleep(SETTLE + Math.random() * SPREAD)
    const begin = performance.now()
    group.send(leader, signal, victim)
    return (await nextPlace(group, election)) - begin
  }
  const winner = victim === 'both' ? leader : (leader + 1) % group.seats
  await group.watch(election)
  await group.elect(winner, election)
  for (const seat of group.running()) if (seat !== winner) void group.elect(seat, election).catch(() => {})
  if (!(await until(() => group.reign(election)?.winner === winner, MAX_WAIT, 5)))
    throw new Error(`seat ${winner} does not win ${election}`)
  await sleep(SETTLE + Math.random() * SPREAD)
  const { epoch } = group.reign(election) ?? { epoch: Infinity }
  if ((await group.whole()) !== leader) throw new Error('the leader has changed without a cause')
  const begin = performance.now()
  group.send(winner, signal, victim)
  await until(() => (group.reign(election)?.epoch ?? 0) > epoch, MAX_WAIT, 2)
  const next = group.reign(election)
  return next !== undefined && next.epoch > epoch && next.winner !== winner ? next.time - begin : Infinity
}

/** Returns the time of the first answer to an event that a member orders from now on. */
export async function nextPlace(group: Pick<Group, 'running' | 'order'>, name: string, within = MAX_WAIT): Promise<number> {
  const end = new AbortController()
  const { promise, resolve } = Promise.withResolvers<number>()
  const seats = group.running()
  const ask = (at: number): void => {
    const seat = seats[at % seats.length] as number
    void group.order(seat, `${name} ${at}`, end.signal).then(
      () => resolve(performance.now()),
      () => {},
    )
  }
  let asked = 0
  ask(asked++)
  const timer = setInterval(() => ask(asked++), ASK_AGAIN)
  const time = await soon(within, Infinity, promise)
  clearInterval(timer)
  end.abort()
  return time
}
