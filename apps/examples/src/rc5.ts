/**
 * A search for the key of an RC5 cipher (Jalapeno ch. 4). The space of keys is cut into pieces that
 * take a second each. The first match ends the search everywhere.
 * The cipher is RC5-32/12 with a key of five bytes. 22 bits of the key are unknown.
 */
import { first, shared, space } from '@jel/compute/program'

const [ROUNDS, WORDS] = [12, 2]
const PLAIN = [0x6a656c20, 0x706f6f6c] as const
const BITS = 22

const key = shared(first<number>())

/** Finds the key that encrypts the known plain text to the known cipher text. */
export const find = space({ limits: [[0, 2 ** BITS]], piece: '1 s', until: key }, ([range]) => {
  const [from, to] = range as readonly [number, number]
  for (let candidate = from; candidate < to; candidate++) {
    const [left, right] = encrypt(candidate)
    if (left !== CIPHER[0] || right !== CIPHER[1]) continue
    key.offer(candidate)
    return
  }
})

function encrypt(low: number): [number, number] {
  const s = schedule(low)
  let [a, b] = [(PLAIN[0] + (s[0] as number)) | 0, (PLAIN[1] + (s[1] as number)) | 0]
  for (let round = 1; round <= ROUNDS; round++) {
    a = (rotate(a ^ b, b) + (s[2 * round] as number)) | 0
    b = (rotate(b ^ a, a) + (s[2 * round + 1] as number)) | 0
  }
  return [a, b]
}

function schedule(low: number): Int32Array {
  const words = Int32Array.of(low, 0x42)
  const s = new Int32Array(2 * (ROUNDS + 1))
  s[0] = 0xb7e15163
  for (let index = 1; index < s.length; index++) s[index] = ((s[index - 1] as number) + 0x9e3779b9) | 0
  for (let step = 0, a = 0, b = 0; step < 3 * s.length; step++) {
    a = s[step % s.length] = rotate((s[step % s.length] as number) + a + b, 3)
    b = words[step % WORDS] = rotate((words[step % WORDS] as number) + a + b, a + b)
  }
  return s
}

function rotate(value: number, by: number): number {
  return (value << (by & 31)) | (value >>> (32 - (by & 31)))
}

const CIPHER = encrypt(0x2f1e3d)
