/** Prints how programs are confined, without free file descriptors, and again with some. */
import { closeSync, openSync } from 'node:fs'
import { confinement } from '../../src/executors/confinement.ts'

const open: number[] = []
try {
  for (;;) open.push(openSync('/dev/null', 'r'))
} catch {
  // No descriptor is left.
}
const first = await confinement().then(
  ({ namespaces }) => namespaces,
  () => 'not known',
)
for (const descriptor of open) closeSync(descriptor)
process.stdout.write(`${first}, ${(await confinement()).namespaces}`, () => process.exit())
