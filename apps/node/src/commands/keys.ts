/** The command about the keys of a private pool. */
import * as v from 'valibot'
import { oneOf, text } from '../base/schema.ts'
import { CommandError, UsageError } from '../base/usage-error.ts'
import { command } from './command.ts'
import { flag } from './flags.ts'

const CHANGES = ['install', 'use', 'remove'] as const

interface KeysGiven {
  readonly what: 'list' | (typeof CHANGES)[number]
  readonly key?: string
}

export const keys = command({
  about: 'list the keys, or change them first; key is the text of a key file to install, or the id of an installed key',
  fields: { do: v.optional(oneOf(...CHANGES)), key: v.optional(text) },
  answer: 'keys',
  /** Returns the keys that are installed after the change. */
  async run({ do: change, key }, { agent: { pool, log } }) {
    if (change !== undefined) {
      if (key === undefined) throw new CommandError('INVALID_COMMAND', `keys: key: must say which key to ${change}`)
      await pool.keys[change](key)
      const ids = (await pool.keys.list()).map(({ id, primary }) => `${id}${primary ? ' (primary)' : ''}`)
      log.info('KEYS', `a pool key: ${change}; there are ${ids.join(', ')}`)
    } else if (key !== undefined) throw new CommandError('INVALID_COMMAND', 'keys: do: must say what to do with the key')
    return { keys: await pool.keys.list() }
  },
  shell: {
    about: 'list the keys of a private pool that this node has, or change them: install on all nodes, use on all, remove on all',
    operands: [
      flag('[what]', 'to do', ['list', ...CHANGES], 'list'),
      flag('[key]', 'install: the file of the key; use and remove: its id, as the list has it'),
    ],
    /** Keys travel over the control socket. Nobody else can read it. */
    async line({ what, key }: KeysGiven) {
      if (what === 'list') {
        if (key !== undefined) throw new UsageError('keys list: takes no key')
        return { command: 'keys' }
      }
      if (key === undefined)
        throw new UsageError(`keys ${what}: name the file of the key${what === 'install' ? '' : ', or give its id as the list has it'}`)
      const isId = what !== 'install' && /^[0-9a-f]{16}$/u.test(key)
      const { readPoolKey } = await import('@jel/jel')
      return { command: 'keys', do: what, key: isId ? key : readPoolKey(key).toString() }
    },
    text: (answer) => answer.keys.map(({ id, primary }) => (primary ? `${id} primary` : id)),
  },
})
