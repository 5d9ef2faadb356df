import * as v from 'valibot'
import { checkScenario } from './check.ts'
import { ScenarioDocument } from './document.ts'
import { ScenarioError, type Problem } from './problem.ts'
import { scenarioSchema, type Scenario } from './scenario.ts'
import { placeOf } from './schema-kit.ts'
import { parseTrace } from './trace-file.ts'
import type { TraceEvent } from './population.ts'

export interface ParseOptions {
  /**
   * The file name for errors. Without folder and ending it is the default name of the scenario.
   * Default: `scenario.yaml`.
   */
  readonly file?: string
  /** Values to replace, in the form of `--set`: `nodes=2000`, `network.loss=5%`. */
  readonly set?: readonly string[]
  /** Reads a file that the scenario names. Default: the scenario may name no file. */
  readonly read?: (name: string) => { readonly text: string; readonly file: string }
}

interface Trace {
  readonly file: string
  readonly events: readonly TraceEvent[]
}

/** Parses a scenario. Throws {@link ScenarioError} that lists all problems and their places. */
export function parseScenario(text: string, options: ParseOptions = {}): Scenario {
  const { file = 'scenario.yaml', set = [] } = options
  const document = new ScenarioDocument(text, file)
  for (const assignment of set) document.set(assignment)
  const value = document.value() as Readonly<Record<string, unknown>>
  const trace = traceOf(value, document, options)
  const nodes = trace?.events.filter(({ event }) => event === 'join').length
  const { success, issues, output } = v.safeParse(scenarioSchema, { ...(nodes !== undefined && { nodes }), ...value })
  if (!success) throw new ScenarioError(inOrder(issues.map((issue) => problemOf(document, issue))))
  if (nodes !== undefined && output.nodes !== nodes)
    throw new ScenarioError([document.problem(['nodes'], `expected ${nodes}, as many as join in ${trace?.file}, or nothing`)])
  const scenario: Scenario = { name: nameOf(file), ...output, ...(trace && { arrivals: { type: 'trace', ...trace } }) }
  const problems: Problem[] = []
  checkScenario(scenario, (path, reason) => problems.push(document.problem(path, reason)))
  if (problems.length > 0) throw new ScenarioError(inOrder(problems))
  return scenario
}

function problemOf(document: ScenarioDocument, issue: v.BaseIssue<unknown>): Problem {
  const { path, unknown } = placeOf(issue)
  return document.problem(path, issue.message, unknown)
}

function inOrder(problems: readonly Problem[]): Problem[] {
  return problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
}

/** Returns the trace file that the scenario names, or undefined if it names none. */
function traceOf({ arrivals }: Readonly<Record<string, unknown>>, document: ScenarioDocument, { read }: ParseOptions): Trace | undefined {
  const name = typeof arrivals === 'object' && arrivals !== null && 'trace' in arrivals ? arrivals.trace : undefined
  if (typeof name !== 'string' || name === '') return undefined
  const path = ['arrivals', 'trace']
  if (read === undefined) throw new ScenarioError([document.problem(path, 'a trace file can be named in a file only')])
  let found: ReturnType<typeof read>
  try {
    found = read(name)
  } catch (error) {
    throw new ScenarioError([document.problem(path, `can't be read: ${error instanceof Error ? error.message : String(error)}`)])
  }
  return { file: name, events: parseTrace(found.text, found.file) }
}

function nameOf(file: string): string {
  return file.replace(/^.*[\\/]/u, '').replace(/\.ya?ml$/u, '')
}
