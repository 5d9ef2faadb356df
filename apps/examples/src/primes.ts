/**
 * PrimeFinder (the GTPE paper, §4): several tasks, called threads, count primes. Each counts among
 * its own numbers. To find the n-th prime, they search in rounds that end with a barrier (§3.6).
 */
import { task } from '@jel/compute/program'

interface Count {
  readonly threads: number
  readonly below: number
}

/** Counts the primes below a number. */
export const count = task(async ({ threads, below }: Count, { run }) => {
  const parts = await Promise.all(Array.from({ length: threads }, (_, thread) => run(part, { thread, threads, below })))
  return below <= 2 ? 0 : parts.reduce((sum, each) => sum + each, 0)
})

/**
 * Counts the primes of one thread. The thread takes every `threads`-th odd number. As in the paper,
 * 1 counts as a prime in place of 2.
 */
export const part = task(({ thread, threads, below }: Count & { readonly thread: number }) => {
  let found = 0
  for (let number = 2 * thread + 1; number < below; number += 2 * threads) if (isPrime(number)) found++
  return found
})

/** The number of candidates that one thread tests in a round. */
const PART = 20_000

interface Search {
  readonly threads: number
  /** The number of primes to find. */
  readonly count: number
}

/** Returns the n-th prime. 2 is the first. */
export const nth = task(async ({ threads, count }: Search, { run }) => {
  let found = 0
  for (let from = 2; ; from += threads * PART) {
    const parts = Array.from({ length: threads }, (_, thread) => run(primes, from + thread * PART))
    // The barrier: all threads of this round have finished.
    for (const part of await Promise.all(parts)) {
      if (found + part.length >= count) return part[count - found - 1]
      found += part.length
    }
  }
})

/** Returns the primes among the `PART` numbers from `from` on. */
export const primes = task((from: number) => {
  const found: number[] = []
  for (let number = from; number < from + PART; number++) if (isPrime(number)) found.push(number)
  return found
})

function isPrime(number: number): boolean {
  for (let divisor = 2; divisor * divisor <= number; divisor++) if (number % divisor === 0) return false
  return true
}
