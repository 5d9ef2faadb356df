import { task } from '@jel/compute/program'

/** Tasks that keep a worker busy, `ms` each. */
export const wide = task(async ({ tasks, ms }: { tasks: number; ms: number }, { run }) => {
  await Promise.all(Array.from({ length: tasks }, (_, number) => run(busy, { number, ms })))
})

export const busy = task(({ ms }: { number: number; ms: number }) => {
  for (const end = performance.now() + ms; performance.now() < end;);
})
