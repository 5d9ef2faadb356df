import { DemoNode } from './node.ts'
import { timeText } from '../events/quantity.ts'

/** A step of the demo failed: the message has the expected and the actual state. */
export class DemoFailure extends Error {
  readonly code = 'DEMO_FAILED'

  constructor(expected: string, seen: string) {
    super(`expected: ${expected}; seen: ${seen}`)
  }
}

/**
 * The times at which the first and the last node of the demo reached a condition, in milliseconds.
 */
export interface Timing {
  readonly first: number
  readonly last: number
}

/** The processes of the demo, and the wait for their events. */
export class DemoStage {
  readonly nodes: DemoNode[] = []
  readonly #script: string
  readonly #pool: string
  readonly #watchers = new Set<() => void>()
  #interrupted: Error | undefined

  constructor(script: string, pool: string) {
    this.#script = script
    this.#pool = pool
  }

  /** The nodes whose processes run. */
  get running(): DemoNode[] {
    return this.nodes.filter((node) => node.running)
  }

  /** Starts a node. By default it runs `jel join`; another command must enter the pool as well. */
  start(introducer?: DemoNode, command: readonly string[] = ['join', this.#pool, '--location', `node${this.nodes.length + 1}`]): DemoNode {
    const number = this.nodes.length + 1
    const args = [...command, '--json', '--listen', '/ip4/127.0.0.1/tcp/0']
    for (const address of introducer?.self?.addresses ?? []) args.push('--bootstrap', address)
    const node = new DemoNode(number, this.#script, args, () => this.#news())
    this.nodes.push(node)
    return node
  }

  /**
   * Waits until `done` holds for all of these nodes. Calls `each` for a node as soon as `done`
   * holds there.
   *
   * @param expected the awaited condition, for people, in case of failure
   * @param seen the state of a node for which the condition does not hold, for people
   * @param limit milliseconds
   * @throws DemoFailure
   */
  async all(
    nodes: readonly DemoNode[],
    step: {
      readonly expected: string
      readonly limit: number
      readonly done: (node: DemoNode) => boolean
      readonly seen: (node: DemoNode) => string
      readonly each?: (node: DemoNode, after: number) => void
    },
  ): Promise<Timing> {
    const start = performance.now()
    const times = new Map<DemoNode, number>()
    const { promise, resolve } = Promise.withResolvers<void>()
    const look = (): void => {
      for (const node of nodes) {
        if (times.has(node) || !step.done(node)) continue
        const after = performance.now() - start
        times.set(node, after)
        step.each?.(node, after)
      }
      if (times.size === nodes.length || this.#interrupted !== undefined) resolve()
    }
    const timer = setTimeout(resolve, step.limit)
    this.#watchers.add(look)
    look()
    await promise
    this.#watchers.delete(look)
    clearTimeout(timer)
    if (this.#interrupted !== undefined) throw this.#interrupted
    const missing = nodes.filter((node) => !step.done(node))
    if (missing.length > 0) throw new DemoFailure(`${step.expected} within ${timeText(step.limit)}`, describe(missing, step.seen))
    return { first: Math.min(...times.values()), last: Math.max(...times.values()) }
  }

  /** Ends the current wait, and all later ones. */
  interrupt(reason: Error): void {
    this.#interrupted = reason
    this.#news()
  }

  /** Kills all processes that the stage started and that still run. Returns when they are gone. */
  async end(): Promise<void> {
    for (const node of this.nodes) node.kill('SIGKILL')
    await Promise.all(this.nodes.map(({ exited }) => exited))
  }

  #news(): void {
    for (const look of this.#watchers) look()
  }
}

function describe(nodes: readonly DemoNode[], seen: (node: DemoNode) => string): string {
  const shown = nodes.slice(0, 5).map((node) => {
    const end = node.running ? '' : `, ended with ${node.end}`
    const complaint = node.complaint === '' ? '' : ` (${node.complaint})`
    return `node ${node.number}: ${seen(node)}${end}${complaint}`
  })
  return [...shown, ...(nodes.length > shown.length ? [`and ${nodes.length - shown.length} more`] : [])].join('; ')
}
