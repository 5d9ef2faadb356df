import { InvalidElectionNameError, InvalidPoolNameError, InvalidSignalNameError } from './errors.ts'

const nameProblem = (name: unknown): string | undefined => {
  if (typeof name !== 'string') return 'must be a string'
  if (name === '') return 'must not be empty'
  const bytes = new TextEncoder().encode(name).length
  return bytes > 64 ? `has ${bytes} bytes, at most 64 are allowed` : undefined
}

export function checkPoolName(name: string): void {
  const problem = nameProblem(name)
  if (problem !== undefined) throw new InvalidPoolNameError(problem)
}

export function checkElectionName(name: string): void {
  const problem = nameProblem(name)
  if (problem !== undefined) throw new InvalidElectionNameError(problem)
}

export function checkSignalName(name: string): void {
  const problem = nameProblem(name)
  if (problem !== undefined) throw new InvalidSignalNameError(problem)
}
