// These flags trade speed for memory, because a node computes next to nothing. In a pool of 20
// processes they save 15 of 96 MiB a node. A start takes a fifth less processor time, because
// short-lived code is not compiled.
import { performance } from 'node:perf_hooks'
import v8 from 'node:v8'

/** The versions of Node that were tested. V8 complains about flags that it does not know. */
const TRIED = ['22', '23', '24', '25']

const COMPILERS = ['sparkplug', 'maglev', 'opt']
/**
 * The time before the first check of the load, ms. A node that enters a pool is always busy.
 * Measured: 60 processes on 2 cores take ten seconds to enter.
 */
const START = 15_000
/**
 * The interval between two checks of the load, ms. A guess, short beside the 15 s after which a
 * stopped process is declared dead.
 */
const INTERVAL = 2_000
/**
 * The load from which compiled code is worth its memory. A guess: the load of an idle node is below
 * a hundredth. The load is a share of wall-clock time, not of processor time: of 40 processes on
 * two cores, none gets more than a twentieth of a core. Without compiled code their handshakes
 * timed out (measured: after a partition of the pool they declared each other dead for minutes).
 */
const BUSY = 0.4

/**
 * The size of the blocks from which Node cuts small buffers, bytes. Each connection keeps a peer
 * id, and thereby the whole block of that id. Node 24 has blocks of 64 KiB.
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
