/** How programs are confined, asked while there are no file descriptors, and once more when there are. */
import { closeSync, openSync } from 'node:fs'
import { confinement } from '../../src/executors/confinement.ts'

const open: number[] = []
try {
  for (;;) open.push(openSync('/dev/null', 'r'))
} catch {
  // There are no more.
}
const first = await confinement().then(
  ({ namespaces }) => namespaces,
  () => 'not known',
)
for (const descriptor of open) closeSync(descriptor)
process.stdout.write(`${first}, ${(await confinement()).namespaces}`, () => process.exit())
