import { readFileSync } from 'node:fs'
import type { Command, Option } from 'commander'
import { messageOf, UsageError } from './base/usage-error.ts'

/**
 * Applies the flags of a command's `--config` file, unless the command line sets them. Throws a
 * UsageError that names the key.
 */
export function applyConfig(command: Command): void {
  const { config: path } = command.opts<{ config?: string }>()
  if (path === undefined) return
  for (const [key, value] of Object.entries(read(path))) {
    const options = command.options.filter((option) => option.attributeName() !== 'config' && isKey(key, option))
    const [first] = options
    if (first === undefined) throw new UsageError(`${path}: unknown key ${JSON.stringify(key)}; known are ${keysOf(command).join(', ')}`)
    const name = first.attributeName()
    if (command.getOptionValueSource(name) === 'cli') continue
    try {
      command.setOptionValueWithSource(name, valueOf(value, options), 'config')
    } catch (error) {
      throw new UsageError(`${path}: ${key}: ${messageOf(error)}`, { cause: error })
    }
  }
}

/** Accepts `keyFile` and `key-file`. */
function isKey(key: string, option: Option): boolean {
  return key === option.attributeName() || key === option.name()
}

function keysOf(command: Command): string[] {
  return [...new Set(command.options.map((option) => option.attributeName()))].filter((name) => name !== 'config')
}

function read(path: string): object {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new UsageError(`the configuration can't be read: ${path}: ${messageOf(error)}`, { cause: error })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new UsageError(`${path}: must be a JSON object`)
  return value
}

/**
 * Parses the value of a flag as if its texts stood on the command line. `options` are the flag and,
 * if there is one, the flag that turns it off.
 */
function valueOf(value: unknown, options: readonly Option[]): unknown {
  const flag = options.find(({ negate }) => !negate)
  if (value === false && options.some(({ negate }) => negate)) return false
  if (flag?.required !== true) {
    if (typeof value !== 'boolean') throw new Error('must be true or false')
    return value
  }
  let parsed: unknown = flag.defaultValue
  for (const text of textsOf(value, flag)) parsed = flag.parseArg === undefined ? text : flag.parseArg(text, parsed)
  return parsed
}

/** Returns the texts that would follow each `--flag`. */
function textsOf(value: unknown, flag: Option): string[] {
  if (Array.isArray(value)) return value.flatMap((each: unknown) => textsOf(each, flag))
  // A flag of the form NAME=VALUE may be an object.
  if (typeof value === 'object' && value !== null && flag.flags.includes('=')) {
    return Object.entries(value).flatMap(([name, each]) => textsOf(each, flag).map((text) => `${name}=${text}`))
  }
  if (typeof value === 'string' || typeof value === 'number') return [String(value)]
  throw new Error(`must be text or a number${flag.flags.includes('=') ? ', or an object of them' : ''}, or a list of them`)
}
