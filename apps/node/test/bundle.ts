import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** Before all tests of node processes, and once, as several files run at a time. From its sources a node starts in four times as long. */
export function setup(): void {
  execFileSync(process.execPath, [join(import.meta.dirname, '../../../scripts/bundle-node.ts'), '--if-stale'])
}
