/** Attacks on attributes, leases and groups. */
import { encodeFrame } from '@jel/overlay/internals'
import type { HostileLink } from './attacker.ts'
import type { Attack } from './trial.ts'

/** An honest member leases and reads within this time, ms, whatever the attack does. A guess. */
const HONEST_TIME = 3000
/** Streams of one protocol that the attacker has open at once. */
const STREAMS = 100

const framed = (message: object): Uint8Array => encodeFrame(new TextEncoder().encode(JSON.stringify(message)))

/** Sends messages on streams of a protocol, and opens new ones in place of those that ended. */
class Streams {
  readonly #link: HostileLink
  readonly #protocol: string
  readonly #begin: () => readonly Uint8Array[]
  #open = 0
  opened = 0

  constructor(link: HostileLink, protocol: string, begin: () => readonly Uint8Array[]) {
    this.#link = link
    this.#protocol = protocol
    this.#begin = begin
  }

  fill(): void {
    if (this.#open >= STREAMS) return
    this.#open++
    void (async () => {
      try {
        const stream = await this.#link.connection.newStream(this.#protocol)
        this.opened++
        for (const bytes of this.#begin()) stream.send(bytes)
        if (stream.status === 'open')
          await new Promise<void>((resolve) => stream.addEventListener('close', () => resolve(), { once: true }))
      } catch {
        // The server refuses streams beyond its bound.
      } finally {
        this.#open--
      }
    })()
  }
}

/** Makes an attack on the member that serves attributes, leases and groups. */
function onGrid(attack: Pick<Attack, 'name' | 'does' | 'bound'>, protocol: string, begin: (turn: number) => readonly Uint8Array[]): Attack {
  return {
    ...attack,
    run: async ({ pool, attacker, attack: during, breach, sleep }) => {
      const server = await pool.remote.startGrid(pool.name, pool.address())
      const mallory = await attacker()
      const link = await mallory.enter(server)
      await sleep(1000)
      let turns = 0
      const streams = new Streams(link, protocol, () => begin(turns++))
      const times: number[] = []
      let asking: Promise<void> | undefined
      await during([link], () => {
        streams.fill()
        asking ??= pool.remote.useGrid().then((took) => {
          times.push(took)
          asking = undefined
        })
        return true
      })
      await asking
      if (streams.opened === 0) breach('the attack opened no stream, so it attacked nothing')
      if (times.length === 0) breach('no honest member got an answer')
      const worst = Math.max(...times)
      if (!(worst <= HONEST_TIME)) breach(`an honest member waited ${worst.toFixed(0)} ms for a lease and a value`)
      const leases = await pool.remote.gridLeases()
      if (leases > 66) breach(`there are ${leases} leases`)
      return `${streams.opened} streams, ${leases} leases at the end; an honest member waited at most ${worst.toFixed(0)} ms for a lease and a value, ${times.length} times`
    },
  }
}

const uuid = (): string => crypto.randomUUID()
/** A condition of the greatest length that is allowed, with an operator for each few characters. */
const SLOW = `${'('.repeat(120)}value.x${' > 1)'.repeat(120)}`

/** Frames of a channel: the name of its session, then messages with their numbers. */
function channel(messages: readonly object[]): Uint8Array[] {
  const numbered = messages.map((message, at) => {
    const text = new TextEncoder().encode(JSON.stringify(message))
    const frame = new Uint8Array(4 + text.length)
    new DataView(frame.buffer).setUint32(0, at + 1)
    frame.set(text, 4)
    return encodeFrame(frame)
  })
  return [encodeFrame(new TextEncoder().encode(uuid())), ...numbered]
}

export const onGridLayers: readonly Attack[] = [
  onGrid(
    {
      name: 'leases hoarded',
      does: 'asks for lease after lease of a member, each for a month, on as many streams as it can',
      bound: 'one member holds at most 64 leases, and others lease and read meanwhile',
    },
    '/jel-lease/1.0.0',
    () => [framed({ ask: { amounts: { cpus: 1 }, for: 2_600_000_000, from: 0, background: false, key: uuid() } })],
  ),
  onGrid(
    {
      name: 'holds that are never locked',
      does: 'asks for holds of one group after the other, dated a century ago, and locks none',
      bound: 'one member asks for at most 64 holds, a hold yields after ten seconds, and others lease and read meanwhile',
    },
    '/jel-group/1.0.0',
    () =>
      channel(
        Array.from({ length: 50 }, () => ({
          group: uuid(),
          hold: { program: 'attacked', date: 1, amounts: { ranks: 1 }, for: 2_600_000_000 },
        })),
      ),
  ),
  onGrid(
    {
      name: 'watches without end',
      does: 'watches an attribute at the highest rate, on as many streams as it can, and reads nothing',
      bound: 'one member has at most eight watches, and others lease and read meanwhile',
    },
    '/jel-watch/1.0.0',
    () => [framed({ watch: { attributes: ['value.x'], every: 100 } })],
  ),
  onGrid(
    {
      name: 'conditions made to be slow',
      does: 'watches under the longest and deepest conditions, with forged names of attributes',
      bound: 'a condition takes time linear in its length, and others lease and read meanwhile',
    },
    '/jel-watch/1.0.0',
    (turn) => [
      framed({ watch: { attributes: ['value.x'], every: 100, when: turn % 2 === 0 ? SLOW : `value.x + ${'1 + '.repeat(250)}1 > 0` } }),
    ],
  ),
  onGrid(
    {
      name: 'forged messages of attributes and groups',
      does: 'sends decisions, outcomes and releases of groups of others, attributes with names of the prototype, and reads without end',
      bound: 'only members of a group are heard in it, and others lease and read meanwhile',
    },
    '/jel-group/1.0.0',
    () =>
      channel(
        Array.from({ length: 50 }, (_, at) => [
          { group: uuid(), agreement: { about: 'start', number: at, by: '' }, said: { decided: 'start' } },
          { group: uuid(), outcome: { value: 'x'.repeat(1000) } },
          { group: uuid(), letGo: true },
          { group: uuid(), asks: at },
        ]).flat(),
      ),
  ),
]
