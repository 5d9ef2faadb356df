import { createWriteStream, openSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { Output } from '../base/output.ts'
import { messageOf } from '../base/usage-error.ts'
import { Log, SILENT, type Format, type Level } from './log.ts'

/**
 * Maximum number of bytes that may wait for the reader of the log. A guess: a burst of some ten
 * thousand lines.
 */
const BACKLOG_LIMIT = 4 * 1024 * 1024

/** The flags of the log. */
export interface LogFlags {
  /** Default: `info` if one of the other flags is given, otherwise `silent`. */
  readonly log?: Level | 'silent'
  /** Default: `text`. */
  readonly logFormat?: Format
  /** Default: standard error. */
  readonly logFile?: string
}

/** A log that can be closed. */
export interface OpenLog extends AsyncDisposable {
  readonly log: Log
}

/**
 * Opens the requested log. `onLost` is called once, when lines can't be written any more. Throws if
 * the file can't be opened.
 */
export function openLog(pool: string, flags: LogFlags, onLost: (reason: string) => void): OpenLog {
  const level = levelOf(flags)
  if (level === 'silent') return { log: SILENT, [Symbol.asyncDispose]: async () => {} }
  const { logFile, logFormat: format = 'text' } = flags
  const stream = logFile === undefined ? process.stderr : openFile(logFile)
  const output = new Output(
    stream,
    (reason) =>
      onLost(reason === 'behind' ? 'the log is not taken as fast as it comes: no more is written' : 'the log can’t be written any more'),
    BACKLOG_LIMIT,
  )
  return {
    log: new Log({ level, format, pool, write: (line) => output.line(line) }),
    [Symbol.asyncDispose]: async () => {
      if (logFile === undefined) return
      stream.end()
      // An error of the stream was already reported.
      await finished(stream).catch(() => {})
    },
  }
}

/** Returns whether log lines go to the terminal of a person. */
export function logsToTerminal(flags: LogFlags): boolean {
  return levelOf(flags) !== 'silent' && flags.logFile === undefined && process.stderr.isTTY
}

function levelOf({ log, logFormat, logFile }: LogFlags): Level | 'silent' {
  return log ?? (logFormat === undefined && logFile === undefined ? 'silent' : 'info')
}

function openFile(path: string): Writable {
  try {
    return createWriteStream(path, { fd: openSync(path, 'a', 0o640) })
  } catch (error) {
    throw new Error(`the log file can't be opened: ${messageOf(error)}`, { cause: error })
  }
}
