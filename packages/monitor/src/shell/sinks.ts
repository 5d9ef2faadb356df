import { fromJson } from '@jel/channel'
import { watchAnswer } from '../core/watch-messages.ts'
import { WatchedMember, type MemberEvent, type WatchEvent } from './watch-client.ts'

type Sink = (event: WatchEvent | MemberEvent) => void

/** The functions that take the samples of attributes that other members push. */
export class Sinks {
  readonly #sinks = new Map<string, Sink>()

  /** @returns a function that removes the sink */
  add(names: readonly string[], sink: Sink): () => void {
    for (const name of names) this.#sinks.set(name, sink)
    return () => {
      for (const name of names) if (this.#sinks.get(name) === sink) this.#sinks.delete(name)
    }
  }

  /**
   * Returns a function that takes the frames of a member that pushes these attributes; undefined:
   * some of them have no sink.
   */
  takerOf(member: string, names: readonly string[]): ((bytes: Uint8Array) => void) | undefined {
    if (!names.every((name) => this.#sinks.has(name))) return undefined
    const watched = new WatchedMember(member, names, (event) => {
      const name = 'name' in event ? event.name : names[0]
      if (name !== undefined) this.#sinks.get(name)?.(event)
    })
    return (bytes) => void watched.take(fromJson(watchAnswer, bytes))
  }
}
