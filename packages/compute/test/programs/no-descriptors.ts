/** A process without free file descriptors: starts the given program, and prints the result. */
import { openSync } from 'node:fs'
import { startProgram } from '../../src/executors/process-container.ts'
import { programModule } from '../../src/executors/program-module.ts'
import { defaultTaskLimits } from '../../src/program/task-limits.ts'

const file = process.argv[2] as string
await programModule('own')
try {
  for (;;) openSync('/dev/null', 'r')
} catch {
  // No descriptor is left.
}
startProgram(
  { place: 'own', job: 'x', file: async () => await Promise.resolve(file), limits: { ...defaultTaskLimits, memory: 64 } },
  { onMessages: () => {}, onLost: (reason) => process.stdout.write(`${reason}\n`) },
)
setTimeout(() => process.stdout.write('it lives\n', () => process.exit()), 300)
