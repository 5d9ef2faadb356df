/** The commands about elections. */
import { reignJson } from '../agent/events.ts'
import { text } from '../base/schema.ts'
import { UsageError } from '../base/usage-error.ts'
import { defineCommand } from './command.ts'
import { ASK_FLAGS } from './flags.ts'

export const elect = defineCommand({
  about: 'be a candidate',
  fields: { election: text },
  example: { election: 'master' },
  answer: 'elected',
  async run({ election }, { agent, signal }) {
    return reignJson(await agent.pool.elect(election, { signal }))
  },
  shell: {
    about: 'make this node a candidate, and wait for who is elected',
    operands: [{ usage: '<election>', about: 'name of the election' }],
    flags: [
      ...ASK_FLAGS,
      { usage: '--result', about: 'wait for the winner, and be no candidate' },
      { usage: '--withdraw', about: 'be no candidate any more' },
    ],
    line: ({ election, ...flags }: { readonly election: string; readonly result?: boolean; readonly withdraw?: boolean }) => {
      if (flags.result === true && flags.withdraw === true) throw new UsageError('--result and --withdraw: give one of them')
      return { command: flags.withdraw === true ? 'withdraw' : flags.result === true ? 'result' : 'elect', election }
    },
  },
})

export const result = defineCommand({
  about: 'wait for a winner',
  fields: { election: text },
  example: { election: 'master' },
  answer: 'elected',
  async run({ election }, { agent, signal }) {
    return reignJson(await agent.pool.electionResult(election, { signal }))
  },
})

export const withdraw = defineCommand({
  about: 'be no candidate any more',
  fields: { election: text },
  example: { election: 'master' },
  answer: 'done',
  run({ election }, { agent }) {
    agent.pool.withdraw(election)
  },
})
