/**
 * Counts executed code. It instruments the sources of the packages as they are loaded, with
 * Istanbul's counters. All counters share one array of bytes, so that runs are quick to compare.
 *
 * Jazzer.js would do all of this on libFuzzer. But its one release for ES modules brings a binary
 * that needs glibc 2.38, newer than that of Debian 12, and older releases need a toolchain that a
 * fresh machine does not have.
 */
import { readFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'
import { createInstrumenter } from 'istanbul-lib-instrument'

const variable = '__fuzz_coverage__'

/** Counters of Istanbul's code: statements, functions, and the ways out of each branch. */
interface FileCounters {
  s: ArrayLike<number>
  f: ArrayLike<number>
  b: Record<string, ArrayLike<number>>
}

/** Room for the counters of all files. Measured: 5,000 are used. */
const counters = new Uint8Array(32_768)
let used = 0

/**
 * Instruments modules of these packages that are loaded later. Modules that are loaded already are
 * not instrumented.
 */
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
  if (array.length < count) throw new RangeError('more counters than there is room for')
  used += count
  return array
}

/**
 * Makes the instrumented code count in one array, and returns it. Call it once, when everything is
 * loaded.
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
