import { FunctionMissingError, ProgramError } from '../errors.ts'
import { defaultTaskLimits, LOAD_TIME } from '../program/task-limits.ts'
import type { ProgramFunction } from '../program/messages.ts'
import { startProgram } from './process-container.ts'

/**
 * Returns the tasks that a program exports.
 *
 * @throws ProgramError if the program does not load
 */
export async function describeProgram(file: () => Promise<string>): Promise<readonly ProgramFunction[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly ProgramFunction[]>()
  const fail = (message: string): void => reject(new ProgramError(message))
  const program = { place: 'own', job: '', file, limits: defaultTaskLimits } as const
  const container = startProgram(program, {
    onMessages: (messages) => {
      // The author of the program is here, and may look for the reason of a failure.
      for (const each of messages) if (each.type === 'output') process.stderr.write(each.text)
      const message = messages.find(({ type }) => type !== 'output')
      if (message === undefined) return
      if (message.type === 'ready') resolve(message.functions)
      else fail(message.type === 'unusable' ? `the program fails when it is loaded: ${message.message}` : 'the program says nothing')
    },
    onLost: (reason) => fail(`the program can't be loaded: ${reason}`),
  })
  const timer = setTimeout(() => fail(`the program is not loaded after ${LOAD_TIME} ms`), LOAD_TIME)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    await container.end()
  }
}

/** @throws FunctionMissingError that names the existing functions */
export function findFunction(functions: readonly ProgramFunction[], fn: string): ProgramFunction {
  const found = functions.find(({ name }) => name === fn)
  if (found !== undefined) return found
  const names = functions.map(({ name }) => name).join(', ')
  const has = names === '' ? 'none' : names
  const message = `the program exports no task ${JSON.stringify(fn)}; it has ${has}: wrap the function in task(), or call it by map`
  throw new FunctionMissingError(message)
}
