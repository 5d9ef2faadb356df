/**
 * Calculates the bytes of a message on the wire, with the headers of the overlay's stack: a length,
 * yamux, Noise, TCP and IP.
 */

/** The headers of each packet: IPv4 20, TCP 20, TCP's time stamps 12. */
export const packetHeader = 52

/** The payload of one packet of 1,500 bytes. */
export const segment = 1_448

/**
 * yamux's header (12 bytes), Noise's length (2) and Noise's tag (16). All data that leaves on one
 * stream in one tick shares them.
 */
const recordHeader = 30

/** The longest piece that yamux and Noise put under one header. */
const record = 65_519

/** Returns the bytes of an unsigned varint. */
function varintBytes(value: number): number {
  let bytes = 1
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 128)) bytes += 1
  return bytes
}

/** Returns the bytes of a message with its length prefix. */
export function prefixed(bytes: number): number {
  return varintBytes(bytes) + bytes
}

/**
 * Returns the bytes of a piece of stream within TCP. `opens`: the piece begins a record. Otherwise
 * it shares a record that left in the same tick.
 */
export function streamBytes(bytes: number, opens: boolean): number {
  const records = bytes <= record ? (opens ? 1 : 0) : Math.ceil(bytes / record)
  return bytes + records * recordHeader
}

/**
 * Returns the bytes of the packet headers. `departs`: the piece begins a packet. Otherwise it
 * shares a packet that left in the same tick.
 */
export function headerBytes(stream: number, departs: boolean): number {
  return (stream <= segment ? (departs ? 1 : 0) : Math.ceil(stream / segment)) * packetHeader
}

/** Returns the number of acknowledgements without data that a long message causes. */
export function extraAcknowledgements(bytes: number): number {
  return bytes <= 2 * segment ? 0 : Math.floor(bytes / (2 * segment)) - 1
}
