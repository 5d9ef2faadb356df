import { readdirSync, readFileSync } from 'node:fs'

/** The number of processes whose parent is this process: one shell for each program. */
export function children(): number {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/u.test(name)) return false
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] === String(process.pid)
    } catch {
      return false
    }
  }).length
}
