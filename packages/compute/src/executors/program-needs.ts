import { getLineInfo, parse, type Node, type Program } from 'acorn'
import { analyze } from 'periscopic'
import { compartmentNames } from './compartment-globals.ts'
import { scriptOf } from './compartment-script.ts'
import { walk } from './syntax.ts'

type Field =
  | 'test'
  | 'consequent'
  | 'alternate'
  | 'left'
  | 'right'
  | 'argument'
  | 'source'
  | 'value'
  | 'id'
  | 'name'
  | 'operator'
  | 'object'
  | 'property'
  | 'block'
  | 'handler'
type Fields = Node & { [Name in Field]?: unknown }

/**
 * Other names of the global object. Code after a test for `globalThis` may also use these names.
 */
const GLOBAL_OBJECTS = ['self', 'window', 'global']

/** Names that other runtimes, module systems and build tools define. */
const ELSEWHERE =
  'Bun Deno EdgeRuntime WorkerGlobalScope XMLHttpRequest __dirname __filename define document exports importScripts location module require self window'

export interface ProgramNeeds {
  /** The modules and names that the program uses and a sandbox does not offer. */
  readonly needs: readonly string[]
  /** The used names that no runtime defines. Each comes with the place of a use in the source. */
  readonly unknown: readonly { readonly name: string; readonly line: number; readonly column: number }[]
}

/**
 * Returns the needs of a module. A program with needs runs only at members that trust its owner. A
 * program with unknown names fails wherever it uses them.
 */
export function needsOf(source: string): ProgramNeeds {
  const program = parse(source, { ecmaVersion: 'latest', sourceType: 'module' })
  const needs = new Set<string>()
  walk(program, (node) => {
    const { type, source: from } = node as Fields
    if (type === 'MetaProperty' && source.slice(node.start, node.end) === 'import.meta') needs.add('import.meta')
    if (isNode(from)) needs.add(from.type === 'Literal' ? String((from as Fields).value) : 'import(…)')
  })
  const optional = optionalNames(program)
  simplify(program)
  const { globals } = analyze(program as Parameters<typeof analyze>[0])
  const unknown: ProgramNeeds['unknown'][number][] = []
  for (const [name, node] of globals) {
    if (compartmentNames.has(name)) continue
    if (name in globalThis || ELSEWHERE.split(' ').includes(name) || optional?.has(name) !== false) needs.add(name)
    else unknown.push({ name, ...getLineInfo(source, (node as unknown as Node).start) })
  }
  if (needs.size + unknown.length === 0) {
    try {
      scriptOf(source)
    } catch (error) {
      needs.add(error instanceof Error ? error.message : String(error))
    }
  }
  return { needs: [...needs, ...unknown.map(({ name }) => name)].sort(), unknown }
}

/**
 * Returns the names that a program may define itself, or whose existence it tests: fields of the
 * global object, and names in `typeof`, `in` and `try`. Undefined: the program passes the global
 * object on, and so may define any name.
 */
function optionalNames(program: Program): ReadonlySet<unknown> | undefined {
  const names = new Set<unknown>()
  /** The uses of the global object for one field. */
  const read = new Set<unknown>()
  let isPassedOn = false
  walk(program, (node) => {
    const { type, operator, argument, left, object, property, block, name } = node as Fields
    if (type === 'MemberExpression' && isGlobalObject(object)) {
      read.add(object)
      if (isNode(property)) names.add((property as Fields).name ?? (property as Fields).value)
    } else if (type === 'UnaryExpression' && operator === 'typeof' && isNode(argument)) names.add((argument as Fields).name)
    else if (type === 'BinaryExpression' && operator === 'in' && isNode(left)) names.add((left as Fields).value)
    else if (type === 'TryStatement' && isNode(block)) walk(block, (inside) => names.add((inside as Fields).name))
    else if (type === 'Identifier' && isGlobalObject(node) && !read.has(node)) isPassedOn = name !== undefined
  })
  return isPassedOn ? undefined : names
}

function isGlobalObject(node: unknown): boolean {
  return isNode(node) && node.type === 'Identifier' && ['globalThis', ...GLOBAL_OBJECTS].includes((node as Fields).name as string)
}

/** Removes code in which `analyze` reports a global that the code does not need. */
function simplify(program: Program): void {
  walk(program, (node) => {
    const fields = node as Fields
    const { type, argument, test, left, consequent, alternate, right, operator } = fields
    if (type === 'UnaryExpression' && operator === 'typeof' && isNode(argument) && argument.type === 'Identifier')
      // A test for the existence of a name does not use the name.
      fields.argument = { ...argument, asked: (argument as Fields).name, type: 'Literal', value: null }
    else if (type === 'MetaProperty') Object.assign(node, { type: 'Literal', value: null, meta: undefined, property: undefined })
    else if (type === 'ClassExpression' && isNode(fields.id)) nameInside(node)
    // Packages look for optional modules in this way. A handler that throws shows that the module
    // is needed.
    else if (type === 'TryStatement' && isNode(fields.block) && isNode(fields.handler) && !throws(fields.handler))
      forget(new Set(['require']), fields.block)
    else if (type === 'ConditionalExpression' || type === 'IfStatement') guard(test, [consequent, alternate])
    else if (type === 'LogicalExpression') guard(left, [right])
  })
}

function throws(handler: Node): boolean {
  let found = false
  walk(handler, ({ type }) => {
    found ||= type === 'ThrowStatement'
  })
  return found
}

/**
 * The name of a class expression has a meaning only within the class. This turns the class into a
 * function, whose scope `analyze` knows.
 */
function nameInside(node: Node): void {
  const unnamed = { ...node, id: null }
  const body = { type: 'BlockStatement', body: [{ type: 'ExpressionStatement', expression: unnamed }] }
  Object.assign(node, { type: 'FunctionExpression', params: [], body, superClass: undefined })
}

/**
 * Handles code that runs only after a test for a name (guards of UMD). Such code may use that name,
 * because it runs only if the name exists.
 */
function guard(test: unknown, behind: readonly unknown[]): void {
  if (!isNode(test)) return
  const names = new Set<unknown>()
  walk(test, (node) => {
    const { type, operator, argument } = node as Fields
    if (type !== 'UnaryExpression' || operator !== 'typeof' || !isNode(argument)) return
    names.add((argument as Fields).name ?? (argument as { asked?: unknown }).asked)
  })
  if (names.has('globalThis')) for (const name of GLOBAL_OBJECTS) names.add(name)
  for (const each of behind) if (isNode(each)) forget(names, each)
}

/** Removes the uses of names. */
function forget(names: ReadonlySet<unknown>, within: Node): void {
  walk(within, (node) => {
    if (node.type === 'Identifier' && names.has((node as Fields).name)) Object.assign(node, { type: 'Literal', value: null })
  })
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string'
}
