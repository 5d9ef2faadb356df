/**
 * Every decoder of bytes from peers or files, with its allowed results: a value, or the documented
 * error.
 */
import { checkPoolKey, dialAddress, formatAddresses, parseIntroducer, tcpEndpoint } from '@jel/overlay/internals'
import { InvalidAddressError, PoolKeyError } from '@jel/overlay'
import { FrameError, ProtobufCodec, ProtocolNode, createRandom, defaultConfig, encodeId, makeConfig, type Input } from '@jel/protocol'
import type { Target } from './fuzzer.ts'

const codec = new ProtobufCodec(defaultConfig.limits)

/** Makes a target that runs a decoder, and rethrows every error except the documented error. */
function only(error: abstract new (...parameters: never[]) => Error, decode: (input: Uint8Array) => void): Target {
  return (input) => {
    try {
      decode(input)
    } catch (thrown) {
      if (!(thrown instanceof error)) throw thrown
    }
  }
}

const [self, peer] = [1, 2].map((byte) => encodeId(new Uint8Array(32).fill(byte))) as [string, string]

/**
 * Lets a node that has entered receive the input. The input comes as frames of a peer, each after a
 * byte with its length, and then as a broadcast. All signatures count as valid.
 */
function receiveAll(input: Uint8Array): void {
  const config = makeConfig({ limits: { penalties: 1_000_000 } })
  const services = { sign: () => new Uint8Array(64), verify: () => true, random: createRandom(1), today: () => 1_800_000_000_000 }
  const node = new ProtocolNode({ id: self, pool: 'fuzzed', location: '', tag: new Uint8Array(0), storedIncarnation: 0, config, services })
  let now = 1_000
  const handle = (each: Input): void => void node.handle(each, (now += 10))
  handle({ type: 'start', addresses: [], introducers: [] })
  handle({ type: 'connected', peer, dialable: true })
  for (let at = 0; at < input.length; at += 1 + (input[at] ?? 0)) {
    handle({ type: 'frame', from: peer, data: input.subarray(at + 1, at + 1 + (input[at] ?? 0)) })
  }
  node.handleBroadcast(input, (now += 10))
  for (let i = 0; i < 5; i++) node.handle({ type: 'timer' }, (now += 500))
  // After any input the node must be in its own view, unless it had to stop.
  if (node.self !== undefined && !node.members().some(({ id }) => id === self)) throw new Error('a node that is not in its own view')
}

export const targets = {
  frame: only(FrameError, (input) => {
    const message = codec.decodeFrame(input)
    codec.decodeFrame(codec.encodeFrame(message)) // a decoded message encodes again
  }),
  broadcast: only(FrameError, (input) => void codec.decodeBroadcast(input)),
  address: (input) => {
    tcpEndpoint(input)
    formatAddresses([input], peer)
    dialAddress(input, peer)
  },
  'address-text': only(InvalidAddressError, (input) => void parseIntroducer(Buffer.from(input).toString('utf8'))),
  'pool-key': only(PoolKeyError, (input) => void checkPoolKey(input)),
  node: receiveAll,
} satisfies Readonly<Record<string, Target>>
