/** The command about the keys of a private pool. */
import { resolve } from 'node:path'
import * as v from 'valibot'
import { oneOf, text } from '../base/schema.ts'
import { CommandError, UsageError } from '../base/usage-error.ts'
import { ALL_FLAGS, allStatus, allText, checkAll, keyText, orderAll, type AllGiven } from './all-members.ts'
import { command } from './command.ts'
import { ASK_FLAGS, flag } from './flags.ts'

const CHANGES = ['install', 'use', 'remove'] as const

interface KeysGiven extends AllGiven {
  readonly what: 'list' | (typeof CHANGES)[number]
  readonly key?: string
}

export const keys = command({
  about:
    'list the keys; do changes them first; key is the text of a key file to install, or the id of an installed key; admin is the file of an administrator’s key: then all members list or change theirs',
  fields: { do: v.optional(oneOf(...CHANGES)), key: v.optional(text), admin: v.optional(text) },
  answer: 'keys',
  /** Returns the keys that are installed after the change. */
  async run({ do: change, key, admin }, { agent, signal }) {
    const { pool, log } = agent
    if (change !== undefined && key === undefined) throw new CommandError('INVALID_COMMAND', `keys: key: must say which key to ${change}`)
    if (change === undefined && key !== undefined) throw new CommandError('INVALID_COMMAND', 'keys: do: must say what to do with the key')
    const members =
      admin === undefined
        ? undefined
        : await orderAll(agent, change ?? 'list', admin, async (by) => {
            const { changeAllKeys } = await import('../orders/key-change.ts')
            return await changeAllKeys(pool, { do: change ?? 'list', key }, by, signal)
          })
    if (members === undefined && change !== undefined && key !== undefined) await pool.keys[change](key)
    const list = await pool.keys.list()
    if (change !== undefined) log.info('KEYS', `a pool key: ${change}; there are ${list.map(keyText).join(', ')}`)
    return { keys: list, ...(members && { members }) }
  },
  shell: {
    asksAny: ({ all = false }: KeysGiven) => all,
    about: 'list this node’s keys of a private pool, or change them: first install on all nodes, then use on all, then remove on all',
    operands: [
      flag('[what]', 'the action', ['list', ...CHANGES], 'list'),
      flag('[key]', 'the file of the key; use and remove also take its id, as list shows it'),
    ],
    flags: [...ASK_FLAGS, ...ALL_FLAGS],
    /** Keys travel over the control socket. Nobody else can read it. */
    async line({ what, key, all, adminKey }: KeysGiven) {
      checkAll('keys', { all, adminKey })
      const admin = adminKey === undefined ? {} : { admin: resolve(adminKey) }
      if (what === 'list') {
        if (key !== undefined) throw new UsageError('keys list: takes no key')
        return { command: 'keys', ...admin }
      }
      if (key === undefined)
        throw new UsageError(`keys ${what}: name the file of the key${what === 'install' ? '' : ', or give its id as the list has it'}`)
      const isId = what !== 'install' && /^[0-9a-f]{16}$/u.test(key)
      const { readPoolKey } = await import('@jel/jel')
      return { command: 'keys', do: what, key: isId ? key : readPoolKey(key).toString(), ...admin }
    },
    text({ keys: own, members }) {
      return members === undefined ? own.map(({ id, primary }) => (primary ? `${id} primary` : id)) : allText(members)
    },
    status: allStatus,
  },
})
