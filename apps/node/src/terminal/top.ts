import { stripVTControlCharacters } from 'node:util'
import type { NodeEvent } from '../events/events.ts'
import { Stop, stopOnSignals } from '../base/stop.ts'
import { ControlClient, type NodeFlags } from '../control/client.ts'
import { Controls } from './controls.ts'
import { LiveReporter } from './live.ts'
import { draw } from './picture.ts'
import { canDraw } from './screen.ts'
import { PoolView } from './view.ts'

/** The size of a picture without a terminal, in cells. It has room for all members. */
const UNBOUNDED = { columns: 1_000, rows: 100_000 }

/**
 * Shows how the node on this machine sees the pool, until the node has left or the person quits.
 * Returns the exit status.
 */
export async function top(pool: string, flags: NodeFlags): Promise<number> {
  const stop = new Stop()
  stopOnSignals(stop)
  await using client = await ControlClient.connect(pool, flags)
  if (!canDraw(process.stdout)) return await printOnce(pool, client)
  const live = new LiveReporter({ pool, verb: 'quit', quit: () => stop.now('command'), signal: stop.signal })
  client.listen((event) => live.report(event as NodeEvent))
  live.follow((command) => client.ask(command).then(() => undefined))
  const end = await Promise.race([stop.reason, client.ended])
  live.close()
  if (end === undefined && !live.stopped) throw new Error('the node closed the connection')
  return 0
}

/** Prints the picture once, without a terminal. */
async function printOnce(pool: string, client: ControlClient): Promise<number> {
  const view = new PoolView(pool)
  client.listen((event) => view.take(event as NodeEvent, Date.now()))
  await client.ask({ command: 'members', state: 'all' })
  await client.ask({ command: 'status' })
  await client.ask({ command: 'links' })
  const controls = new Controls()
  controls.events = false
  for (const line of draw(view, controls, Date.now(), UNBOUNDED, '')) process.stdout.write(`${stripVTControlCharacters(line).trimEnd()}\n`)
  return 0
}
