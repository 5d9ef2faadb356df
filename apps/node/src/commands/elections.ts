/** The commands about elections. */
import { reignJson } from '../events/events.ts'
import { text } from '../base/schema.ts'
import { UsageError } from '../base/usage-error.ts'
import { command } from './command.ts'
import { ASK_FLAGS, flag } from './flags.ts'

const fields = { election: text }

interface Which {
  readonly result?: boolean
  readonly withdraw?: boolean
}

export const elect = command({
  fields,
  answer: 'elected',
  run: async ({ election }, { agent, signal }) => reignJson(await agent.pool.elect(election, { signal })),
  shell: {
    // All nodes come to know the same winner, so any node can answer `--result`. A candidacy
    // belongs to one node, so only that node can take the other commands.
    asksAny: ({ result = false, withdraw = false }: Which) => result && !withdraw,
    about: 'make this node a candidate, and wait for the winner',
    operands: [flag('<election>', 'the name of the election')],
    flags: [
      ...ASK_FLAGS,
      flag('--result', 'wait for the winner, and be no candidate'),
      flag('--withdraw', 'end the candidacy of this node'),
    ],
    line({ election, ...flags }: Which & { readonly election: string }) {
      if (flags.result === true && flags.withdraw === true) throw new UsageError('--result and --withdraw: give one of them')
      return { command: flags.withdraw === true ? 'withdraw' : flags.result === true ? 'result' : 'elect', election }
    },
  },
})

export const result = command({
  fields,
  about: 'wait for a winner',
  answer: 'elected',
  run: async ({ election }, { agent, signal }) => reignJson(await agent.pool.electionResult(election, { signal })),
})

export const withdraw = command({
  fields,
  about: 'end the candidacy of this node',
  run: ({ election }, { agent }) => agent.pool.withdraw(election),
})
