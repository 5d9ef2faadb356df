// These flags trade speed for memory, as a node has next to nothing to compute. In a pool of 20
// processes they save 15 of 96 MiB a node, and a fifth of the processor time of a start, as
// short-lived code is not compiled in vain.
import { performance } from 'node:perf_hooks'
import v8 from 'node:v8'

/** The versions of Node that were tested. V8 complains about flags that it does not know. */
const TRIED = ['22', '23', '24', '25']

const COMPILERS = ['sparkplug', 'maglev', 'opt']
/**
 * A node that starts and enters a pool is always busy for this time, ms. Measured: 60 processes on
 * 2 cores take ten seconds.
 */
const START = 15_000
/**
 * The interval between two checks of the load, ms. A guess: a stopped process is believed dead
 * after 15 s.
 */
const INTERVAL = 2_000
/**
 * The share of time from which compiled code is worth its memory. This is wall-clock time, not
 * processor time: of 40 processes that share two cores none gets more than a twentieth of one. In
 * the interpreter their handshakes took longer than the others waited (measured: after a partition
 * of the pool they declared each other dead for minutes). A guess: an idle node needs less than a
 * hundredth.
 */
const BUSY = 0.4

/**
 * The size of the blocks from which Node cuts small buffers, bytes. A peer id that a connection
 * keeps retains its whole block, and Node 24 has blocks of 64 KiB.
 */
const BLOCK = 8192

/**
 * Starts with the interpreter, a small young generation and small blocks. It turns the compilers on
 * when the node is busy.
 */
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
