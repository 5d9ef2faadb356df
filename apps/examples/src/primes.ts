/**
 * PrimeFinder (GTPE §5): threads of the grid look for primes in parts of a range, and a barrier ends each round, after which the next range is known: it
 * begins behind the last one, until there are enough.
 */
import { task } from '@jel/compute/program'

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
