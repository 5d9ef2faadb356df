/**
 * Watches the upgrades of new connections of any transport: time-outs, refusals and bytes. A corked
 * socket sends the pieces of a message together. libp2p hands over each message in pieces (a
 * length, then the rest), and writes every piece on its own. The kernel does not hold back small
 * packets, so each piece would become a packet. Measured: opening a link takes 18 packets and
 * 2.4 KB with headers, instead of 77 packets and 5.4 KB.
 */
import type { Socket } from 'node:net'
import type { Upgrader } from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import { RefusedPeerError } from '../base/errors.ts'
import { handshakeTimeout } from '../base/timeouts.ts'
import { later, nextTurn } from '../base/timers.ts'
import { TurnTimeout } from '../base/turn-timeout.ts'
import type { Counted } from '../base/counted.ts'
import type { TrafficMeter } from './traffic.ts'

/**
 * Time in which a socket must end after its peer has ended its side, ms. A peer that takes no bytes
 * could keep the socket open for ever. No limit on connections counts such a socket any more.
 * Guess.
 */
const lingerTime = 5_000

type OnRefused = (address: Multiaddr, reason: string) => void

/** Progress of a dial: the transport has connected, and the handshakes begin. */
export const connected = 'jel:connected'

/**
 * Wraps the upgrader, since the upgrader is the first to see a new connection. `onRefused` receives
 * each inbound peer that the host did not admit, and the reason.
 */
export function tuned(upgrader: Upgrader, meter: TrafficMeter, onRefused: OnRefused): Upgrader {
  const wrapped = Object.create(upgrader) as Upgrader
  wrapped.upgradeInbound = async (connection, options) => {
    const timeout = new TurnTimeout(handshakeTimeout).begin()
    timeout.signal.addEventListener('abort', () => connection.abort(new Error('the handshake takes too long')))
    try {
      await upgrader.upgradeInbound(corked(metered(connection, meter)), options)
    } catch (error) {
      if (error instanceof RefusedPeerError) onRefused(connection.remoteAddr, error.message)
      throw error
    } finally {
      timeout.end()
    }
  }
  wrapped.upgradeOutbound = async (connection, options) => {
    ;(options.onProgress as ((event: { type: string }) => void) | undefined)?.({ type: connected })
    return await upgrader.upgradeOutbound(corked(metered(connection, meter)), options)
  }
  return wrapped
}

interface SocketConnection {
  readonly socket?: Socket
  /** Counts the bytes where there is no socket of TCP. */
  readonly counted?: Counted
  sendData?: (data: unknown) => unknown
}

function metered<Type extends object>(connection: Type, meter: TrafficMeter): Type {
  const { socket, counted } = connection as SocketConnection
  if (counted !== undefined) meter.add(counted)
  if (socket === undefined) return connection
  meter.add(socket)
  socket.once('end', () => {
    const timer = later(() => socket.destroy(), lingerTime)
    socket.once('close', () => clearTimeout(timer))
  })
  return connection
}

function corked<Type extends object>(connection: Type): Type {
  const internals = connection as SocketConnection
  const { socket } = internals
  const sendData = internals.sendData?.bind(connection)
  if (!socket || !sendData) return connection
  let isCorked = false
  internals.sendData = (data) => {
    if (!isCorked) {
      isCorked = true
      socket.cork()
      nextTurn(() => {
        isCorked = false
        socket.uncork()
      })
    }
    return sendData(data)
  }
  return connection
}
