import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/**
 * Builds the bundle once before all tests of node processes: several test files run at a time. A
 * node that runs from its sources takes four times as long to start.
 */
export function setup(): void {
  execFileSync(process.execPath, [join(import.meta.dirname, '../../../scripts/bundle-node.ts'), '--if-stale'])
}
