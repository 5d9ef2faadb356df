import type { Expression as Tree } from 'acorn'

const BINARY: ReadonlySet<string> = new Set(['+', '-', '*', '/', '%', '<', '<=', '>', '>=', '==', '!=', 'in'])
/** The functions of a text. A list has only `contains`. */
const FUNCTIONS = ['startsWith', 'endsWith', 'contains'] as const

/** A part of an expression that is not allowed, and its position. */
interface SyntaxProblem {
  readonly at: number
  readonly message: string
}

/**
 * A text in quotes, or a name with dots that is no call of a function. Parts of a name may begin
 * with a digit, as in `system.cpu.load_average.1m`.
 */
const NAMES = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?<![\w.])[a-z_]\w*(?:\.(?!(?:startsWith|endsWith|contains)\s*\()\w+)+/giu
/**
 * Replaces a dot in a name. JavaScript allows this character in names, so the parser sees one
 * identifier.
 */
const DOT = '·'

/** Returns the text with one identifier for each name. Each character keeps its position. */
export function withNames(text: string): string {
  return text.replaceAll(NAMES, (found) => (/^["']/u.test(found) ? found : found.replaceAll('.', DOT)))
}

/** Returns the name of an attribute, such as `system.memory.usage`; undefined: no name. */
export function nameOf(tree: Tree): string | undefined {
  return tree.type === 'Identifier' ? tree.name.replaceAll(DOT, '.') : undefined
}

/**
 * Returns the first part that is not allowed. The parser accepts all of JavaScript. This function
 * accepts the language CEL without its macros.
 */
export function problemOf(tree: Tree): SyntaxProblem | undefined {
  const no = (message: string): SyntaxProblem => ({ at: tree.start, message })
  const first = (...trees: readonly Tree[]): SyntaxProblem | undefined => {
    for (const each of trees) {
      const problem = problemOf(each)
      if (problem !== undefined) return problem
    }
    return undefined
  }
  if (nameOf(tree) !== undefined) return undefined
  switch (tree.type) {
    case 'Literal':
      return ['number', 'string', 'boolean'].includes(typeof tree.value) ? undefined : no('this is no number, text, true or false')
    case 'UnaryExpression':
      return ['!', '-'].includes(tree.operator) ? first(tree.argument) : no(`${tree.operator} is no operator here`)
    case 'BinaryExpression':
      return BINARY.has(tree.operator) ? first(tree.left as Tree, tree.right) : no(`${tree.operator} is no operator here`)
    case 'LogicalExpression':
      return ['&&', '||'].includes(tree.operator) ? first(tree.left, tree.right) : no(`${tree.operator} is no operator here`)
    case 'ConditionalExpression':
      return first(tree.test, tree.consequent, tree.alternate)
    case 'ArrayExpression':
      return tree.elements.every((each) => each?.type === 'Literal')
        ? first(...(tree.elements as Tree[]))
        : no('a list has numbers and texts only')
    case 'CallExpression': {
      const { callee } = tree
      const isKnown =
        callee.type === 'MemberExpression' &&
        !callee.computed &&
        callee.property.type === 'Identifier' &&
        FUNCTIONS.some((name) => name === (callee.property as { readonly name: string }).name) &&
        tree.arguments.length === 1
      if (!isKnown) return no(`the functions are ${FUNCTIONS.join(', ')}, with one argument`)
      return first(callee.object as Tree, ...(tree.arguments as Tree[]))
    }
    case 'AssignmentExpression':
      return { at: tree.left.end, message: 'to compare, write ==' }
    default:
      return no('this is not allowed in an expression')
  }
}
