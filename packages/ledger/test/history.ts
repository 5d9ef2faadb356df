/** One random history: chaos, then a time in which all must come back to life. */
import type { Proposal } from '../src/core/messages.ts'
import { encode, toBase64 } from '../src/fold/bodies.ts'
import { VirtualLedger } from './virtual-ledger.ts'
import type { Plan } from './virtual-seats.ts'

const MAX_MEMBERS = 8

/** Runs a history. Throws if a rule is broken, or if nothing is committed after the heal. */
export function runHistory(plan: Plan, time = 20_000): VirtualLedger {
  const world = new VirtualLedger(plan)
  const end = time
  const often = (least: number, most: number, run: () => void): void => {
    world.after(world.between(least, most), () => {
      if (world.now >= end) return
      run()
      often(least, most, run)
    })
  }
  const always = (): void => {
    world.look()
    world.after(200, always)
  }
  always()
  often(20, 200, () => world.propose(anyEntry(world)))
  often(200, 800, () => world.read())
  if (plan.isStormy) often(30, 400, () => makeStorm(world))
  else often(300, 2500, () => makeTrouble(world))
  // Founders that do not see each other at first.
  if (plan.seed % 2 === 0) cut(world, world.between(2000, 9000))
  world.pass(time)
  heal(world)
  const marker = world.truth.committed
  const isBack = (): boolean => {
    const [leader, ...others] = world.leaders.toSorted((one, other) => (other.ledger?.state.term ?? 0) - (one.ledger?.state.term ?? 0))
    const state = leader?.ledger?.state
    if (state === undefined || others.length > 0 || state.commit <= marker + 3 || state.commit < state.log.latest.index) return false
    return world.up.every(({ ledger }) => !state.leading?.progress.has(ledger?.state.seat ?? '') || (ledger?.state.commit ?? 0) > marker)
  }
  for (let each = 0; each < 100; each++) world.after(100 * each, () => world.propose(anyEntry(world)))
  if (!world.pass(10_000, isBack)) throw new Error(`stuck ten seconds after the heal\n${world.describe()}`)
  return world
}

function heal(world: VirtualLedger): void {
  world.loss = 0
  world.sides.clear()
  for (const node of world.nodes) {
    node.stalledUntil = Math.min(node.stalledUntil, world.now)
    if (node.ledger === undefined) world.start(node)
  }
}

function makeTrouble(world: VirtualLedger): void {
  const { nodes } = world
  const node = nodes[world.between(0, nodes.length)]
  if (node === undefined) return
  const kind = world.between(0, 10)
  if (kind < 4) {
    world.crash(node)
    if (world.random() < 0.4) world.lose(node)
    world.after(world.between(50, 3000), () => node.ledger === undefined && world.start(node))
  } else if (kind < 5) world.stall(node, world.between(300, 8000))
  else if (kind < 7) {
    cut(world, world.between(500, 6000))
  } else if (kind < 8) world.loss = world.between(0, 3) / 10
  // A founding by number holds while no other id takes part.
  else if (nodes.length < MAX_MEMBERS && world.truth.committed >= 3) world.add(`m${nodes.length}`)
}

/** Makes logs part: many elections, and crashes of a moment. */
function makeStorm(world: VirtualLedger): void {
  const node = world.nodes[world.between(0, world.nodes.length)]
  if (node === undefined) return
  const kind = world.between(0, 20)
  if (kind < 9) for (let each = world.between(1, 4); each > 0; each--) world.hurry()
  else if (kind < 16) {
    world.crash(node)
    if (world.random() < 0.3) world.lose(node)
    world.after(world.between(20, 400), () => node.ledger === undefined && world.start(node))
  } else if (kind < 18) cut(world, world.between(100, 1500))
  else if (kind < 19) world.loss = world.between(0, 3) / 10
  else makeTrouble(world)
}

/** Cuts the network in two for some time. */
function cut(world: VirtualLedger, time: number): void {
  for (const { id } of world.nodes) world.sides.set(id, world.between(0, 2))
  world.after(time, () => world.sides.clear())
}

/** Entries that collide often: few ids, few elections. At times they are nonsense. */
function anyEntry(world: VirtualLedger): Proposal {
  const id = `l${world.between(0, 4)}`
  const incarnation = world.between(1, 4)
  const election = `e${world.between(0, 2)}`
  const sequence = world.between(0, 6)
  const kind = world.between(0, 12)
  if (kind < 3) return encode('join', { statement: toBase64(new TextEncoder().encode(`${id} ${incarnation}`)) })
  if (kind < 4) return encode('gone', { id, incarnation, how: 'died' })
  if (kind < 7) return encode('stand', { election, id, incarnation, sequence })
  if (kind < 8) return encode('withdraw', { election, id, incarnation, sequence })
  if (kind < 11) return encode('order', { id, incarnation, number: world.between(1, 8), name: 'row', payload: 'AAAA' })
  return { kind: 'join', body: Uint8Array.of(world.between(0, 256)) }
}
