/**
 * Pools of real hosts on loopback, for tests.
 */
import { startOverlay, type Overlay, type OverlayNotification, type OverlayOptions } from '../src/index.ts'
import { until } from './peers.ts'

export interface Node {
  readonly overlay: Overlay
  readonly id: string
  /** All notifications that it received. */
  readonly heard: OverlayNotification[]
}

const running: Overlay[] = []

export async function leaveAll(): Promise<void> {
  await Promise.all(running.splice(0).map(async (overlay) => await overlay.leave()))
}

export async function enter(options: Partial<OverlayOptions> = {}): Promise<Node> {
  const overlay = await startOverlay({ pool: 'test', listen: ['/ip4/127.0.0.1/tcp/0'], ...options })
  running.push(overlay)
  const heard: OverlayNotification[] = []
  overlay.subscribe((notification) => heard.push(notification))
  return { overlay, id: overlay.self.id, heard }
}

/** Returns a pool of nodes that all know each other. */
export async function pool(count: number, options: Partial<OverlayOptions> = {}): Promise<Node[]> {
  const first = await enter(options)
  const bootstrap = [...first.overlay.self.addresses]
  const others = await Promise.all(Array.from({ length: count - 1 }, async () => await enter({ ...options, bootstrap })))
  const nodes = [first, ...others]
  await until(() => nodes.every(({ overlay }) => overlay.members().length === count), 10_000)
  return nodes
}

/** Returns how often a node was notified of the end or the beginning of another. */
export function count({ heard }: Node, type: 'joined' | 'left' | 'died', id: string): number {
  return heard.filter((each) => each.type === type && each.member.id === id).length
}
