/** Attacks on members that relay for others. */
import { poolNames } from '@jel/overlay/internals'
import type { Stream } from '@libp2p/interface'
import type { Attacker } from './attacker.ts'
import type { Attack } from './trial.ts'

/** Hostile members, all at one IP address. */
const MEMBERS = 8
/** Number of circuits that they try to open. Each sends pieces of 64 KB. */
const CIRCUITS = 400
const PIECE = new Uint8Array(65_536)
/**
 * The limits of a relay for one network: bytes at once, bytes a second, and circuits. A circuit may
 * have one more piece on its way, since a sender waits only after a piece.
 */
const [AT_ONCE, A_SECOND, MOST_CIRCUITS] = [16_000_000, 6_000_000, 128]
/** A tenth more may pass: the clock of this count is not the relay's. A guess. */
const SLACK = 1.1
const line = (text: string): Uint8Array => new TextEncoder().encode(`${text}\n`)

/** Takes each circuit that a relay offers, and counts its bytes. */
async function takeCircuits(mallory: Attacker, protocol: string, count: (bytes: number) => void): Promise<void> {
  const take = (stream: Stream): void => {
    stream.send(line('ok'))
    stream.addEventListener('message', ({ data }) => count(data.byteLength))
  }
  await mallory.libp2p.handle(protocol, take, { maxInboundStreams: 1_000 })
}

const circuitFlood: Attack = {
  name: 'circuits without end',
  does: `is ${MEMBERS} members at one IP address that open circuits to each other over one node, and send as fast as they can`,
  bound: 'the node relays 128 circuits of one IP address at most, and 6 MB a second',
  run: async ({ pool, enter, sleep, isOver, breach }) => {
    const { relay, circuit } = poolNames(pool.name).circuits
    const members: Attacker[] = []
    let [bytes, begin, end] = [0, 0, 0]
    const count = (more: number): void => {
      end = performance.now()
      if (bytes === 0) begin = end
      bytes += more
    }
    for (let i = 0; i < MEMBERS; i++) {
      const { mallory } = await enter(0)
      await takeCircuits(mallory, circuit, count)
      members.push(mallory)
    }
    await sleep(500)
    let [open, refused] = [0, 0]
    const flood = async (from: Attacker, to: Attacker): Promise<void> => {
      try {
        const [connection] = from.libp2p.getConnections()
        const stream = await connection!.newStream(relay, { signal: AbortSignal.timeout(2_000), maxOutboundStreams: 1_000 })
        stream.send(line(to.sybil.id))
        stream.addEventListener('message', () => (open += 1), { once: true })
        while (!isOver() && stream.status === 'open') {
          if (stream.writeStatus === 'writable' && stream.writeBufferLength < PIECE.length) stream.send(PIECE)
          await sleep(1)
        }
      } catch {
        refused += 1
      }
    }
    const turns = Array.from({ length: CIRCUITS }, (_, i) => flood(members[i % MEMBERS]!, members[(i * 3 + 1) % MEMBERS]!))
    await Promise.all(turns)
    const most = SLACK * (AT_ONCE + (A_SECOND * (end - begin)) / 1_000 + MOST_CIRCUITS * PIECE.length)
    if (bytes > most) breach(`the node relayed ${bytes} bytes, more than ${Math.round(most)} in ${Math.round(end - begin)} ms`)
    return `${open} answers, ${refused} streams refused, ${(bytes / 1e6).toFixed(0)} MB relayed`
  },
}

export const onRelays: readonly Attack[] = [circuitFlood]
