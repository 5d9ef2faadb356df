import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/**
 * Builds the bundle once before all tests of node processes, as several files run at a time. From
 * its sources a node takes four times as long to start.
 */
export function setup(): void {
  execFileSync(process.execPath, [join(import.meta.dirname, '../../../scripts/bundle-node.ts'), '--if-stale'])
}
