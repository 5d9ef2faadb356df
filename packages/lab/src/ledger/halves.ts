/** A cut between three voters and two, while all five are asked to elect and to order. */
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../base/wait.ts'
import type { LabHost } from '../network/host.ts'
import type { LabNetwork } from '../network/network.ts'
import type { Figures } from './figures.ts'
import { judgeSequences, longestPause, REIGN, type Entry } from './judge.ts'
import { LedgerPool } from './ledger-pool.ts'
import type { LedgerProcess } from './ledger-process.ts'

export const VOTERS = 5
/** Voters of the side that may not go on. */
export const FEW = 2
/** Operations during the cut (LEDGER.md § 6). */
export const OPERATIONS = 1_000
/** Elections that the operations are about. */
const ELECTIONS = ['red', 'green', 'blue']
/** A pool is whole 20 s after a heal (docs/lab.md), ms. */
const WHOLE = 20_000
/** Longest wait after the heal until all have told the last event, ms. A guess. */
const MAX_HEAL = 60_000

/** Pause after an event that got no place, ms. A guess. */
const AGAIN = 100

/** The answers to the callers of a member. */
interface Caller {
  readonly member: LedgerProcess
  /** Events with the index of the answer, and its time. */
  readonly placed: (Entry & { readonly asked: number; readonly time: number })[]
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
    const callers = pool.members.map((member): Caller => ({ member, placed: [], refused: 0 }))
    const end = new AbortController()
    const working = callers.map(async (caller, at) => await work(caller, at, (cut * VOTERS) / OPERATIONS, end.signal))
    await sleep(2_000)
    const heal = network.part(hostsOf(few), hostsOf(many))
    const from = performance.now()
    await sleep(cut)
    const to = performance.now()
    heal()
    end.abort()
    const { healed, last } = await settled(pool, many[0] as LedgerProcess)
    await Promise.all(working)
    judge(figures, title(isLeaderCut), { pool, callers, few, from, to, healed, last })
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
  /** When all had told the last event, and its index: not all have told later events yet. */
  readonly healed: number
  readonly last: number
}

function judge(figures: Figures, what: string, { pool, callers, few, from, to, healed, last }: Outcome): void {
  const isFew = ({ member }: Caller): boolean => few.includes(member)
  const during = ({ time }: { readonly time: number }): boolean => time > from && time < to
  // An event that was ordered before the cut may have been placed, and only its answer comes after.
  const inFew = callers.filter(isFew).flatMap(({ placed }) => placed.filter((each) => during(each) && each.asked > from)).length
  const reigns = few.flatMap(({ placed }) => placed.filter((each) => during(each) && each.text.includes(REIGN))).length
  const inMany = callers.filter((each) => !isFew(each)).flatMap(({ placed }) => placed.filter(during))
  const { different, lacking, late, lost, twice } = judgeSequences(
    pool.members.map((member) => ({ entries: member.placed.filter(({ index }) => index <= last), isWhole: !few.includes(member) })),
    callers.flatMap(({ placed }) => placed.filter(({ index }) => index <= last)),
  )
  const add = (name: string, value: number, most?: number, unit = ''): void =>
    figures.add('jel', `${what}: ${name}`, unit, value, most === undefined ? {} : { most })
  add('events that the three placed', inMany.length)
  add(
    'longest pause of the three',
    longestPause(
      inMany.map(({ time }) => time),
      from,
      to,
    ),
    3_000,
    'ms',
  )
  add('events that the two placed, and reigns that they told', inFew + reigns, 0)
  add(
    'operations that were refused',
    callers.reduce((sum, { refused }) => sum + refused, 0),
  )
  add('from the heal until all tell one event', healed - to, WHOLE, 'ms')
  add('places with two events or two winners', different, 0)
  add('entries that members of the three lack', lacking, 0)
  add('entries told late', late, 0)
  add('placed events that are lost', lost, 0)
  add('events placed twice', twice, 0)
}

/** Asks a member for something every `pause` ms, without waiting for the answers. */
async function work(caller: Caller, number: number, pause: number, signal: AbortSignal): Promise<void> {
  const asked: Promise<void>[] = []
  for (let at = 0; !signal.aborted; at++) {
    asked.push(operation(caller, `${number} ${at}`, at).catch(() => void caller.refused++))
    await sleep(pause, undefined, { signal }).catch(() => {})
  }
  // Those that wait for a majority get it after the heal, or an error before.
  await Promise.race([Promise.all(asked), sleep(MAX_HEAL)])
}

async function operation({ member, placed }: Caller, text: string, at: number): Promise<void> {
  const election = ELECTIONS[at % ELECTIONS.length]
  const kind = at % 10
  if (kind === 3) await member.answer({ command: 'elect', election })
  else if (kind === 6) await member.answer({ command: 'withdraw', election })
  else if (kind === 9) await member.answer({ command: 'confirm', election })
  else {
    const asked = performance.now()
    const index = await member.order(text)
    placed.push({ index, text: `order ${text}`, asked, time: performance.now() })
  }
}

/** Orders an event at this member until it has a place, and waits until all have told it. */
async function settled(pool: LedgerPool, member: LedgerProcess): Promise<Pick<Outcome, 'healed' | 'last'>> {
  let last = 0
  let event = ''
  for (let at = 0; last === 0 && at < MAX_HEAL / AGAIN; at++) {
    event = `after the heal ${at}`
    last = await member.order(event).catch(async () => (await sleep(AGAIN), 0))
  }
  const times = (): (number | undefined)[] => pool.members.map(({ placed }) => placed.find(({ text }) => text === `order ${event}`)?.time)
  await until(() => times().every((time) => time !== undefined), MAX_HEAL, 50)
  const healed = Math.max(...times().map((time) => time ?? Infinity))
  if (healed === Infinity) console.error(await pool.states())
  return { healed, last }
}

function hostsOf(members: readonly LedgerProcess[]): LabHost[] {
  return members.flatMap(({ host }) => host ?? [])
}
