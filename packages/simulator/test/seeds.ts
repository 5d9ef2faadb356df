/** Returns the seeds to try: `SEEDS=7` repeats one seed, and `SEEDS=1-50` tries many. */
export function seeds(usual: string): number[] {
  const [first = 1, last = first] = (process.env['SEEDS'] ?? usual).split('-').map(Number)
  return Array.from({ length: last - first + 1 }, (_, i) => first + i)
}
