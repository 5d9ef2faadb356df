/**
 * Programs that try to reach things that a sandbox must keep out. Each returns what it reached.
 * `nothing` is the right answer.
 */
import { task } from '@jel/compute/program'

const attempt = (get: () => unknown): string => {
  try {
    const got = get()
    return got === undefined ? 'nothing' : `got ${typeof got} ${String(got).slice(0, 80)}`
  } catch (error) {
    return `refused: ${(error as Error).message.slice(0, 120)}`
  }
}

type Evaluator = (code: string) => () => unknown

/** Code that returns what it can see of the process. */
const escapes = 'typeof process !== "undefined" ? process.version : typeof require !== "undefined" ? "require" : undefined'

export const sees = task((_: unknown, context) => {
  const constructorsOf = (value: object): Evaluator => Object.getPrototypeOf(value).constructor as Evaluator
  const shared = globalThis as Record<string, unknown>
  return {
    process: attempt(() => shared['process']),
    require: attempt(() => shared['require']),
    fetch: attempt(() => shared['fetch']),
    buffer: attempt(() => shared['Buffer']),
    evaluated: attempt(() => (0, eval)(escapes)),
    imported: attempt(() => (0, eval)(['imp', 'ort("node:fs")'].join(''))),
    functions: attempt(() => constructorsOf(() => {})(`return ${escapes}`)()),
    asyncFunctions: attempt(() => constructorsOf(async () => {})(`return ${escapes}`)()),
    generators: attempt(() => constructorsOf(function* () {})(`return ${escapes}`)()),
    context: attempt(() => (context.run.constructor as Evaluator)(`return ${escapes}`)()),
    use: attempt(() => (context.use.constructor as Evaluator)(`return ${escapes}`)()),
    timers: attempt(() => (setTimeout.constructor as Evaluator)(`return ${escapes}`)()),
    random: attempt(() => (crypto.getRandomValues.constructor as Evaluator)(`return ${escapes}`)()),
    encoder: attempt(() => (TextEncoder.constructor as Evaluator)(`return ${escapes}`)()),
    date: attempt(() => (Date.constructor as Evaluator)(`return ${escapes}`)()),
    assembly: attempt(() => (WebAssembly.Module.constructor as Evaluator)(`return ${escapes}`)()),
    failure: attempt(() => {
      try {
        void context.run({ kind: 'task' } as never, 1)
      } catch (error) {
        return ((error as Error).constructor.constructor as Evaluator)(`return ${escapes}`)()
      }
      return undefined
    }),
  }
})

const poisoned = (target: object, name: string): string =>
  attempt(() => {
    const before = (target as Record<string, unknown>)[name]
    ;(target as Record<string, unknown>)[name] = () => 'poisoned'
    return (target as Record<string, unknown>)[name] === before ? undefined : 'changed'
  })

/** Tries to change objects that all programs and the sandbox's own code share. */
export const changes = task((_: unknown, context) => ({
  objects: poisoned(Object.prototype, 'toString'),
  arrays: poisoned(Array.prototype, 'push'),
  maps: poisoned(Map.prototype, 'get'),
  errors: poisoned(RangeError.prototype, 'constructor'),
  promises: poisoned(Promise.prototype, 'then'),
  functions: poisoned(Function.prototype, 'call'),
  hostErrors: attempt(() => {
    try {
      return atob('%')
    } catch (error) {
      return poisoned(Object.getPrototypeOf(error) as object, 'toString').startsWith('got') ? 'changed' : undefined
    }
  }),
  encoders: poisoned(TextEncoder.prototype, 'encode'),
  dates: poisoned(Date.prototype, 'getTime'),
  memories: poisoned(WebAssembly.Memory.prototype, 'grow'),
  json: poisoned(JSON, 'parse'),
  stacks: attempt(() => {
    ;(Error as { prepareStackTrace?: unknown }).prepareStackTrace = (_: unknown, sites: { getThis: () => unknown }[]) =>
      sites.map((site) => site.getThis()).find((each) => each !== undefined)
    const { stack } = new Error('where')
    return typeof stack === 'string' || stack === undefined ? undefined : stack
  }),
  path: context.path,
}))

export const loops = task(() => {
  for (;;);
})

export const loopsLater = task(async () => {
  await null
  for (;;);
})

export const hoardsHeap = task(() => {
  const hoard: number[][] = []
  for (;;) hoard.push(Array.from<number>({ length: 1_000_000 }).fill(0.5))
})

export const hoardsBuffers = task(() => {
  const hoard: Uint8Array[] = []
  for (;;) hoard.push(new Uint8Array(1e7).fill(1))
})

export const hoardsAssembly = task(() => {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 65_536 })
  for (;;) {
    memory.grow(160)
    new Uint8Array(memory.buffer).fill(1, memory.buffer.byteLength - 160 * 65_536)
  }
})

export const spawnsWithoutEnd = task((_: unknown, { run }) => {
  for (let number = 0; ; number++) void run(loops, number)
})

export const names = task(() => Object.getOwnPropertyNames(globalThis))

export const lies = task(() => ({
  get then(): unknown {
    for (;;);
  },
}))

export const deep = task(() => {
  const go = (): number => 1 + go()
  return go()
})

export const answers = task((n: number) => n * 2)

export const random = task(() => ({
  isChanged: crypto.getRandomValues(new Uint32Array(64)).some((number) => number !== 0),
  id: crypto.randomUUID(),
  names: Object.keys(crypto),
}))
