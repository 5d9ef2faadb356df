/** The bytes of the number in front of a message. */
export const NUMBER_BYTES = 4

/** Returns the number in front of a message. An acknowledgement is a number without a message. */
export function numberOf(frame: Uint8Array): number {
  return new DataView(frame.buffer, frame.byteOffset).getUint32(0)
}

export function withNumber(number: number, message: Uint8Array = new Uint8Array()): Uint8Array {
  const frame = new Uint8Array(NUMBER_BYTES + message.length)
  new DataView(frame.buffer).setUint32(0, number)
  frame.set(message, NUMBER_BYTES)
  return frame
}
