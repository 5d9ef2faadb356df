/**
 * TCP that sends few packets. libp2p hands over each message in pieces (a length, then the rest),
 * and @libp2p/tcp writes every piece on its own. The kernel does not hold back small packets, so
 * each piece becomes a packet. This module corks a socket until the next turn of the event loop, so
 * the pieces of a message leave together. Measured: opening a link takes 18 packets and 2.4 KB with
 * headers, instead of 77 packets and 5.4 KB.
 */
import type { Socket } from 'node:net'
import type { Transport, Upgrader } from '@libp2p/interface'
import { tcp, type TCPComponents } from '@libp2p/tcp'
import type { Multiaddr } from '@multiformats/multiaddr'
import { endpointOf } from '../base/addresses.ts'
import { RefusedPeerError } from '../base/errors.ts'
import { TurnTimeout } from '../base/turn-timeout.ts'
import { lookUp } from './lookups.ts'
import type { TrafficMeter } from './traffic.ts'

/**
 * A host counts as silent if a TCP connect takes longer than this time, ms. Linux repeats a lost
 * SYN after 1 s and again after 3 s. So one lost SYN does no harm.
 */
export const connectTimeout = 2_000

/**
 * Time from the start of a dial to the end of the handshake, at either end, ms. The opening of the
 * link gets the same time once more. {@link TurnTimeout} counts it. Guess: enough for busy hosts.
 */
export const handshakeTimeout = 5_000

/**
 * An idle link is silent for minutes, and libp2p must not close it. So the kernel watches the link
 * (TCP keep-alive). After this time, ms, and ten seconds more, the kernel notices that the other
 * machine is gone. Guess: that costs 1 B/s a link. The protocol's probes detect a dead member far
 * earlier.
 */
const keepAliveInitialDelay = 120_000

/**
 * Time in which a socket must end after its peer has ended its side, ms. A peer that takes no bytes
 * could keep the socket open for ever, and nothing else counts it any more. Guess.
 */
const lingerTime = 5_000

type OnRefused = (address: Multiaddr, reason: string) => void

/** Progress of a dial: TCP has connected, and the handshakes begin. */
export const connected = 'jel:connected'

/** `onRefused` receives each inbound peer that the host did not admit, and the reason. */
export function transport(meter: TrafficMeter, onRefused: OnRefused): (components: TCPComponents) => Transport {
  // @libp2p/tcp passes all these options to net.connect.
  const dialOpts = { keepAliveInitialDelay, timeout: connectTimeout }
  const create = tcp({
    inboundSocketInactivityTimeout: 0,
    outboundSocketInactivityTimeout: 0,
    dialOpts,
    listenOpts: { keepAliveInitialDelay },
  })
  return (components) => {
    const created = create(components)
    const dial = created.dial.bind(created)
    const createListener = created.createListener.bind(created)
    const dialFilter = created.dialFilter.bind(created)
    // Members can announce anything. Without this filter the library would even dial a Unix socket
    // of this machine.
    created.dialFilter = (addresses) => dialFilter(addresses).filter((address) => endpointOf(address) !== undefined)
    created.dial = async (address, options) => {
      // The socket's time-out ends a dial without an abort of the signal.
      let isOver = false
      const lookup = lookUp(() => !isOver && !options.signal.aborted)
      try {
        // net.connect resolves names. @libp2p/tcp does not pass it the address family.
        const ours = { ...familyOf(address), lookup, upgrader: tuned(options.upgrader, meter, onRefused) }
        return await dial(address, { ...options, ...ours })
      } finally {
        isOver = true
      }
    }
    created.createListener = (options) => createListener({ ...options, upgrader: tuned(options.upgrader, meter, onRefused) })
    return created
  }
}

function familyOf(address: Multiaddr): { readonly family?: 4 | 6 } {
  const family = endpointOf(address)?.family
  return family === undefined ? {} : { family }
}

/** Wraps the upgrader, since the upgrader is the first to see a new connection. */
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
  sendData?: (data: unknown) => unknown
}

function metered<Type extends object>(connection: Type, meter: TrafficMeter): Type {
  const { socket } = connection as SocketConnection
  if (socket === undefined) return connection
  meter.add(socket)
  socket.once('end', () => {
    const timer = setTimeout(() => socket.destroy(), lingerTime).unref()
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
      setImmediate(() => {
        isCorked = false
        socket.uncork()
      })
    }
    return sendData(data)
  }
  return connection
}
