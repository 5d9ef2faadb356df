import type { Node } from 'acorn'

/** Visits all nodes of a syntax tree, each before its children. `enter` may change the node. */
export function walk(node: Node, enter: (node: Node) => void): void {
  enter(node)
  for (const value of Object.values(node) as unknown[])
    for (const each of Array.isArray(value) ? (value as unknown[]) : [value]) if (isNode(each)) walk(each, enter)
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string'
}
