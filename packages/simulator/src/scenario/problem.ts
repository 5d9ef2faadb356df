/** One problem of a scenario, and its place. */
export interface Problem {
  /** The file or the command-line option with the problem. */
  readonly source: string
  /** The line, from 1 on. Undefined for an option. */
  readonly line?: number
  readonly column?: number
  /** The problem, and the expected form. */
  readonly reason: string
}

/**
 * A scenario, or a file that it names, is invalid. The message has one line per problem: file,
 * line, reason.
 */
export class ScenarioError extends Error {
  readonly code = 'SCENARIO'
  override readonly name = 'ScenarioError'
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super(problems.map(describe).join('\n'))
    this.problems = problems
  }
}

function describe({ source, line, column, reason }: Problem): string {
  const place = [source, line, column].filter((part) => part !== undefined).join(':')
  return `${place}: ${reason}`
}
