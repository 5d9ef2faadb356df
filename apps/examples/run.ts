/**
 * Runs a program on this machine, without a pool, and prints its result as `jel submit` does:
 *
 *     npx -y pnpm@12 example queens queens 12
 *     npx -y pnpm@12 example qap qap --blob data=apps/examples/data/nug12.dat
 */
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { computeLocal } from '@jel/compute'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { blob: { type: 'string', multiple: true, default: [] } } })
const [name = '', fn = '', input] = positionals
const program = join(import.meta.dirname, 'src', `${name}.ts`)
if (!existsSync(program) || fn === '') throw new Error('pnpm example NAME FUNCTION [INPUT as JSON] [--blob FIELD=FILE]')

await using grid = computeLocal({ workers: availableParallelism() })
let value: unknown = input === undefined ? undefined : JSON.parse(input)
for (const each of values.blob) {
  const [field = '', file = ''] = each.split(/=(.*)/su)
  value = { ...(value as object | undefined), [field]: await grid.blob(file) }
}
const job = await grid.submit(program, fn, value)
process.stdout.write(`${JSON.stringify(await job.result, (_, each: unknown) => plain(each))}\n`)

function plain(each: unknown): unknown {
  if (typeof each === 'bigint') return String(each)
  return each instanceof Uint8Array ? Buffer.from(each).toString('base64') : each
}
