/** The commands about the ledger of a pool. */
import { LedgerMissingError, type LedgerStatus, type Pool } from '@jel/jel'
import * as v from 'valibot'
import { base64, number, text } from '../base/schema.ts'
import { tableOf } from '../base/table.ts'
import { oneLine } from '../base/text.ts'
import { CommandError, UsageError } from '../base/usage-error.ts'
import { eventText } from '../events/event-text.ts'
import { nodeJson } from '../events/events.ts'
import { ledgerJson } from '../events/ledger.ts'
import { command } from './command.ts'
import { ASK_FLAGS, flag } from './flags.ts'
import { decoded, encoded, PAYLOAD, type Message } from './messages.ts'

/**
 * Voters that can't be reached give no answer, so a call ends after this time, ms. The API has the
 * same limit.
 */
const TIMEOUT = 10_000

/** Throws LedgerMissingError if the node was started without a ledger. */
function ledgerOf({ ledger }: Pool): LedgerStatus {
  if (ledger !== undefined) return ledger
  throw new LedgerMissingError('this node takes part in no ledger: start it with --joins reliable or --elections uniform')
}

/** Throws CommandError for a time that no timer takes. */
function within(signal: AbortSignal, timeout = TIMEOUT): AbortSignal {
  if (!(timeout >= 1 && timeout < 2 ** 31)) throw new CommandError('INVALID_COMMAND', 'timeout: must be a time in ms, at least 1')
  return AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(timeout))])
}

export const ledger = command({
  fields: {},
  answer: 'ledger',
  run: (_, { agent }) => ledgerJson(ledgerOf(agent.pool)),
  shell: {
    about: 'show the ledger of a pool with reliable joins or uniform elections; status 1 if it has no majority here',
    async text({ id, generation, state, term, leader, voters, index }) {
      const lines: readonly (readonly [string, string])[] = [
        ['ledger', id],
        ['generation', String(generation)],
        ['state', state],
        ['term', String(term)],
        ['leader', oneLine(leader ?? 'none is known')],
        ['index', String(index)],
      ]
      const rows = voters.map(({ id: voter, durable, reachable }) => [
        oneLine(voter),
        durable === undefined ? 'unknown' : durable ? 'on disk' : 'in memory',
        reachable ? 'yes' : 'no',
      ])
      return [
        ...lines.map(([what, value]) => `${what.padEnd(12)} ${value}`),
        '',
        ...(await tableOf([['VOTER', 'KEPT', 'REACHABLE'], ...rows])),
      ]
    },
    status: ({ state }) => (state === 'no-majority' ? 1 : 0),
  },
})

interface ConfirmGiven {
  readonly election: string
  readonly timeout?: number
}

export const confirm = command({
  about: 'ask the voters who reigns: the answer was true at some moment of the call; timeout is a time in ms (default: 10 s)',
  fields: { election: text, timeout: v.optional(number) },
  answer: 'confirmed',
  async run({ election, timeout }, { agent: { pool }, signal }) {
    ledgerOf(pool)
    const reign = await pool.confirm(election, { signal: within(signal, timeout) })
    return { election, epoch: reign?.epoch ?? null, winner: reign === undefined ? null : nodeJson(reign.winner) }
  },
  shell: {
    asksAny: () => true,
    namesCode: true,
    about: 'ask the voters of the ledger who reigns now, with --elections uniform; status 1 if nobody does',
    operands: [flag('<election>', 'the name of the election')],
    flags: ASK_FLAGS,
    line: ({ election, timeout }: ConfirmGiven) => ({ command: 'confirm', election, timeout }),
    text: (answer) => [eventText(answer)],
    status: ({ winner }) => (winner === null ? 1 : 0),
  },
})

export const order = command({
  about:
    'send a message to all members of the ledger, at one index in the order of joins, ends and reigns; they get an event ordered with this index; timeout is a time in ms (default: 10 s)',
  fields: { name: text, payload: v.optional(base64), timeout: v.optional(number) },
  answer: 'placed',
  async run({ name, payload, timeout }, { agent: { pool }, signal }) {
    ledgerOf(pool)
    return await pool.order(name, decoded(payload), { signal: within(signal, timeout) })
  },
  shell: {
    namesCode: true,
    about: 'tell all members something in one order everywhere, and show its index in the ledger',
    operands: [flag('<name>', 'the name of the message'), PAYLOAD],
    flags: ASK_FLAGS,
    line: async ({ timeout, ...message }: Message & { readonly timeout?: number }) => ({
      command: 'order',
      ...(await encoded(message)),
      timeout,
    }),
    text: ({ index }) => [String(index)],
  },
})

export const recover = command({
  about: 'begin the ledger anew on this node alone, after the majority of its voters is lost for good; lost is their number, as a check',
  fields: { lost: number },
  answer: 'ledger',
  async run({ lost }, { agent: { pool } }) {
    ledgerOf(pool)
    await pool.recoverLedger(lost)
    return ledgerJson(ledgerOf(pool))
  },
  shell: {
    namesCode: true,
    about: 'begin the ledger of a pool anew on ONE survivor, after more than half of its voters are lost for good',
    flags: [flag('--lost <voters>', 'the number of voters that are lost, as a check', countOf)],
    line: ({ lost }: { readonly lost?: number }) => {
      if (lost === undefined) throw new UsageError('recover: say how many voters are lost, as in --lost 2; jel ledger shows them')
      return { command: 'recover', lost }
    },
    text: ({ id, generation }) => [`the ledger goes on as generation ${generation}: ${id}`],
  },
})

export const abandon = command({
  about: 'give up the ledger of this node for the one of the other nodes, if the pool has two',
  fields: {},
  answer: 'ledger',
  async run(_, { agent: { pool } }) {
    ledgerOf(pool)
    await pool.abandonLedger()
    return ledgerJson(ledgerOf(pool))
  },
  shell: {
    namesCode: true,
    about: 'give up the ledger of a node for the one of the other nodes, if the pool has two',
    text: ({ id }) => [`this node is in the ledger ${id} now`],
  },
})

function countOf(value: string): number {
  const count = Number(value)
  if (!Number.isSafeInteger(count) || count < 1) throw new UsageError(`--lost: ${JSON.stringify(value)} is no number of voters`)
  return count
}
