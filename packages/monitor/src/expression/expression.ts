import { type Expression as Tree, parseExpressionAt } from 'acorn'
import type { Value } from './value.ts'
import { InvalidExpressionError } from '../errors.ts'
import { evaluate, type Lookup } from './evaluate.ts'
import { nameOf, problemOf, withNames } from './syntax.ts'

/** Maximum characters of an expression. A guess: ten conditions fit. */
export const MAX_LENGTH = 1024

/**
 * A condition or a rank over attributes, as in `cpus >= 2 && arch == "x64"`. It has the operators
 * of CEL on numbers, texts, booleans and lists, and the functions `startsWith`, `endsWith` and
 * `contains`. It has no loops, and can't join texts.
 */
export class Expression {
  readonly text: string
  /** The names of attributes, each once. */
  readonly names: readonly string[]
  readonly #tree: Tree

  private constructor(text: string, tree: Tree) {
    this.text = text
    this.#tree = tree
    const names = new Set<string>()
    collect(tree, names)
    this.names = [...names]
  }

  /** @throws InvalidExpressionError with the column of the problem */
  static parse(text: string): Expression {
    if (text.length > MAX_LENGTH)
      throw new InvalidExpressionError(`the expression has ${text.length} characters; at most ${MAX_LENGTH} are allowed`)
    let tree: Tree
    try {
      tree = parseExpressionAt(withNames(text), 0, { ecmaVersion: 2024 })
    } catch (error) {
      const { pos, message } = error as { pos?: number; message: string }
      throw new InvalidExpressionError(
        pos === undefined ? 'the expression is nested too deeply' : at(pos, message.replace(/ \(\d+:\d+\)$/u, '')),
      )
    }
    const rest = text.slice(tree.end).search(/\S/u)
    if (rest >= 0) throw new InvalidExpressionError(at(tree.end + rest, 'nothing is expected after the expression; numbers have no units'))
    const problem = problemOf(tree)
    if (problem !== undefined) throw new InvalidExpressionError(at(problem.at, problem.message))
    return new Expression(text, tree)
  }

  /**
   * Returns the value; undefined: it depends on an unknown attribute, or its types do not fit. As
   * in CEL, `false && x` is false and `true || x` is true for an unknown x.
   */
  evaluate(lookup: Lookup): Value | undefined {
    return evaluate(this.#tree, lookup)
  }

  /** The conditions that `&&` joins. */
  get conjuncts(): readonly Expression[] {
    const parts: Expression[] = []
    const split = (tree: Tree): void => {
      if (tree.type === 'LogicalExpression' && tree.operator === '&&') {
        split(tree.left)
        split(tree.right)
      } else parts.push(new Expression(this.text.slice(tree.start, tree.end), tree))
    }
    split(this.#tree)
    return parts
  }
}

function at(position: number, message: string): string {
  return `column ${position + 1}: ${message}`
}

function collect(tree: Tree, names: Set<string>): void {
  const name = nameOf(tree)
  if (name !== undefined) {
    names.add(name)
    return
  }
  if (tree.type === 'CallExpression' && tree.callee.type === 'MemberExpression') collect(tree.callee.object as Tree, names)
  for (const child of childrenOf(tree)) collect(child, names)
}

function childrenOf(tree: Tree): readonly Tree[] {
  switch (tree.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
      return [tree.left as Tree, tree.right]
    case 'UnaryExpression':
      return [tree.argument]
    case 'ConditionalExpression':
      return [tree.test, tree.consequent, tree.alternate]
    case 'CallExpression':
      return tree.arguments as Tree[]
    case 'ArrayExpression':
      return tree.elements as Tree[]
    default:
      return []
  }
}
