/** Processor time and memory of processes, as the kernel counts them (Linux). */
import { readdirSync, readFileSync } from 'node:fs'
import { sum } from './quantiles.ts'

/** Clock ticks a second in /proc: 100 on every Linux on which Node runs. */
const TICKS = 100

export interface Usage {
  /** Processor time since the process started, user and system, in milliseconds. */
  readonly processor: number
  /** Resident memory in bytes. */
  readonly memory: number
}

/** Returns NaN if the process is gone or the system has no /proc. */
function usageOf(pid: number): Usage {
  try {
    // The second field is the program's name in parentheses. The name may contain any character, so
    // this counts the fields after its end.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const resident = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return { processor: ((Number(fields[11]) + Number(fields[12])) / TICKS) * 1000, memory: Number(resident) * 1024 }
  } catch {
    return { processor: Number.NaN, memory: Number.NaN }
  }
}

/** Returns the sum over several processes. */
export function usageOfAll(pids: readonly number[]): Usage {
  const all = pids.map(usageOf)
  return { processor: sum(all.map(({ processor }) => processor)), memory: sum(all.map(({ memory }) => memory)) }
}

/** Returns the pids of a process and of its running descendants (Linux). */
export function treeOf(pid: number): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/u.test(each))) {
    const parent = /^PPid:\s+(\d+)$/mu.exec(statusOf(name))?.[1]
    if (parent !== undefined) parents.set(Number(name), Number(parent))
  }
  const tree = [pid]
  for (const each of tree) for (const [child, parent] of parents) if (parent === each) tree.push(child)
  return tree
}

/** Returns '' for a process that is gone. */
function statusOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}
