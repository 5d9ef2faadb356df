import { jsonText, oneLine } from '../base/text.ts'

/** The importance of a line: `debug` only helps to find faults, `error` must be seen. */
export type Level = 'debug' | 'info' | 'warn' | 'error'
/** `silent`: no lines at all. */
export const LEVELS: readonly (Level | 'silent')[] = ['debug', 'info', 'warn', 'error', 'silent']

export const FORMATS = ['text', 'json'] as const
export type Format = (typeof FORMATS)[number]

/** The fields of a line besides its message. */
export type Fields = Readonly<Record<string, string | number | boolean | readonly string[]>>

export interface LogOptions {
  /** The lowest level that is written. */
  readonly level: Level | 'silent'
  readonly format: Format
  /** The pool of all lines. */
  readonly pool: string
  /** Takes each line, without a line break. */
  readonly write: (line: string) => void
}

/** The log of a node, for its operator. Codes are stable; messages are for people. */
export class Log {
  readonly #options: LogOptions

  constructor(options: LogOptions) {
    this.#options = options
  }

  debug(code: string, message: string, fields?: Fields): void {
    this.add('debug', code, message, fields)
  }

  info(code: string, message: string, fields?: Fields): void {
    this.add('info', code, message, fields)
  }

  warn(code: string, message: string, fields?: Fields): void {
    this.add('warn', code, message, fields)
  }

  error(code: string, message: string, fields?: Fields): void {
    this.add('error', code, message, fields)
  }

  add(level: Level, code: string, message: string, fields: Fields = {}): void {
    const { format, pool, write } = this.#options
    if (LEVELS.indexOf(level) < LEVELS.indexOf(this.#options.level)) return
    const time = new Date().toISOString()
    if (format === 'json') write(jsonText({ time, level, code, message, pool, ...fields }))
    else
      write(
        [time, level.padEnd(5), code, oneLine(message), ...Object.entries(fields).map(([name, value]) => `${name}=${wordOf(value)}`)].join(
          ' ',
        ),
      )
  }
}

/** The log of a node that writes none. */
export const SILENT = new Log({ level: 'silent', format: 'text', pool: '', write: () => {} })

/** Formats a value so that its end is clear: in quotes if needed. */
function wordOf(value: Fields[string]): string {
  const text = oneLine(typeof value === 'object' ? value.join(',') : String(value))
  return /^[^\s"=]+$/u.test(text) ? text : JSON.stringify(text)
}
