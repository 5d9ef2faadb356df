/**
 * The process of a program that nobody here trusts. Do not import it: `startProgram` starts its
 * bundle, with no access except descriptor 3.
 *
 * @module
 */
import { loadConfined } from './compartment.ts'
import { ProgramStack } from './program-stack.ts'
import { serveProgram } from './serve-program.ts'

await serveProgram((source) => ({ load: () => loadConfined(source), stacks: new ProgramStack(', <anonymous>', () => source) }))
