/**
 * The process of a program that nobody here vouches for. Not to be imported: `startProgram` starts it, bundled, and with nothing but descriptor 3.
 *
 * @module
 */
import { loadConfined } from './compartment.ts'
import { ProgramStack } from './program-stack.ts'
import { serveProgram } from './serve-program.ts'

await serveProgram((source) => ({ load: () => loadConfined(source), stacks: new ProgramStack(', <anonymous>', () => source) }))
