import { randomBytes } from 'node:crypto'
import type { DemoNode } from './node.ts'
import { DemoFailure, DemoStage, type Timing } from './stage.ts'
import { demoPrinter, type DemoPrinter } from './printer.ts'
import { messageOf } from '../base/usage-error.ts'
import { shortId } from '../events/quantity.ts'

/** The flags of `jel demo`. */
export interface DemoFlags {
  readonly nodes: number
  readonly json?: boolean
}

/** The time after which a step counts as failed, ms. It is several times the usual time. */
const LIMITS = { start: 20_000, startPerNode: 400, news: 5000, election: 5000, stop: 5000 } as const

const ELECTION = 'master'

/** The condition that a process ends with status 0. */
const ENDS = {
  limit: LIMITS.stop,
  done: (node: DemoNode) => node.end === 0,
  seen: (node: DemoNode) => (node.running ? 'still runs' : 'failed'),
}

/**
 * Starts a pool of node processes on this machine, causes some events, and shows how the nodes see
 * the events. Returns the exit status.
 */
export async function demo(script: string, flags: DemoFlags): Promise<number> {
  const title = `${flags.nodes} processes on this machine, each told only the address of the first`
  return await show(script, { title, json: flags.json === true }, (stage, printer) => play(stage, printer, flags.nodes))
}

/**
 * Plays a scenario with a pool of processes, and shows it. Ends all processes in any case. Returns
 * the exit status.
 */
export async function show(
  script: string,
  { title, json }: { readonly title: string; readonly json: boolean },
  play: (stage: DemoStage, printer: DemoPrinter, pool: string) => Promise<void>,
): Promise<number> {
  const pool = `demo-${randomBytes(4).toString('hex')}`
  const stage = new DemoStage(script, pool)
  const printer = demoPrinter(json)
  const interrupt = (signal: NodeJS.Signals): void => stage.interrupt(new Error(`interrupted by ${signal}`))
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  // The reader of the output is gone, so the demo ends all its processes.
  process.stdout.on('error', () => stage.interrupt(new Error('standard output was closed')))
  try {
    printer.title(`pool ${pool}: ${title}`)
    await play(stage, printer, pool)
    printer.summary()
    return 0
  } catch (error) {
    printer.failure(messageOf(error))
    return 1
  } finally {
    await stage.end()
  }
}

async function play(stage: DemoStage, printer: DemoPrinter, count: number): Promise<void> {
  await startAll(stage, printer, count)
  await meet(stage, printer)
  const first = await elect(stage, printer)
  const second = await killWinner(stage, printer, first)
  const leaver = await leave(stage, printer, second)
  await lateJoin(stage, printer)
  checkNews(
    stage,
    new Map([
      [first, 'died'],
      [leaver, 'left'],
    ]),
  )
  await stop(stage, printer)
}

async function startAll(stage: DemoStage, printer: DemoPrinter, count: number): Promise<void> {
  const limit = LIMITS.start + count * LIMITS.startPerNode
  const started = { limit, done: (node: DemoNode) => node.self !== undefined, seen: () => 'not started' }
  printer.step(`${count} processes start`)
  const first = stage.start()
  const alone = await stage.all([first], { ...started, expected: 'the first node starts' })
  printer.node(first, alone.first, `started as ${nameOf(first)}`)
  for (let number = 2; number <= count; number += 1) stage.start(first)
  const others = await stage.all(stage.nodes.slice(1), {
    ...started,
    expected: 'all nodes start',
    each: (node, after) => printer.node(node, alone.last + after, `started as ${nameOf(node)}`),
  })
  printer.done('started', { first: alone.first, last: alone.last + others.last })
}

async function meet(stage: DemoStage, printer: DemoPrinter): Promise<void> {
  const ids = stage.nodes.map(idOf)
  printer.step('everybody finds everybody')
  const timing = await stage.all(stage.nodes, {
    expected: `all ${ids.length} nodes see all ${ids.length}`,
    limit: LIMITS.news,
    done: (node) => ids.every((id) => node.sees(id)),
    seen: (node) => `sees ${node.pool.here}`,
    each: (node, after) => printer.node(node, after, `sees all ${ids.length}`),
  })
  printer.done('all see all, after the last start', timing)
}

async function elect(stage: DemoStage, printer: DemoPrinter): Promise<DemoNode> {
  printer.step(`all are candidates for ‘${ELECTION}’`)
  for (const node of stage.nodes) node.command({ command: 'elect', election: ELECTION })
  const { winner, timing } = await agree(stage, stage.nodes, 1, printer)
  printer.done(`all name node ${winner.number}`, timing)
  return winner
}

async function killWinner(stage: DemoStage, printer: DemoPrinter, winner: DemoNode): Promise<DemoNode> {
  const epoch = winner.reign?.epoch ?? 0
  const others = stage.running.filter((node) => node !== winner)
  printer.step(`the winner, node ${winner.number}, is killed (SIGKILL)`)
  winner.kill('SIGKILL')
  const [died, next] = await Promise.all([see(stage, printer, others, winner, 'died'), agree(stage, others, epoch + 1, printer)])
  printer.done(`all see node ${winner.number} die`, died)
  printer.done(`all name node ${next.winner.number} without being asked`, next.timing)
  return next.winner
}

