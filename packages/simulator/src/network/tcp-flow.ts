/**
 * Models how long TCP takes when packets get lost or a message is longer than the window. It models
 * one direction of a connection as Linux does: slow start from ten segments (RFC 6928), CUBIC (RFC
 * 9438), selective acknowledgements with RACK and a tail loss probe (RFC 8985), retransmission
 * time-outs that double (RFC 6298).
 *
 * It proceeds round trip by round trip. In each round trip as many segments leave as the window
 * allows. Chance decides which segments get lost. The sender repeats lost segments in the next
 * round trip. The model leaves out the receiver's window, pacing, packets that overtake each other,
 * and losses of acknowledgements.
 */
import type { Milliseconds } from '@jel/protocol'
import { exactExp, exactLog } from '../engine/exact.ts'

/** The initial window, segments. RFC 6928. */
export const initialWindow = 10
const leastWindow = 2
/**
 * `beta`: the share of the window that a loss leaves. `cubic`: the rate at which CUBIC grows again,
 * segments per cubic second. RFC 9438 §4.
 */
const beta = 0.7
const cubic = 0.4

/**
 * The shortest and the longest wait before TCP sends something again, ms. Linux: TCP_RTO_MIN and
 * TCP_RTO_MAX.
 */
export const retransmitMin = 200
export const retransmitMax = 120_000
/**
 * The most losses of one segment. It is then 33 hours late. Without this limit a run that loses all
 * packets would never end.
 */
const mostTimeouts = 1_000
/**
 * Acknowledgements of segments out of order wait for further segments: 5 % of the round trip, and
 * at most this time, ms. Linux: tcp_comp_sack_delay_ns.
 */
const mostSackDelay = 1

/** The path of one message. */
export interface Journey {
  /** The one-way delay, ms. */
  readonly delay: Milliseconds
  /** The share of packets that get lost, 0 to below 1. */
  readonly loss: number
  readonly random: () => number
}

export class TcpFlow {
  #window = initialWindow
  /** Below this threshold the window doubles each round trip. */
  #threshold = Infinity
  /** The window before and after the last loss, and the time from which CUBIC grows. */
  #before = 0
  #reducedTo = 0
  #reducedAt: Milliseconds = 0
  /** The end of the present round trip, and the window that is left until then. */
  #roundEnds: Milliseconds = 0
  #room = initialWindow
  /** The number of repeated segments of the last message. */
  resent = 0

  /** Returns how long after `now` the last of these segments arrives. */
  send(segments: number, now: Milliseconds, journey: Journey): Milliseconds {
    const { delay, loss, random } = journey
    const roundTrip = 2 * delay
    this.#begin(now, roundTrip)
    this.resent = 0
    let at = now
    if (this.#room === 0) {
      at = this.#roundEnds
      this.#grown(at, roundTrip, this.#window)
      this.#next(at, roundTrip)
    }
    let [fresh, lost, hidden, timeouts, covered] = [segments, 0, 0, 0, 0]
    let arrived = at
    while (fresh + lost + hidden > 0) {
      const recovering = covered
      covered = 0
      const burst = Math.max(1, Math.min(Math.floor(this.#room), fresh + lost))
      this.#room -= burst
      const again = Math.min(lost, burst)
      this.resent += again
      fresh -= burst - again
      let [gone, tail, first] = [0, 0, -1]
      for (let i = 0; i < burst; i++) {
        const isLost = loss > 0 && timeouts < mostTimeouts && random() < loss
        if (isLost && first < 0 && i >= recovering) first = i
        gone += isLost ? 1 : 0
        tail = isLost ? tail + 1 : 0
      }
      lost += gone - again
      if (gone < burst) {
        arrived = Math.max(arrived, at + delay)
        timeouts = 0
        // Acknowledgements of later segments reveal that the hidden segments are missing.
        lost += hidden
        hidden = 0
      }
      if (fresh + lost + hidden === 0) break
      if (gone === 0) {
        this.#grown(at + roundTrip, roundTrip, burst)
        at += roundTrip
      } else if (tail < burst && (tail === 0 || fresh > 0)) {
        const noticed = roundTrip + Math.min(roundTrip / 20, mostSackDelay)
        if (first >= 0) {
          // Segments that left before the sender knew of the loss belong to the same recovery.
          // Their losses count as one (RFC 6675 §5, RecoveryPoint).
          covered = first
          if (this.#window < this.#threshold) {
            // In slow start the segments acknowledged before the loss enlarged the window.
            covered += first
            this.#window += first
          }
          this.#reduce(at + noticed, roundTrip)
        }
        lost -= tail
        hidden = tail
        at += noticed
      } else if (burst > 1 && timeouts === 0) {
        // No later segment can reveal the loss. A probe repeats the last segment, and its
        // acknowledgement reveals the other missing segments.
        at += 2 * roundTrip
        timeouts = 1
        if (random() >= loss) {
          this.resent += 1
          arrived = Math.max(arrived, at + delay)
          lost -= 1
          timeouts = 0
          this.#reduce(at + roundTrip, roundTrip)
          if (fresh + lost > 0) at += roundTrip
        }
      } else {
        at += Math.min((retransmitMin + roundTrip) * (1 << Math.min(timeouts, 16)), retransmitMax)
        timeouts += 1
        this.#reduce(at, roundTrip)
        this.#window = 1
      }
      this.#next(at, roundTrip)
    }
    return arrived - now
  }

  /** Starts a round trip with a full window. */
  #next(at: Milliseconds, roundTrip: Milliseconds): void {
    this.#roundEnds = at + roundTrip
    this.#room = Math.max(1, Math.floor(this.#window))
  }

  /**
   * Starts a new round trip if the last one is over. After a pause the window returns to its
   * initial size (RFC 2861, tcp_slow_start_after_idle).
   */
  #begin(now: Milliseconds, roundTrip: Milliseconds): void {
    if (now < this.#roundEnds) return
    if (now - this.#roundEnds > retransmitMin + roundTrip) {
      this.#window = Math.min(this.#window, initialWindow)
      this.#reducedAt = now
    }
    this.#next(now, roundTrip)
  }

  #reduce(at: Milliseconds, roundTrip: Milliseconds): void {
    // Fast convergence: a flow that loses before its window has recovered leaves room for others.
    this.#before = this.#window < this.#before ? (this.#window * (1 + beta)) / 2 : this.#window
    this.#window = Math.max(leastWindow, this.#window * beta)
    this.#threshold = this.#window
    this.#reducedTo = this.#window
    // The window grows again with the acknowledgement of the missing segments (RFC 6937): a round
    // trip later.
    this.#reducedAt = at + roundTrip
  }

  /** Grows the window after the acknowledgement of this many segments. */
  #grown(at: Milliseconds, roundTrip: Milliseconds, acknowledged: number): void {
    if (this.#window < this.#threshold) {
      this.#window += acknowledged
      return
    }
    const since = Math.max(0, at - this.#reducedAt) / 1_000
    const lost = (this.#before - this.#reducedTo) / cubic
    const top = lost > 0 ? exactExp(exactLog(lost) / 3) : 0
    // The point of the curve a round trip later (RFC 9438 §4.2).
    const past = since + roundTrip / 1_000 - top
    const curve = cubic * past * past * past + this.#before
    // The window grows no slower than with Reno (RFC 9438 §4.3).
    const friendly = this.#reducedTo + ((3 * (1 - beta)) / (1 + beta)) * ((since * 1_000) / Math.max(roundTrip, 1e-3))
    this.#window = Math.min(Math.max(this.#window, curve, friendly), 1.5 * this.#window)
  }
}
