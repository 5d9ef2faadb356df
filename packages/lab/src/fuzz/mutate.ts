/**
 * Makes new inputs from old inputs. It uses the byte mutations of libFuzzer and AFL, and mutations
 * that break length-prefixed formats.
 */
type Random = () => number

const pickIndex = (random: Random, count: number): number => Math.floor(random() * count)

/** Bytes that decoders most often get wrong: ends of ranges, and tags and lengths of protobuf. */
const trickyBytes = [0, 1, 2, 0x7f, 0x80, 0xff, 0x08, 0x0a, 0x0b, 0x0c, 0x10, 0x12, 0x1a, 0x22, 0x2a, 0x32, 0x3a, 0x42, 0x4a, 0x52, 0x7b]

/** Longest input, bytes. */
const longest = 4_096

const mutations: ((input: Uint8Array, other: Uint8Array, random: Random) => Uint8Array)[] = [
  // a bit flipped
  (input, _, random) => change(input, random, (byte) => byte ^ (1 << pickIndex(random, 8))),
  // a byte replaced
  (input, _, random) => change(input, random, () => trickyBytes[pickIndex(random, trickyBytes.length)] as number),
  (input, _, random) => change(input, random, () => pickIndex(random, 256)),
  // a number a little larger or smaller
  (input, _, random) => change(input, random, (byte) => byte + pickIndex(random, 17) - 8),
  // some bytes removed
  (input, _, random) => {
    const at = pickIndex(random, input.length + 1)
    return Uint8Array.from([...input.subarray(0, at), ...input.subarray(at + pickIndex(random, 16))])
  },
  // some bytes inserted
  (input, _, random) => {
    const at = pickIndex(random, input.length + 1)
    const bytes = Array.from({ length: 1 + pickIndex(random, 8) }, () => trickyBytes[pickIndex(random, trickyBytes.length)] as number)
    return Uint8Array.from([...input.subarray(0, at), ...bytes, ...input.subarray(at)])
  },
  // a part repeated
  (input, _, random) => {
    const from = pickIndex(random, input.length + 1)
    const part = input.subarray(from, from + 1 + pickIndex(random, 64))
    return Uint8Array.from([...input.subarray(0, from), ...part, ...part, ...input.subarray(from + part.length)])
  },
  // the beginning of one input and the end of another
  (input, other, random) =>
    Uint8Array.from([...input.subarray(0, pickIndex(random, input.length + 1)), ...other.subarray(pickIndex(random, other.length + 1))]),
]

function change(input: Uint8Array, random: Random, replace: (byte: number) => number): Uint8Array {
  const copy = input.slice()
  if (copy.length > 0) {
    const at = pickIndex(random, copy.length)
    copy[at] = replace(copy[at] as number)
  }
  return copy
}

/** Makes one input from others by a few mutations, most often by one. */
export function mutate(corpus: readonly Uint8Array[], random: Random): Uint8Array {
  const pick = (): Uint8Array => corpus[pickIndex(random, corpus.length)] ?? new Uint8Array(0)
  let input = pick()
  do {
    const mutation = mutations[pickIndex(random, mutations.length)]
    if (mutation) input = mutation(input, pick(), random).subarray(0, longest)
  } while (random() < 0.4)
  return input
}
