/** A cut between three voters and two, while all five are asked to elect and to order. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sum } from '../base/quantiles.ts'
import { until } from '../base/wait.ts'
import { History, longestPause } from '../linearizability/history.ts'
import { judge } from '../linearizability/judge.ts'
import type { Problem } from '../linearizability/sequences.ts'
import type { LabHost } from '../network/host.ts'
import type { LabNetwork } from '../network/network.ts'
import type { Contender, Figures } from './figures.ts'
import { LedgerPool } from './ledger-pool.ts'
import type { LedgerProcess } from './ledger-process.ts'

export const VOTERS = 5
/** Voters of the side that may not go on. */
export const FEW = 2
/** Operations during the cut (docs/lab.md). */
export const OPERATIONS = 1_000
/** Elections that the operations are about. */
const ELECTIONS = ['red', 'green', 'blue']
/** Time after a heal within which a pool is whole again (docs/lab.md), ms. */
const WHOLE = 20_000
/** Longest wait after the heal until all have told the last event, ms. A guess. */
const MAX_HEAL = 60_000

/** Maximum number of printed problems. */
const PRINTED = 20
/** Pause after an event that got no place, ms. A guess. */
const AGAIN = 100

/** The answers to the callers of a member. */
interface Caller {
  readonly member: LedgerProcess
  /** The ordered events. */
  readonly history: History
  refused: number
}

/**
 * `isLeaderCut`: the leader is on the side of two voters, and so is the holder of all elections.
 */
export async function halves(
  network: LabNetwork,
  bin: string,
  { cut, isLeaderCut }: { readonly cut: number; readonly isLeaderCut: boolean },
  figures: Figures,
): Promise<void> {
  const pool = new LedgerPool({ bin, voters: VOTERS })
  try {
    await pool.enterAll(network.hosts.slice(0, VOTERS))
    const leader = await pool.whole()
    const others = pool.members.filter((each) => each !== leader)
    const few = isLeaderCut ? [leader, ...others.slice(0, FEW - 1)] : others.slice(0, FEW)
    const many = pool.members.filter((each) => !few.includes(each))
    for (const election of ELECTIONS) await (isLeaderCut ? leader : (few[0] as LedgerProcess)).answer({ command: 'elect', election })
    const callers = pool.members.map((member): Caller => ({ member, history: new History(() => performance.now()), refused: 0 }))
    const end = new AbortController()
    const working = callers.map(async (caller, at) => await work(caller, at, (cut * VOTERS) / OPERATIONS, end.signal))
    await sleep(2_000)
    const heal = network.part(hostsOf(few), hostsOf(many))
    const from = performance.now()
    await sleep(cut)
    const to = performance.now()
    heal()
    end.abort()
    const { healed, last } = await settled(pool, callers.find(({ member }) => member === many[0]) as Caller)
    await Promise.all(working)
    addOutcome(figures, title(isLeaderCut), { pool, callers, few, from, to, healed, last })
  } finally {
    network.heal()
    await pool.close()
  }
}

/** The beginning of the names of all rows. */
export function title(isLeaderCut: boolean): string {
  return `halves 3/2, the leader in the ${isLeaderCut ? 'two' : 'three'}`
}

interface Outcome {
  readonly pool: LedgerPool
  readonly callers: readonly Caller[]
  readonly few: readonly LedgerProcess[]
  readonly from: number
  readonly to: number
  /**
   * Time at which all members had told the last event, and its index. They may lack later events.
   */
  readonly healed: number
  readonly last: number
}

