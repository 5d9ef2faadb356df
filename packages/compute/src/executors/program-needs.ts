import { parse, type Node, type Program } from 'acorn'
import { analyze } from 'periscopic'
import { compartmentNames } from './compartment-globals.ts'
import { scriptOf } from './compartment-script.ts'
import { walk } from './syntax.ts'

type Field = 'test' | 'consequent' | 'alternate' | 'left' | 'right' | 'argument' | 'source' | 'value' | 'id' | 'name' | 'operator'
type Fields = Node & { [Name in Field]?: unknown }

/** Where `globalThis` is asked for, these are its names on what came before it. */
const GLOBAL_OBJECTS = ['self', 'window', 'global']

/** What a module needs that a sandbox has not: modules that it imports, and names. Such a program runs only where its owner is trusted. */
export function needsOf(source: string): string[] {
  const program = parse(source, { ecmaVersion: 'latest', sourceType: 'module' })
  const needs = new Set<string>()
  walk(program, (node) => {
    const { type, source: from } = node as Fields
    if (type === 'MetaProperty' && source.slice(node.start, node.end) === 'import.meta') needs.add('import.meta')
    if (isNode(from)) needs.add(from.type === 'Literal' ? String((from as Fields).value) : 'import(…)')
  })
  simplify(program)
  const { globals } = analyze(program as Parameters<typeof analyze>[0])
  for (const name of globals.keys()) if (!compartmentNames.has(name)) needs.add(name)
  if (needs.size === 0) {
    try {
      scriptOf(source)
    } catch (error) {
      needs.add(error instanceof Error ? error.message : String(error))
    }
  }
  return [...needs].sort()
}

/** Takes out what is no use of a global, though `analyze` takes it for one. */
function simplify(program: Program): void {
  walk(program, (node) => {
    const fields = node as Fields
    const { type, argument, test, left, consequent, alternate, right, operator } = fields
    if (type === 'UnaryExpression' && operator === 'typeof' && isNode(argument) && argument.type === 'Identifier')
      // To ask whether there is something is no use of it.
      fields.argument = { ...argument, asked: (argument as Fields).name, type: 'Literal', value: null }
    else if (type === 'MetaProperty') Object.assign(node, { type: 'Literal', value: null, meta: undefined, property: undefined })
    else if (type === 'ClassExpression' && isNode(fields.id)) nameInside(node)
    else if (type === 'ConditionalExpression' || type === 'IfStatement') guard(test, [consequent, alternate])
    else if (type === 'LogicalExpression') guard(left, [right])
  })
}

/** Only within the class has its name a meaning: as that of a function, which `analyze` knows. */
function nameInside(node: Node): void {
  const unnamed = { ...node, id: null }
  const body = { type: 'BlockStatement', body: [{ type: 'ExpressionStatement', expression: unnamed }] }
  Object.assign(node, { type: 'FunctionExpression', params: [], body, superClass: undefined })
}

/** What stands behind a question whether there is something may name it: that runs only where there is (guards of UMD). */
function guard(test: unknown, behind: readonly unknown[]): void {
  if (!isNode(test)) return
  const names = new Set<unknown>()
  walk(test, (node) => {
    const { type, operator, argument } = node as Fields
    if (type !== 'UnaryExpression' || operator !== 'typeof' || !isNode(argument)) return
    names.add((argument as Fields).name ?? (argument as { asked?: unknown }).asked)
  })
  if (names.has('globalThis')) for (const name of GLOBAL_OBJECTS) names.add(name)
  for (const each of behind)
    if (isNode(each))
      walk(each, (node) => {
        if (node.type === 'Identifier' && names.has((node as Fields).name)) Object.assign(node, { type: 'Literal', value: null })
      })
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string'
}
