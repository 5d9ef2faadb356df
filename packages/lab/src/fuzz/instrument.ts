/**
 * Counts executed code. It instruments the sources of the packages with Istanbul's counters when
 * Node loads them. All counters share one array of bytes, so that a comparison of runs is fast.
 *
 * Jazzer.js would do the same on libFuzzer. But its only release for ES modules contains a binary
 * that needs glibc 2.38, newer than that of Debian 12. Older releases need a toolchain that a fresh
 * machine does not have.
 */
import { readFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'
import { createInstrumenter } from 'istanbul-lib-instrument'

const variable = '__fuzz_coverage__'

/** Counters of Istanbul's code: statements, functions, and the paths of each branch. */
interface FileCounters {
  s: ArrayLike<number>
  f: ArrayLike<number>
  b: Record<string, ArrayLike<number>>
}

/** Space for the counters of all files. Measured: the sources use 5,000. */
const counters = new Uint8Array(32_768)
let used = 0

/** Instruments the matching modules that Node loads after this call. */
export function instrument(sources: RegExp): void {
  const instrumenter = createInstrumenter({ esModules: true, coverageVariable: variable, compact: true })
  registerHooks({
    load: (url, context, next) => {
      if (!url.startsWith('file:') || !sources.test(url)) return next(url, context)
      const file = fileURLToPath(url)
      const text = readFileSync(file, 'utf8')
      const code = instrumenter.instrumentSync(url.endsWith('.ts') ? stripTypeScriptTypes(text) : text, file)
      return { format: 'module', source: code, shortCircuit: true }
    },
  })
}

function counter(count: number): Uint8Array {
  const array = counters.subarray(used, used + count)
  if (array.length < count) throw new RangeError('there is no space for more counters')
  used += count
  return array
}

/**
 * Moves all counters into one array, and returns it. Call it once, after the load of all modules.
 */
export function takeCounters(): Uint8Array {
  const files = (globalThis as unknown as Record<string, Record<string, FileCounters>>)[variable] ?? {}
  for (const file of Object.values(files)) {
    file.s = counter(Object.keys(file.s).length)
    file.f = counter(Object.keys(file.f).length)
    for (const [branch, ways] of Object.entries(file.b)) file.b[branch] = counter(ways.length)
  }
  if (used === 0) throw new Error('nothing is instrumented')
  return counters.subarray(0, used)
}
