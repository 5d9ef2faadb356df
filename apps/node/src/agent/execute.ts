import type { PoolKeyInfo } from '@jel/jel'
import { CommandError, type Command } from './commands.ts'
import type { Agent } from './agent.ts'
import type { Answers } from './answers.ts'
import { base64, electedEvent, healthEvent, healthJson, nodeJson, recordJson, reignJson, type Answer, type NodeEvent } from './events.ts'
import { handleStreams, openStream } from './stream-bridge.ts'

/**
 * Carries out a command. Returns its last answer, or undefined where that is a mere `done`.
 * `signal` cancels it. `tell` takes the answers that come before. `answers` has the queries that
 * this session answers.
 */
export async function execute(
  command: Command,
  agent: Agent,
  signal: AbortSignal,
  tell: (event: Answer) => void,
  answers: Answers,
): Promise<NodeEvent | undefined> {
  const { pool } = agent
  switch (command.command) {
    case 'members': {
      const { location, tag, state } = command
      return { event: 'members', nodes: listed(() => agent.roster.list({ location, tag, state })) }
    }
    case 'status': {
      const { user, system } = process.cpuUsage()
      return {
        event: 'status',
        node: nodeJson(pool.self),
        version: agent.version,
        started: agent.started,
        members: pool.members().length,
        reigns: pool.reigns().map(reignJson),
        health: healthJson(pool.health()),
        pid: process.pid,
        memory: process.memoryUsage.rss(),
        processor: (user + system) / 1e6,
        ...(agent.url !== undefined && { http: agent.url }),
      }
    }
    case 'health':
      return healthEvent(pool.health())
    case 'links': {
      const links = await pool.links()
      return { event: 'links', links: links.map(({ id, roundTrip }) => ({ id, ...(roundTrip !== undefined && { roundTrip }) })) }
    }
    case 'elect':
      return electedEvent(await pool.elect(command.election, { signal }))
    case 'result':
      return electedEvent(await pool.electionResult(command.election, { signal }))
    case 'withdraw':
      pool.withdraw(command.election)
      return undefined
    case 'maybeDead':
      pool.maybeDead(command.node)
      return undefined
    case 'signal':
      await pool.signal(command.name, command.nodes, { signal })
      return undefined
    case 'publish':
      await pool.publish(command.name, Buffer.from(command.value, 'base64'), { ttl: command.ttl })
      return undefined
    case 'unpublish':
      await pool.unpublish(command.name)
      return undefined
    case 'records':
      return { event: 'records', records: pool.records(command.prefix).map(recordJson) }
    case 'tag':
      await pool.setTag(Buffer.from(command.tag, 'base64'))
      return undefined
    case 'event':
      await pool.broadcast(command.name, bytesOf(command.payload))
      return undefined
    case 'query': {
      const { name, payload, timeout, nodes, location, tag } = command
      const isFiltered = nodes !== undefined || location !== undefined || tag !== undefined
      const filter = { ...(nodes && { ids: nodes }), ...(location !== undefined && { location }), ...(tag !== undefined && { tag }) }
      const options = { signal, ...(timeout !== undefined && { timeout }), ...(isFiltered && { filter }) }
      for await (const reply of pool.query(name, bytesOf(payload), options))
        tell({ event: 'reply', payload: base64(reply.payload), node: nodeJson(reply.from) })
      return undefined
    }
    case 'answer':
      answers.answer(command.name)
      return undefined
    case 'unanswer':
      answers.unanswer(command.name)
      return undefined
    case 'reply':
      answers.reply(command.query, command.payload)
      return undefined
    case 'terminate':
      await pool.terminate()
      return undefined
    case 'open':
      return { event: 'opened', path: await openStream(pool, command.node, command.protocol, signal) }
    case 'handle':
      await handleStreams(pool, command.protocol, command.path)
      return undefined
    case 'unhandle':
      await pool.unhandle(command.protocol)
      return undefined
    case 'keys':
      return { event: 'keys', keys: await changeKeys(agent, command) }
    case 'jobs':
    case 'job':
    case 'submit':
      await agent.runErrand(command, tell, signal)
      return undefined
    case 'cancel':
    case 'leave':
      throw new Error('a session does this itself')
  }
}

/** Returns the keys that are installed after the change. */
async function changeKeys(
  { pool: { keys }, log }: Agent,
  { do: change, key }: Command & { command: 'keys' },
): Promise<readonly PoolKeyInfo[]> {
  if (change !== undefined) {
    if (key === undefined) throw new CommandError('INVALID_COMMAND', `keys: key: must say which key to ${change}`)
    await keys[change](key)
    log.info(
      'KEYS',
      `a pool key: ${change}; there are ${(await keys.list()).map(({ id, primary }) => `${id}${primary ? ' (primary)' : ''}`).join(', ')}`,
    )
  } else if (key !== undefined) throw new CommandError('INVALID_COMMAND', 'keys: do: must say what to do with the key')
  return await keys.list()
}

function bytesOf(payload: string | undefined): Uint8Array {
  return Buffer.from(payload ?? '', 'base64')
}

function listed<Result>(list: () => Result): Result {
  try {
    return list()
  } catch (error) {
    throw error instanceof RangeError ? new CommandError('INVALID_COMMAND', `members: ${error.message}`) : error
  }
}
