import { parse } from 'acorn'
import { analyze } from 'periscopic'
import { compartmentNames } from './compartment-globals.ts'

/** What a module needs that a sandbox has not: modules that it imports, and names. Such a program runs only where its owner is trusted. */
export function needsOf(source: string): string[] {
  const program = parse(source, { ecmaVersion: 'latest', sourceType: 'module' })
  const imports = program.body.flatMap((statement) =>
    statement.type !== 'ExportDefaultDeclaration' && 'source' in statement && statement.source ? [String(statement.source.value)] : [],
  )
  const { globals } = analyze(program as Parameters<typeof analyze>[0])
  const names = [...globals.keys()].filter((name) => !compartmentNames.has(name))
  return [...imports, ...names].sort()
}
