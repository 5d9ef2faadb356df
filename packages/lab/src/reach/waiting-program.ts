import { task } from '@jel/compute/program'

export const one = task(async (time: number) => {
  await new Promise((resolve) => setTimeout(resolve, time))
  return 1
})

export const all = task(async ([count, time]: readonly [number, number], { run }) => {
  const values = await Promise.all(Array.from({ length: count }, async () => await run(one, time)))
  return values.reduce((sum, value) => sum + value, 0)
})
