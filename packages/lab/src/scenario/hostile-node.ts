/**
 * One of the simulator's attackers on a real host. The attacker takes the place of the node's
 * protocol, and contains that protocol. The program takes the arguments of `jel join` that the
 * laboratory gives. It reports its start in the same format as `jel join`.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { startOverlay } from '@jel/overlay'
import { createServices } from '@jel/overlay/internals'
import { defaultConfig, ProtobufCodec, ProtocolNode, type Effect, type Input, type Milliseconds } from '@jel/protocol'
import { Attacker, attacks, type AttackerOptions, type AttackName } from '@jel/simulator/internals'
import { privateKeyFromProtobuf } from '@libp2p/crypto/keys'
import type { Ed25519PrivateKey } from '@libp2p/interface'
import type { Handlers } from '../swarm/meter.ts'

const text = { type: 'string', default: '' } as const
const options = { json: { type: 'boolean' }, bootstrap: { type: 'string', multiple: true }, identity: text, attack: text } as const
const { values, positionals } = parseArgs({ options, allowPositionals: true })
const [, pool = ''] = positionals
const { name, ...rest } = JSON.parse(values.attack) as Omit<AttackerOptions, 'attack'> & { readonly name: AttackName }
const { id, privateKey } = JSON.parse(readFileSync(values.identity, 'utf8')) as { readonly id: string; readonly privateKey: string }
const key = privateKeyFromProtobuf(Buffer.from(privateKey, 'base64')) as Ed25519PrivateKey
const services = { ...createServices(key), codec: new ProtobufCodec(defaultConfig.limits) }
const parts = { id, pool, location: '', tag: new Uint8Array(0), storedIncarnation: 0, services }

const prototype = ProtocolNode.prototype as unknown as Handlers
const honest = { handle: prototype.handle, handleBroadcast: prototype.handleBroadcast }
const told: Effect[] = []
let attacker: Attacker | undefined
/** True while the attacker calls its honest node. */
let isHonest = false

/**
 * Calls the attacker in place of its node. `handle` adds the node's own notifications to the
 * attacker's effects, because the host needs them.
 */
function hostile<Result>(node: ProtocolNode, call: (attacker: Attacker) => Result): Result {
  attacker ??= new Attacker(parts, { ...rest, attack: attacks[name](pool) }, node)
  isHonest = true
  try {
    return call(attacker)
  } finally {
    isHonest = false
  }
}

prototype.handle = function handle(this: ProtocolNode, input: Input, now: Milliseconds) {
  if (!isHonest) return hostile(this, (each) => [...(each.handle(input, now) as Effect[]), ...told.splice(0)])
  const effects = honest.handle.call(this, input, now)
  told.push(...effects.filter(({ type }) => type === 'notify'))
  return effects
}
prototype.handleBroadcast = function handleBroadcast(this: ProtocolNode, data: Uint8Array, now: Milliseconds) {
  return isHonest
    ? honest.handleBroadcast.call(this, data, now)
    : (hostile(this, (each) => each.handleBroadcast(data, now)) as ReturnType<Handlers['handleBroadcast']>)
}

const { self } = await startOverlay({ pool, identityFile: values.identity, bootstrap: values.bootstrap ?? [], mdns: false })
console.log(JSON.stringify({ event: 'started', time: Date.now(), node: { ...self, tag: undefined } }))
