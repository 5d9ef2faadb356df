import { print } from '#platform/program-host'
import type { Timer } from '@jel/overlay'

/**
 * Returns the globals that a compartment has besides the language's own. They are plain functions
 * and classes. None gives access to the process.
 */
export function compartmentGlobals(): Record<string, unknown> {
  const timers = new Map<number, Timer>()
  let lastTimer = 0
  const out = (...values: readonly unknown[]): void => print('stdout', values)
  const err = (...values: readonly unknown[]): void => print('stderr', values)
  return {
    // Clock and random numbers belong to the language, but not every compartment has them.
    // (`random` of a task's context is repeatable.)
    Date,
    Math,
    // SES leaves these out, because the bits of a NaN can carry information. Programs need them for
    // numbers.
    Float32Array,
    Float64Array,
    console: { debug: out, error: err, info: out, log: out, warn: err },
    // Packages with random numbers read it, such as decimal.js. The real object would give access
    // to Node's classes.
    crypto: {
      getRandomValues: <Numbers extends Uint8Array<ArrayBuffer>>(numbers: Numbers) => crypto.getRandomValues(numbers),
      randomUUID: () => crypto.randomUUID(),
    },
    performance: { now: () => performance.now() },
    queueMicrotask: (task: () => void) => queueMicrotask(task),
    // A timer object of Node would give access to Node's classes, so programs get numbers.
    setTimeout: (task: () => void, delay?: number) => {
      const timer = ++lastTimer
      const run = (): void => {
        timers.delete(timer)
        task()
      }
      timers.set(timer, setTimeout(run, delay))
      return timer
    },
    clearTimeout: (timer: number) => {
      clearTimeout(timers.get(timer))
      timers.delete(timer)
    },
    atob: (text: string) => atob(text),
    btoa: (text: string) => btoa(text),
    TextEncoder,
    TextDecoder,
    // Its memory counts towards the limit of the process.
    WebAssembly,
  }
}

/** The globals of the language that SES has in each compartment. */
const language = [
  'AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DataView Error EvalError Function Infinity Int16Array Int32Array Int8Array',
  'Iterator JSON Map NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String Symbol SyntaxError TypeError URIError Uint16Array',
  'Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakSet decodeURI decodeURIComponent encodeURI encodeURIComponent eval globalThis isFinite isNaN',
  'parseFloat parseInt undefined',
].flatMap((names) => names.split(' '))

/**
 * The names that a program may use in a sandbox. `arguments` is no global, but the search for
 * globals reports it as one.
 */
export const compartmentNames: ReadonlySet<string> = new Set([...language, ...Object.keys(compartmentGlobals()), 'arguments'])
