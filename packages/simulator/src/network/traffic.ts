/** What one node sent and received. Bytes are those of the payload: what carries it (TCP, Noise, yamux) is not in them. */
export class Traffic {
  framesSent = 0
  frameBytesSent = 0
  framesReceived = 0
  frameBytesReceived = 0
  /** Copies of broadcasts handed to a link, one's own and forwarded ones. */
  broadcastsSent = 0
  broadcastBytesSent = 0
  /** Copies that arrived, duplicates included. */
  broadcastsReceived = 0
  broadcastBytesReceived = 0
  /** Of these, the ones that had arrived before. */
  broadcastDuplicates = 0
  dials = 0
  knocks = 0

  get bytesSent(): number {
    return this.frameBytesSent + this.broadcastBytesSent
  }

  get bytesReceived(): number {
    return this.frameBytesReceived + this.broadcastBytesReceived
  }
}
