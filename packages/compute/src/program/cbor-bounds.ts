/** A bound on the memory of decoded CBOR. */

/** Maximum nesting. A guess: messages have six levels. */
const MAX_DEPTH = 64
/**
 * The tag of a packed table (draft-ietf-cbor-packed). References to it multiply what they name:
 * 5 KB could become 2,000,000 elements.
 */
export const PACKED_TABLE = 51
/** Length of the argument of a head, for each value of its additional information from 24 on. */
export const ARGUMENTS = [1, 2, 4, 8] as const

/**
 * Checks the heads of all items, and decodes no item. A decoder would build all items before any
 * check of a schema. Each byte may be an empty map: 6 MiB would take 1.5 GiB.
 *
 * @param most maximum number of arrays, maps and tags
 * @throws RangeError
 */
export function checkContainers(data: Uint8Array, most: number): void {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  /** Items to come in each open container. */
  const open = [1]
  let containers = 0
  for (let at = 0; open.length > 0;) {
    const depth = open.length - 1
    if (open[depth] === 0) {
      open.pop()
      continue
    }
    open[depth] = (open[depth] as number) - 1
    if (at >= data.length) throw new RangeError('CBOR is cut off')
    const head = data[at++] as number
    const [major, info] = [head >> 5, head & 31]
    const size = info < 24 ? 0 : ARGUMENTS[info - 24]
    if (size === undefined || at + size > data.length) throw new RangeError('CBOR of no known length')
    const count =
      size === 0
        ? info
        : size === 1
          ? view.getUint8(at)
          : size === 2
            ? view.getUint16(at)
            : size === 4
              ? view.getUint32(at)
              : Number(view.getBigUint64(at))
    at += size
    if (major === 2 || major === 3) at += count
    if (major < 4 || major === 7) continue
    if (major === 6 && count === PACKED_TABLE) throw new RangeError('CBOR with a packed table')
    const items = major === 4 ? count : major === 5 ? 2 * count : 1
    if (items > data.length - at) throw new RangeError('CBOR has more elements than bytes')
    if (++containers > most) throw new RangeError(`CBOR has more than ${most} lists and maps`)
    if (open.length > MAX_DEPTH) throw new RangeError(`CBOR is nested more than ${MAX_DEPTH} levels deep`)
    open.push(items)
  }
}
