import { defaultConfig, FrameError, ProtobufCodec, ProtocolNode, Registry, type Batch, type Codec, type Message } from '@jel/protocol'
import { describe, expect, it } from 'vitest'
import { cheapScheme, type JelNode, type Payload, type SimulationOptions } from '../index.ts'
import { InMemoryCodec } from './in-memory-codec.ts'
import { seeds } from '../../test/seeds.ts'
import { Turmoil } from '../../test/turmoil.ts'

/** Freezes all messages, so that a change after sending throws. */
class SealedInMemoryCodec extends InMemoryCodec {
  override encodeFrame(message: Message): Payload {
    return super.encodeFrame(sealed(message))
  }

  override encodeBroadcast(batch: Batch): Payload {
    return super.encodeBroadcast(sealed(batch))
  }
}

/** Freezes a message and its parts. Facts are exempt, because the protocol stores notes on them. */
function sealed<T extends object>(part: T): T {
  if (ArrayBuffer.isView(part) || Object.isFrozen(part)) return part
  for (const [key, inner] of Object.entries(part) as [string, unknown][]) {
    if (typeof inner === 'object' && inner !== null && key !== 'fact') sealed(inner)
  }
  return 'position' in part ? part : Object.freeze(part)
}

/** Returns all notifications with their times, and all traffic. */
function history(seed: number, simulation: Partial<SimulationOptions<JelNode>>): unknown {
  const turmoil = new Turmoil({ seed, nodes: 12, turmoil: 40_000, settle: 60_000, network: { loss: 0.02 }, simulation })
  turmoil.run()
  const { nodes, events, now } = turmoil.simulation
  const news = nodes.map((node) => node.news.map(({ time, notification }) => [time, JSON.stringify(notification)]))
  return { events, now, news, traffic: nodes.map(({ traffic }) => JSON.stringify([traffic, traffic.sent.bytes, traffic.received.bytes])) }
}

describe.each(seeds('1-2'))('a turmoil (seed %i)', (seed) => {
  it('has the same history with messages passed as objects and as the bytes of real hosts', () => {
    const byLetter = history(seed, { codec: new SealedInMemoryCodec() })
    expect(byLetter).toEqual(history(seed, { codec: new ProtobufCodec(defaultConfig.limits) }))
  })

  it('has the same history with one shared registry and with one for each node', () => {
    const apart = history(seed, {
      createProtocol: ({ services, ...parts }) =>
        new ProtocolNode({ ...parts, services: { ...services, registry: new Registry() }, config: defaultConfig }),
    })
    expect(apart).toEqual(history(seed, {}))
  })
})

describe('a message that is passed as an object', () => {
  const limits = { ...defaultConfig.limits, factsPerFrame: 1, entriesPerAlarm: 1 }
  const [one, other] = ['a', 'b'].map((name) => cheapScheme.identity(name.charCodeAt(0)).id) as [string, string]

  it('is subject to the same bounds', () => {
    for (const codec of [new InMemoryCodec(limits), new ProtobufCodec(limits)] as Codec<Payload>[]) {
      const pass = (message: Message): Message => codec.decodeFrame(codec.encodeFrame(message))
      expect(pass({ pingReq: { subjects: [one] } })).toEqual({ pingReq: { subjects: [one] } })
      expect(() => pass({ pingReq: { subjects: [one, other] } })).toThrow('at most 1 entries')
    }
  })

  it('is decoded from bytes as by any host', () => {
    const codec = new InMemoryCodec()
    expect(codec.decodeFrame(new ProtobufCodec(limits).encodeFrame({ probe: { sequence: 7 } }))).toMatchObject({ probe: { sequence: 7 } })
    expect(() => codec.decodeFrame(Uint8Array.of(255))).toThrow(FrameError)
  })
})
