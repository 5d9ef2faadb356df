// Memory instead of speed: a node has next to nothing to compute. In a pool of 20 processes these flags save 15 of 96 MiB a node, and
// a fifth of the processor time of a start, as short-lived code is not compiled in vain.
import { performance } from 'node:perf_hooks'
import v8 from 'node:v8'

/** Tried with these versions; V8 complains about flags that it does not know (any more). */
const TRIED = ['22', '23', '24', '25']

const COMPILERS = ['sparkplug', 'maglev', 'opt']
/** Starting and entering a pool is always busy, ms. Measured: 60 processes on 2 cores take ten seconds. */
const START = 15_000
/** How often to look whether the node is busy after all, ms. A guess: a stopped process is believed dead after 15 s. */
const INTERVAL = 2_000
/**
 * From this share of the time on, compiled code is worth its memory. Time and not processor time: of 40 processes that share two cores
 * none gets more than a twentieth of one, and interpreted their handshakes took longer than the others waited (measured: after a cut
 * through the pool they pronounced each other dead for minutes). A guess: an idle node needs less than a hundredth.
 */
const BUSY = 0.4

/**
 * Small buffers are cut from blocks of this size, bytes. A peer id that a connection keeps holds on to its whole block, and Node 24 cuts
 * blocks of 64 KiB.
 */
const BLOCK = 8192

/** Starts with the interpreter, a small young generation and small blocks, and turns the compilers on when there is much to do. */
export function beFrugal(setFlag = v8.setFlagsFromString, measure = performance.eventLoopUtilization) {
  Buffer.poolSize = BLOCK
  if (!TRIED.includes(process.versions.node.split('.')[0])) return
  setFlag('--semi-space-growth-factor=1')
  for (const compiler of COMPILERS) setFlag(`--no-${compiler}`)
  const watch = () => {
    let before = measure()
    const timer = setInterval(() => {
      const now = measure()
      const { utilization } = measure(now, before)
      before = now
      if (utilization < BUSY) return
      clearInterval(timer)
      setFlag('--semi-space-growth-factor=2')
      for (const compiler of COMPILERS) setFlag(`--${compiler}`)
    }, INTERVAL)
    timer.unref()
  }
  setTimeout(watch, START).unref()
}
