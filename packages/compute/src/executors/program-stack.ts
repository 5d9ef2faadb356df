import { SourceMap } from 'node:module'

/**
 * Names of sources that begin with this text belong to the library, not to the author of the
 * program.
 */
export const LIBRARY = 'jel:'

const INLINE_MAP = /\n\/\/# sourceMappingURL=data:application\/json;base64,([\w+/=]+)\s*$/u
const FRAME = /^\s+at /u
/**
 * The engine's names for a function without a name of its own: a task's function, or evaluated
 * code.
 */
const UNNAMED = /^(?:async )?(?:Object\.)?(?:eval|run|<anonymous>)(?: \[as run\])?$/u

/** Returns a module's text with its source map appended, in the form that `ProgramStack` reads. */
export function withMap(code: string, map: object): string {
  return `${code.trimEnd()}\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}\n`
}

/**
 * Rewrites stacks of a program for its author. Keeps only frames of the program, with the original
 * files and lines.
 */
export class ProgramStack {
  readonly #origin: string
  readonly #source: () => string
  #map: SourceMap | undefined

  /**
   * @param origin the text before line and column in frames of the module
   * @param source returns the module's text; called at the first error
   */
  constructor(origin: string, source: () => string) {
    this.#origin = origin
    this.#source = source
  }

  of(stack: string): string {
    const lines = stack.split('\n')
    const first = lines.findIndex((line) => FRAME.test(line))
    if (first === -1) return stack
    return [...lines.slice(0, first), ...lines.slice(first).flatMap((line) => this.#frame(line))].join('\n')
  }

  #frame(line: string): string[] {
    const at = line.lastIndexOf(`${this.#origin}:`)
    if (at === -1) return []
    const [, row, column] = /^(\d+):(\d+)\)?$/u.exec(line.slice(at + this.#origin.length + 1)) ?? []
    if (row === undefined || column === undefined) return []
    const place = this.#place(Number(row), Number(column))
    if (place === undefined) return []
    const [, name] = /^\s+at (.+?) \(/u.exec(line) ?? []
    return [name === undefined || UNNAMED.test(name) ? `    at ${place}` : `    at ${name} (${place})`]
  }

  #place(row: number, column: number): string | undefined {
    this.#map ??= mapOf(this.#source())
    const entry = this.#map.findEntry(row - 1, column - 1)
    // If the author bundled the module, it has no map of this library.
    if (this.#map.payload.sources.length === 0) return `program:${row}:${column}`
    if (!('originalSource' in entry) || entry.originalSource.startsWith(LIBRARY)) return undefined
    return `${entry.originalSource}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
  }
}

function mapOf(source: string): SourceMap {
  const [, encoded] = INLINE_MAP.exec(source) ?? []
  try {
    if (encoded !== undefined) return new SourceMap(JSON.parse(Buffer.from(encoded, 'base64').toString()) as SourceMap['payload'])
  } catch {
    // The map is damaged, or another tool made it.
  }
  return new SourceMap({ file: '', version: 3, sources: [], sourcesContent: [], names: [], mappings: '', sourceRoot: '' })
}
