import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parseScenario } from './parse.ts'
import { ScenarioError } from './problem.ts'
import type { Scenario } from './scenario.ts'

/**
 * Reads a scenario from a file, and its trace file from the same folder. Throws
 * {@link ScenarioError}.
 */
export function loadScenario(file: string, set: readonly string[] = []): Scenario {
  return parseScenario(readText(file), {
    file,
    set,
    read: (name) => {
      const trace = join(dirname(file), name)
      return { text: readFileSync(trace, 'utf8'), file: relative('', trace) }
    },
  })
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new ScenarioError([{ source: file, reason: `can't be read: ${error instanceof Error ? error.message : String(error)}` }])
  }
}
