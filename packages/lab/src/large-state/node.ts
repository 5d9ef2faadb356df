/** A process with one node. The experiment calls it over the IPC channel. */
import { readFileSync } from 'node:fs'
import { startOverlay, type Overlay, type OverlayOptions } from '@jel/overlay'
import { serve } from '../base/remote.ts'

let overlay: Overlay | undefined
let died = 0

/** Highest resident memory, MB; the current memory if the system does not report the highest. */
function peak(): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/u.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024
  } catch {
    return process.memoryUsage.rss() / 2 ** 20
  }
}

const node = {
  /** Starts the node. Returns its address. */
  async start(options: OverlayOptions): Promise<string> {
    overlay = await startOverlay(options)
    overlay.subscribe(({ type }) => (died += type === 'died' ? 1 : 0))
    return overlay.self.addresses[0] ?? ''
  },
  /**
   * Members in the view, reported deaths so far, highest memory (MB) and processor time (s) of the
   * process.
   */
  state() {
    const { user, system } = process.cpuUsage()
    return { members: overlay?.members().length ?? 0, died, megabytes: peak(), processor: (user + system) / 1e6 }
  },
}

export type Node = typeof node

serve(node)
