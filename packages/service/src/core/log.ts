import { MAX_ENTRY_BYTES, type Entry } from './entry.ts'

/** Maximum bytes of a log: see docs/services.md. */
export const MAX_LOG_BYTES = 64 * 1_048_576
/** A log that is too long is cut to this size, bytes. A guess. */
export const CUT_BYTES = (MAX_LOG_BYTES / 4) * 3

/**
 * The last operations, as JSON: `apply` may change the objects that it gets. Messages to other
 * replicas contain these texts, so no operation is encoded twice.
 */
export class Log {
  readonly #texts: string[] = []
  #bytes = 0

  get length(): number {
    return this.#texts.length
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Whether a backup must cut its log. A primary cuts its log earlier. */
  get isTooLong(): boolean {
    return this.#bytes > MAX_LOG_BYTES + MAX_ENTRY_BYTES
  }

  /**
   * Adds an operation. Returns its size.
   *
   * @param operation the operation as JSON
   * @param result the result as JSON
   */
  push({ reign, seq, caller, key, now, error, orphan }: Omit<Entry, 'operation' | 'result'>, operation: string, result: string): number {
    const head = JSON.stringify({ reign, seq, caller, key, now, error, orphan })
    const text = `${head.slice(0, -1)},"result":${result},"operation":${operation}}`
    this.#texts.push(text)
    this.#bytes += text.length
    return text.length
  }

  /** Returns operations from this index on: up to `maxBytes` of them, but at least one. */
  textsFrom(place: number, maxBytes: number): readonly string[] {
    const texts: string[] = []
    let bytes = 0
    for (let at = place; at >= 0 && at < this.#texts.length; at++) {
      const text = this.#texts[at] as string
      if (texts.length > 0 && bytes + text.length > maxBytes) break
      texts.push(text)
      bytes += text.length
    }
    return texts
  }

  /** Drops the `count` oldest operations. */
  drop(count: number): void {
    for (const { length } of this.#texts.splice(0, count)) this.#bytes -= length
  }

  /** Drops the oldest operations until at most this many bytes are left. */
  cut(bytes: number): void {
    let [count, left] = [0, this.#bytes]
    for (; left > bytes; count++) left -= (this.#texts[count] as string).length
    this.drop(count)
  }
}
