/** The acknowledgements of TCP. The simulator counts them, but does not send them. */
import type { Milliseconds } from '@jel/protocol'
import type { Pipe } from './connection.ts'
import type { Endpoint } from './endpoint.ts'
import { extraAcknowledgements, packetHeader } from './framing.ts'
import { classNumber } from './traffic.ts'

/** An acknowledgement waits this long for data that can carry it, ms. Linux: TCP_DELACK_MIN. */
const delay = 40

const acknowledgements = classNumber('acknowledgements')

/**
 * Acknowledges earlier arrivals with data in the other direction. Counts a separate acknowledgement
 * if they waited too long for the data.
 */
export function acknowledgeWithData(pipe: Pipe<Endpoint>, now: Milliseconds): void {
  if (pipe.unacknowledgedSince === undefined) return
  if (now - pipe.unacknowledgedSince > delay) count(pipe, 1)
  pipe.unacknowledgedSince = undefined
}

/** Acknowledges an arrival of this many bytes, and the previous arrival if that one still waits. */
export function acknowledgeArrival(pipe: Pipe<Endpoint>, bytes: number, now: Milliseconds): void {
  const extra = extraAcknowledgements(bytes)
  const since = pipe.unacknowledgedSince
  const waited = since !== undefined && now - since > delay
  if (extra > 0 || since !== undefined) count(pipe, extra + (since === undefined ? 0 : 1))
  // One acknowledgement covers two packets, unless the first has an acknowledgement already.
  pipe.unacknowledgedSince = since === undefined || waited ? now : undefined
}

function count({ from, to }: Pipe<Endpoint>, packets: number): void {
  to.traffic.sent.add(acknowledgements, packets * packetHeader, packets)
  to.traffic.sent.headerBytes += packets * packetHeader
  from.traffic.received.add(acknowledgements, packets * packetHeader, packets)
}
