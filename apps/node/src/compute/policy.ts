import { setTimeout as sleep } from 'node:timers/promises'
import { publishShares, sharesOf, type Shares } from '@jel/compute'
import { readOwner, type Pool } from '@jel/jel'
import { keepOf } from '../arguments.ts'
import { tableOf } from '../base/table.ts'
import { UsageError } from '../base/usage-error.ts'
import { ControlClient, namedNode, type NodeFlags } from '../control/client.ts'
import { jsonLine } from '../events/events.ts'
import type { PolicyEvent } from '../events/job-messages.ts'
import { enterPool, poolOptions, type PoolFlags } from '../pool-options.ts'
import { durationText } from '../events/quantity.ts'

export interface PolicyFlags extends PoolFlags, NodeFlags {
  readonly share?: readonly string[]
  readonly other?: string
  readonly halfLife?: string
  readonly override?: readonly string[]
  readonly compensation?: string
  readonly withdraw?: boolean
  readonly adminKey?: string
  /** ms */
  readonly keep?: number
  readonly json?: boolean
}

/**
 * The command waits for another member for at most `MEET`, ms. Then it waits for `HEAR`, so that
 * records can arrive or leave. Guesses, as for commands about jobs.
 */
const MEET = 10_000
const HEAR = 1000

/** Shows the shares of owners in a pool, or publishes them in the name of an administrator. */
export async function policy(pool: string, flags: PolicyFlags): Promise<number> {
  const shares = sharesIn(flags)
  const admin = flags.adminKey === undefined ? undefined : readOwner(flags.adminKey)
  await using entered = await enter(pool, flags)
  if (admin === undefined) {
    for (const line of flags.json === true ? linesOf(entered) : await tableFor(entered)) process.stdout.write(`${line}\n`)
    return 0
  }
  if (flags.withdraw === true) await entered.unpublish('jel.compute/shares', { owner: admin })
  else await publishShares(entered, shares as Shares, admin, flags.keep === undefined ? {} : { ttl: flags.keep })
  // Otherwise this member might leave before another one has the record.
  await sleep(HEAR)
  return 0
}

/** Returns the shares that the flags state; undefined: the command shows them. */
export function sharesIn(flags: PolicyFlags): Shares | undefined {
  const { share = [], other, halfLife, override = [], compensation, withdraw = false, adminKey } = flags
  const isChange = share.length > 0 || override.length > 0 || other !== undefined || halfLife !== undefined || compensation !== undefined
  if (isChange && withdraw) throw new UsageError('policy: --withdraw goes with no shares')
  if ((isChange || withdraw) !== (adminKey !== undefined))
    throw new UsageError(
      adminKey === undefined
        ? 'policy: --admin-key names the key of the administrator who sets shares'
        : 'policy: --admin-key goes with --share or --withdraw',
    )
  if (isChange && share.length === 0 && other === undefined) throw new UsageError('policy: give --share OWNER=SHARE, or --other SHARE')
  if (!isChange) return undefined
  return {
    shares: numbersOf('--share', share),
    ...(other !== undefined && { other: numberOf('--other', other) }),
    ...(halfLife !== undefined && { halfLife: timeOf(halfLife) }),
    ...(override.length > 0 && { override: numbersOf('--override', override) }),
    ...(compensation !== undefined && { compensation: numberOf('--compensation', compensation) }),
  }
}

/** Enters the pool through the node on this machine if there is one, and waits for its records. */
async function enter(name: string, flags: PolicyFlags): Promise<Pool> {
  const { bootstrap, listen, keyFile } = flags
  const isOwnMember = bootstrap.length > 0 || listen.length > 0 || keyFile.length > 0
  await using node = isOwnMember
    ? undefined
    : await (namedNode(flags) === undefined ? ControlClient.find(name, flags, 'any') : ControlClient.connect(name, flags))
  const status = await node?.ask({ command: 'status' })
  const addresses = status?.event === 'status' ? status.node.addresses : bootstrap
  const pool = await enterPool(name, poolOptions({ ...flags, bootstrap: addresses }))
  for (const end = performance.now() + MEET; performance.now() < end && pool.members().length < 2;) await sleep(50)
  if (pool.members().length > 1) {
    await sleep(HEAR)
    return pool
  }
  await pool.leave()
  throw new Error(`nobody else of the pool ${name} was found; on loopback give --bootstrap with an address that jel work prints`)
}

/** Returns the shares as lines of JSON, one for each administrator. */
export function linesOf(pool: Pick<Pool, 'name' | 'records'>): string[] {
  return sharesOf(pool).map((each) => jsonLine({ event: 'policy', ...each } satisfies PolicyEvent, pool.name))
}

async function tableFor(pool: Pool): Promise<string[]> {
  const policies = sharesOf(pool)
  if (policies.length === 0) return ['no administrator has set shares: the oldest job comes first']
  const lines: string[] = []
  for (const { admin, expires, shares, other = 0, halfLife, override = {}, compensation } of policies) {
    const facts = [
      `use counts ${halfLife === undefined ? 'for ever' : `half after ${durationText(halfLife)}`}`,
      ...(compensation === undefined ? [] : [`an owner that was away gets at most ${compensation} times its share`]),
      `expires in ${durationText(expires - Date.now())}`,
    ]
    lines.push(`shares by ${admin}: ${facts.join('; ')}`)
    const names = [...new Set([...Object.keys(shares), ...Object.keys(override)])]
    const rows = names.map((owner) => [owner, String(shares[owner] ?? other), String(override[owner] ?? '')])
    lines.push(...(await tableOf([['OWNER', 'SHARE', 'OVERRIDE'], ...rows, ['all others', String(other), '']])))
  }
  return lines
}

function numbersOf(flag: string, texts: readonly string[]): Record<string, number> {
  const numbers: Record<string, number> = {}
  for (const text of texts) {
    const [, owner, number] = /^(\w+)=(\d+(?:\.\d+)?)$/u.exec(text) ?? []
    if (owner === undefined)
      throw new UsageError(`policy: ${flag} must be OWNER=NUMBER, where OWNER is an id, or its last 8 characters or more`)
    numbers[owner] = Number(number)
  }
  return numbers
}

function numberOf(flag: string, text: string): number {
  if (!/^\d+(?:\.\d+)?$/u.test(text)) throw new UsageError(`policy: ${flag} must be a number, 0 or more`)
  return Number(text)
}

function timeOf(text: string): number {
  try {
    return keepOf(text)
  } catch (error) {
    throw new UsageError(`policy: --half-life: ${(error as Error).message}`)
  }
}
