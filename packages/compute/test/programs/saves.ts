import { appendFileSync, readFileSync } from 'node:fs'
import { task } from '@jel/compute/program'
import { blockFor } from './block.ts'

interface Steps {
  readonly steps: number
  readonly ms: number
  /** Each step adds its number to this file. `sum` also adds the step with which a run begins. */
  readonly log: string
}

/** Adds up numbers, one a step, and saves after each step. */
export const sum = task(async ({ steps, ms, log }: Steps, { saved, save }) => {
  let { next, total } = (saved as { next: number; total: number } | undefined) ?? { next: 0, total: 0 }
  appendFileSync(log, `@${next} `)
  for (; next < steps;) {
    blockFor(ms)
    appendFileSync(log, `${next} `)
    total += next++
    await save({ next, total })
  }
  return total
})

/** Waits for another member, which runs `sum`. */
export const parent = task(async (input: Steps, { run }) => await run(sum, input))

/** Saves only once it must stop. */
export const late = task(async ({ steps, ms, log }: Steps, { saved, save, stopping }) => {
  for (let next = (saved as number | undefined) ?? 0; next < steps; next++) {
    if (stopping.aborted) await save(next)
    await new Promise((resolve) => setTimeout(resolve, ms))
    appendFileSync(log, `${next} `)
  }
  return 'done'
})

interface Heat {
  readonly size: number
  readonly rounds: number
  /** A file with the number of pieces into which a run cuts the array. */
  readonly pieces: string
  readonly log: string
}

/** One round of a piece. Its first and last elements belong to its neighbours. */
export const relax = task(({ part }: { part: Float64Array; round: number }) => {
  blockFor(5)
  return part.map((value, at) =>
    at === 0 || at === part.length - 1 ? value : ((part[at - 1] as number) + value + (part[at + 1] as number)) / 3,
  )
})

/**
 * Relaxes an array in rounds. Each run may cut the array into another number of pieces, for example
 * into as many as there are processors. A run goes on from the array of the last round.
 */
export const heat = task(async ({ size, rounds, pieces, log }: Heat, { saved, save, run }) => {
  let { round, array } = (saved as { round: number; array: Float64Array } | undefined) ?? {
    round: 0,
    array: Float64Array.from({ length: size }, (_, at) => (at * 7919) % 101),
  }
  const count = Number(readFileSync(pieces, 'utf8'))
  for (; round < rounds; round++) {
    appendFileSync(log, `${round}:${count} `)
    const bounds = Array.from({ length: count + 1 }, (_, at) => 1 + Math.floor((at * (size - 2)) / count))
    const parts = await Promise.all(
      bounds.slice(0, -1).map((from, at) => run(relax, { part: array.slice(from - 1, (bounds[at + 1] as number) + 1), round })),
    )
    const next = array.slice()
    for (const [at, part] of parts.entries()) next.set(part.subarray(1, -1), bounds[at])
    array = next
    await save({ round: round + 1, array })
  }
  return array.reduce((total, value) => total + value, 0)
})
