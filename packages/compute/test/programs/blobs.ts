/** Programs that use blobs. */
import { blob, task, type BlobReference } from '@jel/compute/program'

let unpacked = 0

function total(bytes: Uint8Array): { sum: number; unpacked: number } {
  unpacked++
  let sum = 0
  for (const byte of bytes) sum += byte
  return { sum, unpacked }
}

interface Asked {
  readonly data: BlobReference
  readonly number: number
}

/** Sums all bytes. */
export const sum = task(async ({ data }: { data: BlobReference }, { use }) => total(await use(data)).sum)

/** Returns how often this worker has unpacked the blob. `many` takes the maximum. */
export const once = task(async ({ data }: Asked, { use }) => (await use(data, total)).unpacked)

/** Runs tasks that all use one blob. Their inputs name it. */
export const many = task(async ({ data, tasks }: { data: BlobReference; tasks: number }, { run }) => {
  const numbers = await Promise.all(Array.from({ length: tasks }, (_, number) => run(once, { data, number })))
  return Math.max(...numbers)
})

/** Uses a blob by its name. */
export const named = task(async (cid: string, { use }) => new TextDecoder().decode(await use(blob(cid))))

/** Uses a blob that the job does not have, beside a task that succeeds. */
export const catches = task(async (cid: string, { run }) => {
  const [one, other] = await Promise.allSettled([run(named, cid), run(sound, 1)])
  const { code, message, member, tries } = (one as PromiseRejectedResult).reason as Record<string, unknown>
  return { code, message, member, tries, other }
})

export const sound = task((number: number) => number)

/** Asks for a blob, and does not wait for it. */
export const forgets = task(async (cid: string, { use }) => {
  void use(blob(cid))
  await new Promise((resolve) => setTimeout(resolve, 50))
  return 'still here'
})

/** Asks for a blob by a value that is no name of a blob. */
export const misuses = task(async (given: unknown, { use }) => (await use(given as BlobReference)).length)
