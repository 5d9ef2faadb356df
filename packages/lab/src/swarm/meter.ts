/**
 * Counts the messages that the protocol sends on all nodes of this process. It works on real hosts
 * and in the simulator.
 */
import { ProtocolNode, type BroadcastVerdict, type Effect, type Input, type Milliseconds } from '@jel/protocol'

/** The two methods that drive a node. */
export interface Handlers {
  handle: (this: ProtocolNode, input: Input, now: Milliseconds) => Effect[]
  handleBroadcast: (this: ProtocolNode, data: Uint8Array, now: Milliseconds) => { verdict: BroadcastVerdict; effects: Effect[] }
}

export class Meter {
  frames = 0
  frameBytes = 0
  published = 0
  links = 0

  /** Starts counting. Only one meter a process. */
  constructor() {
    const prototype = ProtocolNode.prototype as unknown as Handlers
    const { handle, handleBroadcast } = prototype
    const took = ({ type }: Input): void => void (type === 'connected' && (this.links += 1 / 2))
    const gave = (effects: readonly Effect[]): void => this.#count(effects)
    prototype.handle = function metered(input, now) {
      took(input)
      const effects = handle.call(this, input, now)
      gave(effects)
      return effects
    }
    prototype.handleBroadcast = function metered(data, now) {
      const judged = handleBroadcast.call(this, data, now)
      gave(judged.effects)
      return judged
    }
  }

  #count(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.type === 'broadcast') this.published += 1
      if (effect.type !== 'send') continue
      this.frames += 1
      this.frameBytes += effect.data.length
    }
  }
}
