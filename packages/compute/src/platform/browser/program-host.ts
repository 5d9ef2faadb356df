/** The worker of a program in a page. */
import type { OutputStream } from '../../program/messages.ts'

/** The object for which the present code runs. A browser does not follow it past an `await`. */
export class Owners {
  #owner: object | undefined

  getStore(): object | undefined {
    return this.#owner
  }

  run<Result>(owner: object, action: () => Result): Result {
    const before = this.#owner
    this.#owner = owner
    try {
      return action()
    } finally {
      this.#owner = before
    }
  }
}

/** Calls `handle` for each error that nobody caught. The worker goes on. */
export function onStray(handle: (error: unknown) => void): void {
  addEventListener('error', (event) => {
    event.preventDefault()
    handle(event.error)
  })
  addEventListener('unhandledrejection', (event) => {
    event.preventDefault()
    handle(event.reason)
  })
}

/** Resolves when all code that was ready to run has run. A message of a channel is a task. */
export async function idle(): Promise<void> {
  const { port1, port2 } = new MessageChannel()
  await new Promise<void>((resolve) => {
    port1.onmessage = () => resolve()
    port2.postMessage(undefined)
  })
  port1.close()
}

/** Maximum characters of a value, and maximum elements and fields of a level. Guesses. */
const [MAX_TEXT, MAX_ITEMS, MAX_DEPTH] = [100, 6, 3]

/** Describes a value in one line. */
export function describe(value: unknown): string {
  return shown(value, MAX_DEPTH)
}

let take: (stream: OutputStream, text: string) => void = () => {}

export function captureOutput(taken: typeof take): void {
  take = taken
}

export function print(stream: OutputStream, values: readonly unknown[]): void {
  const text = values.map((value) => (typeof value === 'string' ? value : shown(value, MAX_DEPTH))).join(' ')
  take(stream, `${text}\n`)
}

function shown(value: unknown, depth: number): string {
  if (typeof value === 'string') return JSON.stringify(value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value)
  if (typeof value === 'bigint') return `${value}n`
  if (value instanceof Error) return String(value)
  if (typeof value === 'function') return '[Function]'
  if (typeof value !== 'object' || value === null) return String(value)
  if (depth === 0) return Array.isArray(value) ? '[Array]' : '[Object]'
  const isList = Array.isArray(value) || ArrayBuffer.isView(value)
  const items: [string, unknown][] =
    value instanceof Map ? [...value].map(([key, each]) => [String(key), each]) : Object.entries(value).slice(0, MAX_ITEMS)
  const texts = items.slice(0, MAX_ITEMS).map(([name, each]) => (isList ? shown(each, depth - 1) : `${name}: ${shown(each, depth - 1)}`))
  const count = isList ? ((value as { readonly length?: number }).length ?? 0) : items.length
  if (count > texts.length) texts.push('…')
  return isList ? `[ ${texts.join(', ')} ]` : `{ ${texts.join(', ')} }`
}
