/** The commands about streams. Their code is loaded when it is needed. */
import { text } from '../base/schema.ts'
import { command } from './command.ts'

export const open = command({
  about: 'a stream to that member, at a local socket',
  fields: { node: text, protocol: text },
  answer: 'opened',
  async run({ node, protocol }, { agent, signal }) {
    const { openStream } = await import('../agent/stream-bridge.ts')
    return { path: await openStream(agent.pool, node, protocol, signal) }
  },
})

export const handle = command({
  about:
    'streams of other members go to the socket on which your program listens; the first line of a stream is `{"from":"12D3…","protocol":"…"}`',
  fields: { protocol: text, path: text },
  async run({ protocol, path }, { agent }) {
    const { handleStreams } = await import('../agent/stream-bridge.ts')
    await handleStreams(agent.pool, protocol, path)
  },
})

export const unhandle = command({
  fields: { protocol: text },
  run: ({ protocol }, { agent }) => agent.pool.unhandle(protocol),
})
