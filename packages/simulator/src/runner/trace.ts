import type { Milliseconds, Notification } from '@jel/protocol'
import type { GroundTruth } from '../truth/ground-truth.ts'

/** One event, as a line of the trace. */
export interface TraceLine {
  readonly time: Milliseconds
  /** The number of the notified node. Undefined for an action of the scenario. */
  readonly node?: number
  readonly what: string
  /** The number of the node that the event is about. */
  readonly about?: number
  readonly incarnation?: number
  readonly election?: string
  readonly epoch?: number
}

/** The number of last lines to keep. They explain a failure. */
const remembered = 4_096

/** Keeps the last events, and passes every event to `write`. */
export class Trace {
  readonly #last: TraceLine[] = []
  #next = 0

  constructor(truth: GroundTruth, write?: (line: TraceLine) => void) {
    const numbers = new Map<string, number>()
    const add = (line: TraceLine): void => {
      write?.(line)
      this.#last[this.#next++ % remembered] = line
    }
    truth.listen({
      started: ({ node, number }) => void numbers.set(node.id, number),
      changed: (what) => add({ time: truth.testbed.now, what }),
    })
    truth.testbed.subscribe((node, notification, time) => {
      const number = truth.actorOf(node)?.number
      const line = describe(notification, numbers)
      if (line !== undefined && number !== undefined) add({ time, node: number, ...line })
    })
  }

  /**
   * Returns the last lines about these nodes or about the scenario's actions, the latest at the
   * end.
   */
  last(count: number, nodes: readonly number[]): TraceLine[] {
    const start = Math.max(0, this.#next - remembered)
    const lines: TraceLine[] = []
    for (let i = this.#next - 1; i >= start && lines.length < count; i--) {
      const line = this.#last[i % remembered] as TraceLine
      if (line.node === undefined || nodes.includes(line.node) || (line.about !== undefined && nodes.includes(line.about))) lines.push(line)
    }
    return lines.reverse()
  }
}

/** Formats a line for people. */
export function writeLine({ time, node, what, about, incarnation, election, epoch }: TraceLine): string {
  const words = [`${(time / 1_000).toFixed(3)}s`]
  if (node !== undefined) words.push(`node ${node}:`)
  words.push(what)
  if (election !== undefined) words.push(election)
  if (about !== undefined) words.push(`node ${about}`)
  if (incarnation !== undefined && incarnation > 1) words.push(`(life ${incarnation})`)
  if (epoch !== undefined) words.push(`epoch ${epoch}`)
  return words.join(' ')
}

function describe(notification: Notification, numbers: ReadonlyMap<string, number>): Omit<TraceLine, 'time' | 'node'> | undefined {
  switch (notification.type) {
    case 'joined':
    case 'left':
    case 'died': {
      const { id, incarnation } = notification.member
      return { what: notification.type, about: numbers.get(id) ?? -1, incarnation }
    }
    case 'elected': {
      const { election, epoch, winner } = notification.reign
      return { what: 'elected', about: numbers.get(winner.id) ?? -1, incarnation: winner.incarnation, election, epoch }
    }
    case 'warning':
      return { what: `warning ${notification.code}` }
    case 'record':
      return { what: `record ${notification.record.name}`, about: numbers.get(notification.record.owner) ?? -1 }
    case 'updated':
    case 'entered':
    case 'signal':
    case 'event':
    case 'query':
    case 'signalled':
    case 'health':
      return undefined
  }
}
