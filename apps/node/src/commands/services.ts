/** The commands about the services of a pool. */
import * as v from 'valibot'
import { askServices } from '../agent/allocation.ts'
import { number, text } from '../base/schema.ts'
import { tableOf } from '../base/table.ts'
import { oneLine } from '../base/text.ts'
import { UsageError } from '../base/usage-error.ts'
import { problemOf } from '../model/services.ts'
import { command } from './command.ts'
import { ASK_FLAGS, flag, JSON_LINES } from './flags.ts'
import { shortId } from '../events/quantity.ts'

export const services = command({
  about:
    'the services that members state; instances: the members that serve a service, the oldest first; a replicated service has a number of replicas, the members that have its state, and a primary; status comes from the primary: its backups, the number of its last operation, and refusal if it takes no operations',
  fields: {},
  answer: 'services',
  run: async (_, { agent }) => ({ services: await askServices(agent.pool) }),
  shell: {
    asksAny: () => true,
    about: 'list the services of the pool: who serves them, and the primary and the replicas of replicated ones',
    flags: [JSON_LINES],
    text: async ({ services: all }) =>
      await tableOf([
        ['NAME', 'VERSION', 'INSTANCES', 'PRIMARY', 'REPLICAS', 'OPERATIONS', 'NOTE'],
        ...all.map((each) => {
          const { name, version, instances, standing, replicas, primary, status } = each
          return [
            oneLine(name),
            oneLine(version),
            oneLine(shortIds(instances)),
            primary === undefined ? '' : oneLine(shortId(primary)),
            replicas === undefined ? '' : oneLine(`${standing.length} of ${replicas}: ${shortIds(standing)}`),
            status === undefined ? '' : String(status.operations),
            oneLine(problemOf(each)),
          ]
        }),
      ]),
  },
})

interface CallGiven {
  readonly service: string
  readonly input: string
  readonly key?: string
  readonly timeout?: number
}

export const call = command({
  about:
    'call a service of the pool; timeout is a time in ms (default: 10 s); key: a replicated service carries out calls with the same key once, and gives the first result again',
  fields: { service: text, input: v.unknown(), key: v.optional(text), timeout: v.optional(number) },
  answer: 'called',
  async run({ service, input, ...options }, { agent, signal }) {
    const { serviceClient } = await import('@jel/service')
    return { result: await serviceClient(agent.pool).call(service, input, { ...options, signal }) }
  },
  shell: {
    asksAny: () => true,
    namesCode: true,
    about: 'call a service of the pool, and show its result as JSON',
    operands: [flag('<service>', 'the name of the service'), flag('<input>', 'the input as JSON, as in 5 or \'{"add": "job"}\'')],
    flags: [
      flag('--key <text>', 'a replicated service carries out calls with the same key once, and gives the first result again'),
      ...ASK_FLAGS,
    ],
    line: ({ service, input, key, timeout }: CallGiven) => ({ command: 'call', service, input: parsed(input), key, timeout }),
    text: ({ result }) => [JSON.stringify(result ?? null)],
  },
})

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new UsageError(`the input of a service is JSON, as in 5 or '"text"': not ${JSON.stringify(json.slice(0, 80))}`)
  }
}

/** Returns the ids that fit into a line, and the number of the others. */
function shortIds(ids: readonly string[]): string {
  const shown = ids.slice(0, 4).map(shortId).join(' ')
  return ids.length > 4 ? `${shown} and ${ids.length - 4} more` : shown
}
