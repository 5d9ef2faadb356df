/** PrimeFinder (GTPE §4): threads of the grid count primes, each among its own numbers; in rounds that end with a barrier (§3.6) they find the n-th. */
import { task } from '@jel/compute/program'

interface Count {
  readonly threads: number
  readonly below: number
}

/** How many primes there are below a number. */
export const count = task(async ({ threads, below }: Count, { run }) => {
  const parts = await Promise.all(Array.from({ length: threads }, (_, thread) => run(part, { thread, threads, below })))
  return parts.reduce((sum, each) => sum + each, 0)
})

/** Of odd numbers each thread takes one in so many. The paper counts 1 in place of 2. */
export const part = task(({ thread, threads, below }: Count & { readonly thread: number }) => {
  let found = 0
  for (let number = 2 * thread + 1; number < below; number += 2 * threads) if (isPrime(number)) found++
  return found
})

/** Numbers that one thread looks through in a round. */
const PART = 20_000

interface Search {
  readonly threads: number
  /** How many primes to find. */
  readonly count: number
}

/** The prime of this number: 2 is the first. */
export const nth = task(async ({ threads, count }: Search, { run }) => {
  let found = 0
  for (let from = 2; ; from += threads * PART) {
    const parts = Array.from({ length: threads }, (_, thread) => run(primes, from + thread * PART))
    // The barrier: all threads of this round have come here.
    for (const part of await Promise.all(parts)) {
      if (found + part.length >= count) return part[count - found - 1]
      found += part.length
    }
  }
})

/** The primes among the numbers that begin here. */
export const primes = task((from: number) => {
  const found: number[] = []
  for (let number = from; number < from + PART; number++) if (isPrime(number)) found.push(number)
  return found
})

function isPrime(number: number): boolean {
  for (let divisor = 2; divisor * divisor <= number; divisor++) if (number % divisor === 0) return false
  return true
}