function addOutcome(figures: Figures, what: string, { pool, callers, few, from, to, healed, last }: Outcome): void {
  const during = (time = Infinity): boolean => time > from && time < to
  const ofFew = callers.filter(({ member }) => few.includes(member))
  // Events ordered before the cut do not count: they may have a place, and only lack the answer.
  const inFew = ofFew.flatMap(({ history }) => history.orders.filter(({ called, returned }) => during(returned) && called > from)).length
  const reigns = few.flatMap(({ reignTimes }) => reignTimes.filter(during)).length
  const inMany = callers.filter((each) => !ofFew.includes(each)).flatMap(({ history }) => history.acknowledgements.filter(during))
  // A member of the few was away, and lacks what came meanwhile.
  for (const member of pool.members)
    member.told.range = few.includes(member) ? { since: Infinity, until: -Infinity } : { since: 0, until: last }
  const problems = judge(
    { orders: callers.flatMap(({ history }) => history.orders) },
    pool.members.map(({ id, told }) => ({ name: id.slice(-6), told })),
  )
  const late = sum(pool.members.map(({ told }) => told.late))
  const add = (name: string, value: number, most?: number, unit = ''): void =>
    figures.add('jel', `${what}: ${name}`, unit, value, most === undefined ? {} : { most })
  add('events that the three placed', inMany.length)
  add('longest pause of the three', longestPause(inMany, from, to), 3_000, 'ms')
  add('events that the two placed, and reigns that they told', inFew + reigns, 0)
  add('operations that were refused', sum(callers.map(({ refused }) => refused)))
  add('from the heal until all tell one event', healed - to, WHOLE, 'ms')
  addProblems(figures, 'jel', what, late === 0 ? problems : [...problems, { kind: 'late', text: 'entries came late', count: late }])
}

/** The rows of what the checker finds, by kind. */
const FAULTS: Readonly<Partial<Record<Problem['kind'], string>>> = {
  different: 'places with two events or two winners',
  lacking: 'entries that members of the three lack',
  late: 'entries told late',
  lost: 'placed events that are lost',
  twice: 'events placed twice',
}

/** Adds what the checker found. Throws if no order of the calls explains the events. */
export function addProblems(figures: Figures, contender: Contender, what: string, problems: readonly Problem[]): void {
  for (const { text } of problems.slice(0, PRINTED)) console.error(`${contender}: ${text}`)
  for (const [kind, name] of Object.entries(FAULTS)) {
    // The entries of a server of etcd come in no order.
    if (kind === 'late' && contender === 'etcd') continue
    const value = sum(problems.filter((each) => each.kind === kind).map(({ count = 1 }) => count))
    figures.add(contender, `${what}: ${name}`, '', value, contender === 'jel' ? { most: 0 } : {})
  }
  const unexplained = problems.find(({ kind }) => FAULTS[kind] === undefined)
  if (unexplained !== undefined) throw new Error(unexplained.text)
}

/** Asks a member for something every `pause` ms, without waiting for the answers. */
async function work(caller: Caller, number: number, pause: number, signal: AbortSignal): Promise<void> {
  const asked: Promise<void>[] = []
  for (let at = 0; !signal.aborted; at++) {
    asked.push(operation(caller, `${number} ${at}`, at).catch(() => void caller.refused++))
    await sleep(pause, undefined, { signal }).catch(() => {})
  }
  // Operations that wait for a majority end after the heal, or fail before it.
  await Promise.race([Promise.all(asked), sleep(MAX_HEAL)])
}

async function operation({ member, history }: Caller, text: string, at: number): Promise<void> {
  const election = ELECTIONS[at % ELECTIONS.length]
  const kind = at % 10
  if (kind === 3) await member.answer({ command: 'elect', election })
  else if (kind === 6) await member.answer({ command: 'withdraw', election })
  else if (kind === 9) await member.answer({ command: 'confirm', election })
  else {
    const ended = history.order(text)
    ended('acknowledged', await member.order(text))
  }
}

/** Orders an event at this member until it has a place, and waits until all have told it. */
async function settled(pool: LedgerPool, { member, history }: Caller): Promise<Pick<Outcome, 'healed' | 'last'>> {
  let last = 0
  for (let at = 0; last === 0 && at < MAX_HEAL / AGAIN; at++) {
    const event = `after the heal ${at}`
    const ended = history.order(event)
    last = await member.order(event).catch(async () => (await sleep(AGAIN), 0))
    if (last > 0) ended('acknowledged', last)
  }
  const times = (): (number | undefined)[] => pool.members.map(({ orderedAt }) => orderedAt.get(last))
  await until(() => times().every((time) => time !== undefined), MAX_HEAL, 50)
  const healed = Math.max(...times().map((time) => time ?? Infinity))
  if (healed === Infinity) console.error(await pool.states())
  return { healed, last }
}

function hostsOf(members: readonly LedgerProcess[]): LabHost[] {
  return members.flatMap(({ host }) => host ?? [])
}
