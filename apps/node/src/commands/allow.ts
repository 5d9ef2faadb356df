/** The command about the nodes that may connect. */
import { resolve } from 'node:path'
import type { Pool, RecordOwner } from '@jel/jel'
import * as v from 'valibot'
import type { MemberResultJson } from '../events/events.ts'
import { counted } from '../events/quantity.ts'
import { oneOf, text } from '../base/schema.ts'
import { CommandError, UsageError } from '../base/usage-error.ts'
import type { OrderResult } from '../orders/order-giver.ts'
import { describeAllowList, type Task } from '../orders/order.ts'
import { ALL_FLAGS, allStatus, allText, checkAll, orderAll, type AllGiven } from './all-members.ts'
import { command } from './command.ts'
import { ASK_FLAGS, flag } from './flags.ts'

const CHANGES = ['add', 'remove'] as const

interface AllowGiven extends AllGiven {
  readonly what: 'list' | (typeof CHANGES)[number]
  readonly id?: string
}

export const allow = command({
  about:
    'list the nodes that may connect; do changes the list first; admin is the file of an administrator’s key: then all members list or change theirs',
  fields: { do: v.optional(oneOf(...CHANGES)), node: v.optional(text), admin: v.optional(text) },
  answer: 'allowed',
  /** Returns the list after the change. */
  async run({ do: change, node, admin }, { agent, signal }) {
    const { pool, log } = agent
    if ((change === undefined) !== (node === undefined)) throw new CommandError('INVALID_COMMAND', 'allow: a change needs both do and node')
    // The others would refuse this node before it has their answers.
    if (admin !== undefined && change === 'remove' && node === pool.self.id)
      throw new CommandError('INVALID_COMMAND', 'allow: remove this node by an order at another node')
    const changeOwn = async (): Promise<void> => {
      if (change !== undefined && node !== undefined) await pool.allowList[change](node)
    }
    let members: MemberResultJson[] | undefined
    if (admin === undefined) await changeOwn()
    else {
      // The key of the administrator is read first.
      members = await orderAll(agent, `${change ?? 'list'} in allow lists`, admin, async (by) => {
        await changeOwn()
        return await changeOthers(pool, taskOf(change, node), by, signal)
      })
    }
    const nodes = (await pool.allowList.list()) ?? null
    if (change !== undefined) log.info('ALLOW', `${change} ${node}: ${counted(nodes?.length ?? 0, 'node')} may connect`)
    return { nodes, fingerprint: nodes && describeAllowList(nodes).fingerprint, ...(members && { members }) }
  },
  shell: {
    asksAny: ({ all = false }: AllowGiven) => all,
    about: 'list the nodes that may connect to this node (--allow), or add or remove one while the node runs',
    operands: [flag('[what]', 'the action', ['list', ...CHANGES], 'list'), flag('[id]', 'the id of the node to add or to remove')],
    flags: [...ASK_FLAGS, ...ALL_FLAGS],
    line({ what, id, all, adminKey }: AllowGiven) {
      checkAll('allow', { all, adminKey })
      if ((what === 'list') !== (id === undefined))
        throw new UsageError(`allow ${what}: ${id === undefined ? 'name the id of the node' : 'takes no id'}`)
      return {
        command: 'allow',
        ...(what !== 'list' && { do: what, node: id }),
        ...(adminKey !== undefined && { admin: resolve(adminKey) }),
      }
    },
    text({ nodes, members }) {
      if (members !== undefined) return allText(members)
      return nodes === null ? ['every node may connect: this node has no allow list'] : [...nodes]
    },
    status: allStatus,
  },
})

/** Returns a result for each member, this node first. */
async function changeOthers(pool: Pool, task: Task, admin: RecordOwner, signal: AbortSignal): Promise<readonly OrderResult[]> {
  const { OrderGiver } = await import('../orders/order-giver.ts')
  const list = await pool.allowList.list()
  const own: OrderResult =
    list === undefined
      ? { member: pool.self, result: 'refused', reason: 'it has no allow list' }
      : { member: pool.self, result: 'done', allowed: describeAllowList(list) }
  // A removed node can't be reached from here any more.
  const others = pool.members().filter(({ id }) => id !== pool.self.id && !(task.do === 'disallow' && id === task.node))
  return [own, ...(await new OrderGiver(pool, admin, signal).giveAll(others, task))]
}

function taskOf(change: (typeof CHANGES)[number] | undefined, node = ''): Task {
  if (change === undefined) return { do: 'allowList' }
  return { do: change === 'add' ? 'allow' : 'disallow', node }
}
