/** The commands about the node itself, and the session. */
import { healthText, tagText } from '../events/event-text.ts'
import { healthJson, nodeJson, reignJson } from '../events/events.ts'
import { ledgerJson } from '../events/ledger.ts'
import { ledgerText } from '../model/ledger-text.ts'
import { base64, id } from '../base/schema.ts'
import { reasonAt } from '../model/reason-at.ts'
import { isCutOff, isOutside } from '../events/health.ts'
import { oneLine } from '../base/text.ts'
import { command } from './command.ts'
import { flag } from './flags.ts'
import { durationText } from '../events/quantity.ts'

export const status = command({
  fields: {},
  answer: 'status',
  run(_, { agent: { pool, version, started, url } }) {
    const { user, system } = process.cpuUsage()
    return {
      node: nodeJson(pool.self),
      version,
      started,
      members: pool.members().length,
      reigns: pool.reigns().map(reignJson),
      health: healthJson(pool.health()),
      pid: process.pid,
      memory: process.memoryUsage.rss(),
      processor: (user + system) / 1e6,
      ...(pool.ledger !== undefined && { ledger: ledgerJson(pool.ledger) }),
      ...(url !== undefined && { http: url }),
    }
  },
  shell: {
    about: 'show the identity and the state of this node',
    text({ node, version, started, members, reigns, health, pid, memory, processor, ledger, http }, now) {
      const lines: [string, string][] = [
        ['node', `${node.id}, incarnation ${node.incarnation}`],
        ['version', version],
        ['in the pool', `for ${durationText(now - started)}`],
        ['location', oneLine(node.location)],
        ['tag', tagText(node.tag)],
        ...node.addresses.map((address): [string, string] => ['listens at', address]),
        ['members', String(members)],
        ['health', healthText({ event: 'health', ...health })],
        ...(ledger === undefined ? [] : [['ledger', ledgerText(ledger)] as [string, string]]),
        ...reigns.map(({ election, epoch, node: winner }): [string, string] => [
          'elected',
          `${oneLine(election)}: ${winner.id}, epoch ${epoch}${winner.id === node.id ? ' (this node)' : ''}`,
        ]),
        ...(http === undefined ? [] : [['page', http] as [string, string]]),
        ['process', `${pid}, ${(memory / 1e6).toFixed(0)} MB, ${processor.toFixed(1)} s of processor time`],
      ]
      return lines.map(([what, value]) => `${what.padEnd(12)} ${value}`.trimEnd())
    },
  },
})

export const health = command({
  fields: {},
  answer: 'health',
  run: (_, { agent }) => healthJson(agent.pool.health()),
  shell: {
    about:
      'show the connectivity of this node; status 1 if it reaches none or only a minority of the other members, or if no bootstrap address has let it in',
    text: (answer) => [healthText(answer), ...answer.introducers.map(({ address, reason }) => oneLine(reasonAt(address, reason)))],
    status: (answer) => (isCutOff(answer) || isOutside(answer) ? 1 : 0),
  },
})

export const tag = command({
  about: 'at most 1 KiB',
  fields: { tag: base64 },
  run: (fields, { agent }) => agent.pool.setTag(Buffer.from(fields.tag, 'base64')),
  shell: {
    about: 'change the tag of this node; all members see the new tag',
    operands: [flag('<text>', 'the new tag, at most 1 KiB')],
    line: ({ text }: { readonly text: string }) => ({ command: 'tag', tag: Buffer.from(text).toString('base64') }),
  },
})

export const cancel = command({
  about: 'give up the command with that id: its answer is the error CANCELLED',
  fields: { of: id },
  run: ({ of }, context) => context.cancel(of),
})

export const terminate = command({
  fields: {},
  run: (_, { agent }) => agent.pool.terminate(),
  shell: {
    about: 'tell all members, and those that join later, that the pool is at its end: each decides what follows',
  },
})

export const leave = command({
  fields: {},
  answer: 'stopped',
  run: (_, context) => context.leave(),
  shell: { about: 'make this node leave the pool, and wait until it has left' },
})
