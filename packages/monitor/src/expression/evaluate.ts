import type { Expression as Tree } from 'acorn'
import type { Scalar, Value } from './value.ts'
import { nameOf } from './syntax.ts'

/** Returns the value of an attribute; undefined: unknown. */
export type Lookup = (name: string) => Value | undefined

/**
 * Maximum characters of a text that is searched in another one. A guess. A search may take as many
 * steps as the product of both lengths.
 */
const MAX_PART = 256

/** Undefined: the value is unknown, or the types do not fit. */
type Result = Value | undefined

/** Evaluates a tree that `problemOf` accepts. */
export function evaluate(tree: Tree, lookup: Lookup): Result {
  const name = nameOf(tree)
  if (name !== undefined) return lookup(name)
  const of = (part: unknown): Result => evaluate(part as Tree, lookup)
  switch (tree.type) {
    case 'Literal':
      return tree.value as Scalar
    case 'ArrayExpression':
      return tree.elements.map(of) as Scalar[]
    case 'UnaryExpression': {
      const value = of(tree.argument)
      if (tree.operator === '!') return typeof value === 'boolean' ? !value : undefined
      return typeof value === 'number' ? -value : undefined
    }
    case 'LogicalExpression':
      return logical(tree.operator === '&&', of(tree.left), () => of(tree.right))
    case 'ConditionalExpression': {
      const test = of(tree.test)
      return typeof test === 'boolean' ? of(test ? tree.consequent : tree.alternate) : undefined
    }
    case 'BinaryExpression':
      return binary(tree.operator, of(tree.left), of(tree.right))
    case 'CallExpression': {
      const { object, property } = tree.callee as unknown as { object: Tree; property: { name: string } }
      return call(property.name, of(object), of(tree.arguments[0]))
    }
    default:
      return undefined
  }
}

/** If one part decides the result, the other part may be unknown. */
function logical(isAnd: boolean, left: Result, rightOf: () => Result): Result {
  const decides = !isAnd
  if (left === decides) return decides
  const right = rightOf()
  if (right === decides) return decides
  return typeof left === 'boolean' && typeof right === 'boolean' ? isAnd : undefined
}

function binary(operator: string, left: Result, right: Result): Result {
  if (left === undefined || right === undefined) return undefined
  if (operator === '==') return isSame(left, right)
  if (operator === '!=') return !isSame(left, right)
  if (operator === 'in') return Array.isArray(right) ? right.includes(left) : undefined
  // `+` does not join texts. Otherwise a short expression could build a long text.
  if (typeof left === 'string' && typeof right === 'string') return compare(operator, left, right)
  if (typeof left !== 'number' || typeof right !== 'number') return undefined
  return compare(operator, left, right) ?? calculate(operator, left, right)
}

function isSame(left: Value, right: Value): boolean {
  return Array.isArray(left) || Array.isArray(right) ? JSON.stringify(left) === JSON.stringify(right) : left === right
}

function compare<Ordered extends string | number>(operator: string, left: Ordered, right: Ordered): boolean | undefined {
  switch (operator) {
    case '<':
      return left < right
    case '<=':
      return left <= right
    case '>':
      return left > right
    case '>=':
      return left >= right
    default:
      return undefined
  }
}

function calculate(operator: string, left: number, right: number): number | undefined {
  const value =
    operator === '+'
      ? left + right
      : operator === '-'
        ? left - right
        : operator === '*'
          ? left * right
          : operator === '/'
            ? left / right
            : left % right
  return Number.isFinite(value) ? value : undefined
}

function call(name: string, object: Result, argument: Result): Result {
  if (Array.isArray(object)) return name === 'contains' && argument !== undefined ? object.includes(argument) : undefined
  if (typeof object !== 'string' || typeof argument !== 'string' || argument.length > MAX_PART) return undefined
  if (name === 'startsWith') return object.startsWith(argument)
  return name === 'endsWith' ? object.endsWith(argument) : object.includes(argument)
}
