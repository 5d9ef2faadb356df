/**
 * A process with one node, whose argument gives its options. It reports to its parent the number of
 * members in its view and the memory that it took.
 */
import { readFileSync } from 'node:fs'
import { startOverlay, type OverlayOptions } from '@jel/overlay'

/** The messages to the parent. */
export type Said =
  | { readonly type: 'starting' }
  | { readonly type: 'started'; readonly id: string; readonly address: string }
  | { readonly type: 'knows'; readonly members: number; readonly died: number; readonly peakMegabytes: number; readonly processor: number }

const say = (said: Said): void => void process.send?.(said)

/** Highest resident memory, MB; the present one where the system does not report the highest. */
function peak(): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/u.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024
  } catch {
    return process.memoryUsage.rss() / 2 ** 20
  }
}

process.once('disconnect', () => process.exit())
say({ type: 'starting' })
const overlay = await startOverlay(JSON.parse(process.argv[2] ?? '{}') as OverlayOptions)
let died = 0
overlay.subscribe(({ type }) => (died += type === 'died' ? 1 : 0))
say({ type: 'started', id: overlay.self.id, address: overlay.self.addresses[0] ?? '' })
setInterval(() => {
  const { user, system } = process.cpuUsage()
  say({ type: 'knows', members: overlay.members().length, died, peakMegabytes: peak(), processor: (user + system) / 1e6 })
}, 50)
