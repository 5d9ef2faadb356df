/** A process whose file descriptors are used up: it starts the program that it is given, and says how that went. */
import { openSync } from 'node:fs'
import { startProgram } from '../../src/executors/process-container.ts'
import { programModule } from '../../src/executors/program-module.ts'

const file = process.argv[2] as string
await programModule('own')
try {
  for (;;) openSync('/dev/null', 'r')
} catch {
  // There are no more.
}
startProgram(
  { place: 'own', job: 'x', file: async () => await Promise.resolve(file), limits: { memory: 64 } },
  { onMessages: () => {}, onLost: (reason) => process.stdout.write(`${reason}\n`) },
)
setTimeout(() => process.stdout.write('it lives\n', () => process.exit()), 300)
