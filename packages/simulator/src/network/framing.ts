/**
 * How many bytes a message is on the wire: what the overlay's stack (a length, yamux, Noise, TCP and IP) puts around it.
 */

/** IPv4 20, TCP 20, its time stamps 12: around each packet. */
export const packetHeader = 52

/** What fits into one packet of 1,500 bytes. */
export const segment = 1_448

/** yamux's header of 12 bytes, Noise's length of 2 and its tag of 16: once for all that leaves on one stream in one tick. */
const recordHeader = 30

/** Longest piece that yamux and Noise put under one header. */
const record = 65_519

/** Bytes of an unsigned varint. */
function varintBytes(value: number): number {
  let bytes = 1
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 128)) bytes += 1
  return bytes
}

/** A message with its length before it. */
export function prefixed(bytes: number): number {
  return varintBytes(bytes) + bytes
}

/** Bytes of a piece of stream as TCP carries it. `opens`: it begins a record of its own, instead of sharing one with what left in the same tick. */
export function streamBytes(bytes: number, opens: boolean): number {
  const records = bytes <= record ? (opens ? 1 : 0) : Math.ceil(bytes / record)
  return bytes + records * recordHeader
}

/** Bytes of headers around it. `departs`: it begins a packet of its own, instead of sharing one with what left in the same tick. */
export function headerBytes(stream: number, departs: boolean): number {
  return (stream <= segment ? (departs ? 1 : 0) : Math.ceil(stream / segment)) * packetHeader
}

/** Acknowledgements without data that a long message calls for. */
export function extraAcknowledgements(bytes: number): number {
  return bytes <= 2 * segment ? 0 : Math.floor(bytes / (2 * segment)) - 1
}
