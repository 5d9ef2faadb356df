import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { STEP_LENGTH } from '../core/path.ts'
import type { SharedDefinition } from '../program/definitions.ts'
import { Runtime } from '../program/runtime.ts'
import type { FromProgram, ToProgram } from './messages.ts'
import type { ProgramStack } from './program-stack.ts'

/** What a container does with a program once it is there: loads it, says what it exports, and runs its tasks. */
export async function hostProgram(
  load: () => Promise<Readonly<Record<string, unknown>>>,
  post: (messages: readonly FromProgram[]) => void,
  stacks: ProgramStack,
): Promise<((messages: readonly ToProgram[]) => void) | undefined> {
  try {
    const exports = await load()
    const declared = (exports['sharedValues$'] as (() => readonly SharedDefinition<never>[]) | undefined)?.() ?? []
    const runtime = new Runtime({ post, step, stack: (stack) => stacks.of(stack), idle: () => setImmediate() }, exports, declared)
    post([{ type: 'ready', functions: runtime.functions }])
    return (messages) => runtime.handle(messages)
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined }
    post([{ type: 'unusable', code: 'PROGRAM_UNUSABLE', message, ...(stack === undefined ? {} : { stack: stacks.of(stack) }) }])
    return undefined
  }
}

function step(fn: string, input: Uint8Array, occurrence: number): string {
  return createHash('sha256').update(`${occurrence} ${fn}\n`).update(input).digest('base64url').slice(0, STEP_LENGTH)
}
