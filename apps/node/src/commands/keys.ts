/** The command about the keys of a private pool. */
import { resolve } from 'node:path'
import type { PoolKeyInfo } from '@jel/jel'
import * as v from 'valibot'
import type { Agent } from '../agent/agent.ts'
import type { MemberKeysJson } from '../agent/events.ts'
import { listMembers } from '../agent/member-list.ts'
import { oneOf, text } from '../base/schema.ts'
import { counted, oneLine, span } from '../base/text.ts'
import { CommandError, UsageError } from '../base/usage-error.ts'
import { command } from './command.ts'
import { ASK_FLAGS, flag } from './flags.ts'

const CHANGES = ['install', 'use', 'remove'] as const

/** How long a command for all members names a member that died, ms. Guess. */
const RECENT = 3_600_000

interface KeysGiven {
  readonly what: 'list' | (typeof CHANGES)[number]
  readonly key?: string
  readonly all?: boolean
  readonly adminKey?: string
}

export const keys = command({
  about:
    'list the keys, or change them first; key is the text of a key file to install, or the id of an installed key; admin is the file of an administrator’s key: then all members list or change theirs',
  fields: { do: v.optional(oneOf(...CHANGES)), key: v.optional(text), admin: v.optional(text) },
  answer: 'keys',
  /** Returns the keys that are installed after the change. */
  async run({ do: change, key, admin }, { agent, signal }) {
    const { pool, log } = agent
    if (change !== undefined && key === undefined) throw new CommandError('INVALID_COMMAND', `keys: key: must say which key to ${change}`)
    if (change === undefined && key !== undefined) throw new CommandError('INVALID_COMMAND', 'keys: do: must say what to do with the key')
    const members = admin === undefined ? undefined : await changeAll(agent, { do: change ?? 'list', key }, admin, signal)
    if (members === undefined && change !== undefined && key !== undefined) await pool.keys[change](key)
    const list = await pool.keys.list()
    if (change !== undefined) log.info('KEYS', `a pool key: ${change}; there are ${list.map(keyText).join(', ')}`)
    return { keys: list, ...(members && { members }) }
  },
  shell: {
    asksAny: ({ all = false }: KeysGiven) => all,
    about: 'list the keys of a private pool that this node has, or change them: install on all nodes, use on all, remove on all',
    operands: [
      flag('[what]', 'to do', ['list', ...CHANGES], 'list'),
      flag('[key]', 'install: the file of the key; use and remove: its id, as the list has it'),
    ],
    flags: [
      ...ASK_FLAGS,
      flag(
        '--all',
        'at all members: those that were started with --admin and the id of the administrator’s key; status 1 if one is missing',
      ),
      flag('--admin-key <file>', 'with --all: the administrator’s key, as jel keygen --identity makes it'),
    ],
    /** Keys travel over the control socket. Nobody else can read it. */
    async line({ what, key, all = false, adminKey }: KeysGiven) {
      if (all !== (adminKey !== undefined))
        throw new UsageError(`keys: --all is done in the name of an administrator: give both --all and --admin-key`)
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
      if (members === undefined) return own.map(({ id, primary }) => (primary ? `${id} primary` : id))
      const present = members.filter(({ result }) => result !== 'died')
      const done = present.filter(({ result }) => result === 'done').length
      return [...members.map(memberLine), `${done} of ${counted(present.length, 'member')}`]
    },
    status: ({ members = [] }) => (members.every(({ result }) => result === 'done' || result === 'died') ? 0 : 1),
  },
})

/** Changes the keys of all members in the name of an administrator. */
async function changeAll(
  { pool, log, model }: Agent,
  step: { readonly do: 'list' | (typeof CHANGES)[number]; readonly key: string | undefined },
  adminFile: string,
  signal: AbortSignal,
): Promise<MemberKeysJson[]> {
  const [{ readOwner }, { changeAllKeys }] = await Promise.all([import('@jel/jel'), import('../orders/key-change.ts')])
  const admin = readOwner(adminFile)
  const results = await changeAllKeys(pool, step, admin, signal)
  const missing = results.filter(({ result }) => result !== 'done').length
  log.info('ORDERED', `${step.do} at ${counted(results.length, 'member')}, of which ${missing} are missing`, { by: admin.id })
  return [...results.map(({ member, ...rest }) => ({ node: member.id, location: member.location, ...rest })), ...recentlyDied(pool, model)]
}

/** Names members that may come back with the keys that they had. They are not missing. */
function recentlyDied(pool: Agent['pool'], model: Agent['model']): MemberKeysJson[] {
  const here = new Set(pool.members().map(({ id }) => id))
  const died = listMembers([], model, { state: 'died' }).filter(({ id, since }) => !here.has(id) && Date.now() - since < RECENT)
  // A member may have died several times. The latest death comes first.
  const latest = died.filter(({ id }, place) => died.findIndex((each) => each.id === id) === place)
  return latest.map(({ id, location, since }) => ({
    node: id,
    location,
    result: 'died',
    reason: `${span(Date.now() - since)} ago: it may come back with its old keys, so repeat the command then`,
  }))
}

function memberLine({ node, location, result, keys: installed = [], reason }: MemberKeysJson): string {
  const about = reason === undefined ? installed.map(keyText).join(', ') : oneLine(reason)
  return `${result.padEnd(9)} ${node} (${oneLine(location)}): ${about}`
}

function keyText({ id, primary }: PoolKeyInfo): string {
  return primary ? `${id} (primary)` : id
}
