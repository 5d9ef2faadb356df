/** What a compartment has besides the language's own: plain functions and classes, none of which reaches the process. */
export function compartmentGlobals(): Record<string, unknown> {
  const timers = new Map<number, NodeJS.Timeout>()
  let lastTimer = 0
  const say = (): void => {}
  return {
    // Of the language, but not in every compartment: clock and chance (`random` of a task's context gives the same each time).
    Date,
    Math,
    // SES leaves them out, as the bits of a NaN can tell something. Numbers are what programs are for.
    Float32Array,
    Float64Array,
    console: { debug: say, error: say, info: say, log: say, warn: say },
    performance: { now: () => performance.now() },
    queueMicrotask: (task: () => void) => queueMicrotask(task),
    // A timer of Node's would lead to its classes: programs get numbers.
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
    // Its memory counts to what the process may take.
    WebAssembly,
  }
}

/** Of the language: what SES has in each compartment. */
const language = [
  'AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DataView Error EvalError Function Infinity Int16Array Int32Array Int8Array',
  'Iterator JSON Map NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String Symbol SyntaxError TypeError URIError Uint16Array',
  'Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakSet decodeURI decodeURIComponent encodeURI encodeURIComponent eval globalThis isFinite isNaN',
  'parseFloat parseInt undefined',
].flatMap((names) => names.split(' '))

/** The names that a program may use in a sandbox; `arguments` is no global, and counts as one where it is looked for. */
export const compartmentNames: ReadonlySet<string> = new Set([...language, ...Object.keys(compartmentGlobals()), 'arguments'])
