/**
 * The process of a program with all rights of this member. Do not import it: `startProgram` starts
 * its bundle.
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
