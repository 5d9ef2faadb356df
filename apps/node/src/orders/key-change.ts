import { poolKeyId, type Pool, type PoolKeyInfo, type RecordOwner } from '@jel/jel'
import { OrderGiver, type OrderResult } from './order-giver.ts'
import { isKeyId, type Task } from './order.ts'

/** Maximum number of members that an error names. */
const NAMED = 20

/**
 * A step of a key change can't begin: the step before is incomplete at some members. Nothing was
 * changed.
 */
class StepTooEarlyError extends Error {
  readonly code = 'STEP_TOO_EARLY'
}

/**
 * Changes the keys of all members, or lists them. Returns a result for each member, this node
 * first. A repeated step mends the members that did not answer.
 *
 * @param key the text of the key to install, or the text or the fingerprint of an installed key
 * @throws StepTooEarlyError before `use` if a member lacks the key, and before `remove` if a member
 *   still uses it, or if that is unknown; PoolKeysError, PoolKeyError, and the reason of `signal`
 */
export async function changeAllKeys(
  pool: Pool,
  { do: what, key = '' }: { readonly do: 'list' | 'install' | 'use' | 'remove'; readonly key?: string | undefined },
  admin: RecordOwner,
  signal: AbortSignal,
): Promise<readonly OrderResult[]> {
  const giver = new OrderGiver(pool, admin, signal)
  const others = pool.members().filter(({ id }) => id !== pool.self.id)
  const all = async (task: Task): Promise<OrderResult[]> => {
    const results = await giver.giveAll(others, task)
    return [{ member: pool.self, result: 'done', keys: await pool.keys.list() }, ...results]
  }
  if (what === 'list') return await all({ do: 'list' })
  if (what === 'install') {
    // This node checks the key before others get it.
    await pool.keys.install(key)
    return await all({ do: 'install', key })
  }
  const id = isKeyId(key) ? key : poolKeyId(key)
  const has = async (): Promise<boolean> => (await pool.keys.list()).some((each) => each.id === id)
  // Throws if this node lacks the key: then the step is the wrong one.
  if (what === 'use' && !(await has())) await pool.keys.use(id)
  checkStep(what, id, await all({ do: 'list' }))
  if (what === 'use') await pool.keys.use(id)
  const results = await all({ do: what, key: id })
  if (what === 'use' || !(await has())) return results
  // A removal ends connections of this node, so the orders come first.
  await pool.keys.remove(id)
  return [{ member: pool.self, result: 'done', keys: await pool.keys.list() }, ...results.slice(1)]
}

function checkStep(what: 'use' | 'remove', id: string, listed: readonly OrderResult[]): void {
  const problems = listed.flatMap((each) => {
    const problem = problemOf(what, id, each)
    return problem === undefined ? [] : [`${each.member.id} (${each.member.location}): ${problem}`]
  })
  const more = problems.length > NAMED ? [`and ${problems.length - NAMED} more`] : []
  if (problems.length > 0)
    throw new StepTooEarlyError(
      `${what} ${id}: nothing was changed, since some members are not ready: ${[...problems.slice(0, NAMED), ...more].join('; ')}`,
    )
  const isKnown = listed.some((each) => keysOf(each).some((key) => key.id === id))
  if (!isKnown) throw new StepTooEarlyError(`${what} ${id}: no member has this key`)
}

/** Returns why a member is not ready for a step. */
function problemOf(what: 'use' | 'remove', id: string, listed: OrderResult): string | undefined {
  if (listed.result !== 'done') return `${listed.result}: ${listed.reason}`
  const key = keysOf(listed).find((each) => each.id === id)
  if (what === 'use') return key === undefined ? 'it lacks the key' : undefined
  return key?.primary === true ? 'it still uses the key' : undefined
}

function keysOf(result: OrderResult): readonly PoolKeyInfo[] {
  return 'keys' in result ? result.keys : []
}
