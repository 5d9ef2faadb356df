/** A process with one node. The experiment calls it over the IPC channel. */
import { readFileSync } from 'node:fs'
import { startOverlay, type Overlay, type OverlayOptions } from '@jel/overlay'
import { serve } from '../base/remote.ts'

let overlay: Overlay | undefined
let died = 0

/** Highest resident memory, MB; the present one where the system does not report the highest. */
function peak(): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/u.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024
  } catch {
    return process.memoryUsage.rss() / 2 ** 20
  }
}

const node = {
  /** Returns an address of the node. */
  async start(options: OverlayOptions): Promise<string> {
    overlay = await startOverlay(options)
    overlay.subscribe(({ type }) => (died += type === 'died' ? 1 : 0))
    return overlay.self.addresses[0] ?? ''
  },
  /** Members in its view, deaths so far, and the process's highest memory and processor time. */
  state() {
    const { user, system } = process.cpuUsage()
    return { members: overlay?.members().length ?? 0, died, megabytes: peak(), processor: (user + system) / 1e6 }
  },
}

export type Node = typeof node

serve(node)