async function leave(stage: DemoStage, printer: DemoPrinter, winner: DemoNode): Promise<DemoNode> {
  const leaver = stage.running.findLast((node) => node !== winner) ?? winner
  printer.step(`node ${leaver.number} leaves (SIGTERM)`)
  leaver.kill('SIGTERM')
  const others = stage.running.filter((node) => node !== leaver)
  printer.done(`all see node ${leaver.number} leave`, await see(stage, printer, others, leaver, 'left'))
  await stage.all([leaver], { ...ENDS, expected: 'its process ends with status 0' })
  return leaver
}

async function lateJoin(stage: DemoStage, printer: DemoPrinter): Promise<void> {
  const before = stage.running
  // Any member lets newcomers in. The demo prefers a node other than the first.
  const introducer = (before.find((node) => node.number !== 1) ?? before[0]) as DemoNode
  printer.step(`a newcomer enters through node ${introducer.number}`)
  const newcomer = stage.start(introducer)
  await stage.all([newcomer], {
    expected: 'the newcomer starts',
    limit: LIMITS.start,
    done: ({ self }) => self !== undefined,
    seen: () => 'not started',
  })
  printer.node(newcomer, undefined, `started as ${nameOf(newcomer)}`)
  const ids = [...before, newcomer].map(idOf)
  const timing = await stage.all([...before, newcomer], {
    expected: `all see the newcomer, and it sees all ${ids.length}`,
    limit: LIMITS.news,
    done: (node) => (node === newcomer ? ids.every((id) => node.sees(id)) : node.sees(idOf(newcomer))),
    seen: (node) => (node === newcomer ? `sees ${node.pool.here}` : 'does not see it'),
    each: (node, after) => printer.node(node, after, node === newcomer ? `sees all ${ids.length}` : `sees node ${newcomer.number}`),
  })
  printer.done('all see the newcomer, after its start', timing)
}

/** Throws if a node reported the end of a member that is still here, or the wrong kind of end. */
function checkNews(stage: DemoStage, gone: ReadonlyMap<DemoNode, 'left' | 'died'>): void {
  const expected = new Map([...gone].map(([node, how]) => [idOf(node), how]))
  for (const node of stage.running) {
    for (const { node: other, state: how } of node.pool.gone) {
      if (expected.get(other.id) === how) continue
      const named = stage.nodes.find(({ self }) => self?.id === other.id)
      throw new DemoFailure(
        'each node reports the true end of each gone member, and no other end',
        `node ${node.number}: node ${named?.number ?? other.id} ${how}`,
      )
    }
  }
}

async function stop(stage: DemoStage, printer: DemoPrinter): Promise<void> {
  const last = stage.running
  printer.step('all leave')
  for (const node of last) node.kill('SIGTERM')
  const timing = await stage.all(last, {
    ...ENDS,
    expected: 'all processes end with status 0',
  })
  printer.done('all processes ended by themselves', timing)
}

function see(stage: DemoStage, printer: DemoPrinter, nodes: readonly DemoNode[], whom: DemoNode, what: 'left' | 'died'): Promise<Timing> {
  return stage.all(nodes, {
    expected: `all others see that node ${whom.number} ${what}`,
    limit: LIMITS.news,
    done: (node) => node.goneOf(idOf(whom)) === what,
    seen: (node) => node.goneOf(idOf(whom)) ?? 'has not reported it',
    each: (node, after) => printer.node(node, after, `sees that node ${whom.number} ${what}`),
  })
}

/**
 * Waits until all nodes name the same winner with the same epoch. The winner must be alive, and the
 * epoch must not be below `epoch`.
 */
async function agree(
  stage: DemoStage,
  nodes: readonly DemoNode[],
  epoch: number,
  printer: DemoPrinter,
): Promise<{ winner: DemoNode; timing: Timing }> {
  const winnerOf = (node: DemoNode): DemoNode | undefined => nodes.find(({ self }) => self?.id === node.reign?.node.id)
  const provisional = (node: DemoNode): boolean => node.reign !== undefined && node.reign.epoch >= epoch && winnerOf(node) !== undefined
  const agreed = (): boolean =>
    nodes.every(
      (node) => provisional(node) && node.reign?.node.id === nodes[0]?.reign?.node.id && node.reign?.epoch === nodes[0]?.reign?.epoch,
    )
  const named = new Map<DemoNode, number>()
  const timing = await stage.all(nodes, {
    expected: `all name one winner of ‘${ELECTION}’ with an epoch of at least ${epoch}`,
    limit: LIMITS.election,
    done: (node) => {
      const winner = winnerOf(node)
      if (provisional(node) && winner !== undefined && named.get(node) !== winner.number) {
        named.set(node, winner.number)
        printer.node(node, undefined, `names node ${winner.number}, epoch ${node.reign?.epoch}`)
      }
      return agreed()
    },
    seen: (node) => (node.reign === undefined ? 'names nobody' : `names ${shortId(node.reign.node.id)}, epoch ${node.reign.epoch}`),
  })
  return { winner: winnerOf(nodes[0] as DemoNode) as DemoNode, timing }
}

function idOf(node: DemoNode): string {
  return node.self?.id ?? ''
}

function nameOf(node: DemoNode): string {
  return shortId(idOf(node))
}
