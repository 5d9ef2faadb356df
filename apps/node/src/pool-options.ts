import { readPoolKey, type PoolOptions } from '@jel/jel'
import { UsageError } from './base/usage-error.ts'

/** The flags by which a command enters a pool. */
export interface PoolFlags {
  readonly bootstrap: readonly string[]
  readonly listen: readonly string[]
  readonly location?: string
  readonly tag?: string
  readonly keyFile?: string
  readonly identity?: string
  readonly found?: boolean
  readonly require?: number
  /** Milliseconds. */
  readonly timeout?: number
}

export function poolOptions(flags: PoolFlags): PoolOptions {
  const options: PoolOptions = {}
  if (flags.timeout !== undefined && flags.require === undefined)
    throw new UsageError('--timeout says how long --require may take: give both')
  if (flags.require !== undefined) options.requireMembers = flags.require
  if (flags.timeout !== undefined) options.timeout = flags.timeout
  if (flags.found !== undefined) options.found = flags.found
  if (flags.bootstrap.length > 0) options.bootstrap = flags.bootstrap
  if (flags.listen.length > 0) options.listen = flags.listen
  if (flags.location !== undefined) options.location = flags.location
  if (flags.tag !== undefined) options.tag = new TextEncoder().encode(flags.tag)
  if (flags.identity !== undefined) options.identityFile = flags.identity
  if (flags.keyFile !== undefined) options.key = readPoolKey(flags.keyFile)
  return options
}
