import { readFileSync } from 'node:fs'
import { joinPool, readPoolKey, type Pool, type PoolOptions } from '@jel/jel'
import { messageOf, UsageError } from './base/usage-error.ts'
import { ledgerOptions, needsLedger, type LedgerFlags } from './ledger-options.ts'

/** The flags by which a command enters a pool. */
export interface PoolFlags extends LedgerFlags {
  readonly bootstrap: readonly string[]
  readonly listen: readonly string[]
  readonly announce?: readonly string[]
  readonly allow?: readonly string[]
  readonly allowFile?: string
  readonly portMapping?: boolean
  readonly location?: string
  readonly tag?: string
  /** The files of keys, the primary key first. */
  readonly keyFile: readonly string[]
  readonly identity?: string
  readonly found?: boolean
  readonly require?: number
  /** Milliseconds. */
  readonly timeout?: number
}

export function poolOptions(flags: PoolFlags): PoolOptions {
  const options: PoolOptions = ledgerOptions(flags)
  if (flags.timeout !== undefined && flags.require === undefined && !needsLedger(flags))
    throw new UsageError('--timeout says how long --require, or the ledger of --joins reliable or --elections uniform, may take: give both')
  if (flags.require !== undefined) options.requireMembers = flags.require
  if (flags.timeout !== undefined) options.timeout = flags.timeout
  if (flags.poolSize !== undefined) options.poolSize = flags.poolSize
  if (flags.found !== undefined) options.found = flags.found
  if (flags.bootstrap.length > 0) options.bootstrap = flags.bootstrap
  if (flags.listen.length > 0) options.listen = flags.listen
  const { announce = [], allow = [], allowFile } = flags
  if (announce.length > 0) options.announce = announce
  if (flags.portMapping !== undefined) options.portMapping = flags.portMapping
  if (allow.length > 0 || allowFile !== undefined) options.allow = [...allow, ...(allowFile === undefined ? [] : readIds(allowFile))]
  if (flags.location !== undefined) options.location = flags.location
  if (flags.tag !== undefined) options.tag = new TextEncoder().encode(flags.tag)
  if (flags.identity !== undefined) options.identityFile = flags.identity
  if (flags.keyFile.length > 0) options.key = flags.keyFile.map(readPoolKey)
  return options
}

/**
 * Enters a pool.
 *
 * @throws UsageError that names the flag, if the founders or the number of voters are not valid
 */
export async function enterPool(name: string, options: PoolOptions): Promise<Pool> {
  try {
    return await joinPool(name, options)
  } catch (error) {
    const [, flag, problem] = /^ledger: (founders|voters): (.*)$/su.exec(messageOf(error)) ?? []
    throw flag === undefined ? error : new UsageError(`--${flag}: ${problem}`, { cause: error })
  }
}

/** Reads one id a line; `#` begins a comment. */
function readIds(file: string): string[] {
  try {
    const lines = readFileSync(file, 'utf8').split('\n')
    return lines.map((line) => line.replace(/#.*/u, '').trim()).filter((line) => line !== '')
  } catch (error) {
    throw new Error(`can't read ${file}: ${messageOf(error)}`, { cause: error })
  }
}
