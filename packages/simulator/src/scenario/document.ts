import { isMap, isPair, isScalar, LineCounter, parseDocument, type Document, type Node } from 'yaml'
import { ScenarioError, type Problem } from './problem.ts'

/** The path to a value in the file. */
export type Path = readonly PropertyKey[]

/** A YAML file with the line of each of its values. */
export class ScenarioDocument {
  readonly #file: string
  readonly #lines = new LineCounter()
  readonly #document: Document.Parsed
  /** The `--set` options, by path. */
  readonly #set = new Map<string, string>()

  /** Throws {@link ScenarioError} if the text is not a YAML mapping. */
  constructor(text: string, file: string) {
    this.#file = file
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false, uniqueKeys: true })
    const problems = [...this.#document.errors, ...this.#document.warnings].map(({ message, pos: [offset] }) => this.#at(offset, message))
    if (problems.length === 0 && !isMap(this.#document.contents))
      problems.push(this.#at(0, 'expected a mapping with nodes and duration, at least'))
    if (problems.length > 0) throw new ScenarioError(problems)
  }

  /**
   * Sets one value as if it were in the file: `nodes=2000`, `network.loss=5%`, `actions.0.at=10s`.
   * Throws {@link ScenarioError}.
   */
  set(assignment: string): void {
    const source = `--set ${assignment}`
    const [, key, value] = /^([^=]+)=(.*)$/su.exec(assignment) ?? []
    if (key === undefined || value === undefined) throw new ScenarioError([{ source, reason: 'expected KEY=VALUE, such as nodes=2000' }])
    const path = key.split('.').map((part) => (/^\d+$/u.test(part) ? Number(part) : part))
    const parsed = parseDocument(value)
    const [error] = parsed.errors
    if (error !== undefined) throw new ScenarioError([{ source, reason: error.message }])
    try {
      this.#document.setIn(path, this.#scaled(path, parsed.toJS()))
    } catch {
      throw new ScenarioError([{ source, reason: `${key} stands within something that has no keys` }])
    }
    this.#set.set(path.join('.'), source)
  }

  /** If the file counts nodes by site, distributes one total number in the same proportions. */
  #scaled(path: Path, value: unknown): unknown {
    const before = path.length === 1 && path[0] === 'nodes' ? this.#document.getIn(path) : undefined
    if (!isMap(before) || typeof value !== 'number' || value < 1) return value
    const counts = Object.entries(before.toJSON() as Record<string, unknown>).map(([site, count]) => [site, Number(count)] as const)
    const all = counts.reduce((sum, [, count]) => sum + count, 0)
    let [rest, placed] = [all, 0]
    return Object.fromEntries(
      counts.map(([site, count]) => {
        const share = Math.round(((value - placed) * count) / rest)
        rest -= count
        placed += share
        return [site, share]
      }),
    )
  }

  /** Returns the file as plain values. */
  value(): unknown {
    return this.#document.toJS({ maxAliasCount: 100 })
  }

  /** Returns a problem with the value at a path, or with one of its keys. */
  problem(path: Path, reason: string, key?: string): Problem {
    const whole = key === undefined ? path : [...path, key]
    for (let length = whole.length; length > 0; length--) {
      const source = this.#set.get(whole.slice(0, length).join('.'))
      if (source !== undefined) return { source, reason }
    }
    const where = path.length === 0 ? '' : `${path.map(String).join('.')}: `
    return this.#at(this.#offset(path, key), `${where}${reason}`)
  }

  #offset(path: Path, key: string | undefined): number {
    let node: unknown = this.#document.contents
    let offset = 0
    for (const part of [...path, ...(key === undefined ? [] : [key])]) {
      const pair = isMap(node)
        ? node.items.find((item) => isPair(item) && isScalar(item.key) && String(item.key.value) === String(part))
        : undefined
      if (pair !== undefined) {
        offset = (pair.key as Node).range?.[0] ?? offset
        node = pair.value
        continue
      }
      node = this.#document.getIn(path.slice(0, path.indexOf(part) + 1), true)
      const start = (node as Node | undefined)?.range?.[0]
      if (start === undefined) return offset
      offset = start
    }
    return offset
  }

  #at(offset: number, reason: string): Problem {
    const { line, col } = this.#lines.linePos(offset)
    return { source: this.#file, line: Math.max(line, 1), column: Math.max(col, 1), reason }
  }
}
