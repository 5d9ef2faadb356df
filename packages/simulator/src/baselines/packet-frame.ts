import type { Message, Packet } from './call.ts'

/** Frames are counted, and nobody reads their bytes: all of them look at the same ones. */
let blank = new Uint8Array(2 ** 16)

class PacketFrame extends Uint8Array {
  packet: Packet<Message> | undefined
}

/** A frame of the packet's size that carries the packet itself. */
export function toFrame(packet: Packet<Message>): Uint8Array {
  const { bytes } = packet.message
  if (blank.length < bytes) blank = new Uint8Array(2 ** Math.ceil(Math.log2(bytes)))
  const frame = new PacketFrame(blank.buffer, 0, bytes)
  frame.packet = packet
  return frame
}

export function fromFrame(frame: Uint8Array): Packet<Message> {
  if (frame instanceof PacketFrame && frame.packet !== undefined) return frame.packet
  throw new TypeError('a baseline protocol got a frame of another protocol')
}
