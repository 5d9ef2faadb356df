import { ScenarioError } from '../src/index.ts'

/** Returns the problems of a scenario as the parser reports them. */
export function problems(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof ScenarioError) return error.message
    throw error
  }
  return 'no problem'
}
