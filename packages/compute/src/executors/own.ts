/**
 * The process of a program that may do what this member may. Not to be imported: `startProgram` starts it, bundled.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ProgramStack } from './program-stack.ts'
import { serveProgram } from './serve-program.ts'

await serveProgram((url) => ({
  load: () => import(url) as Promise<Record<string, unknown>>,
  stacks: new ProgramStack(url, () => readFileSync(fileURLToPath(url), 'utf8')),
}))
