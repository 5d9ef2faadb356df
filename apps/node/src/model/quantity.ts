/** Formats a time in ms, as in `0.4 ms`, `27 ms`, `1.5 s`, `3 min 20 s` or `2 h 5 min`. */
export function timeText(ms: number): string {
  if (ms < 9.95) return `${ms.toFixed(1)} ms`
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  const minutes = Math.round(seconds / 60)
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Formats a count, as in `950`, `12.3 k` or `4.5 M`. */
export function countText(count: number): string {
  if (count < 9999.5) return count < 9.95 && !Number.isInteger(count) ? count.toFixed(1) : String(Math.round(count))
  return count < 999_950 ? `${(count / 1e3).toFixed(1)} k` : `${(count / 1e6).toFixed(1)} M`
}

/** Formats amounts, as in `cpus=2 gpus=1`. Names are as they came. */
export function amountsText(amounts: Readonly<Record<string, number>>): string {
  return Object.entries(amounts)
    .map(([name, amount]) => `${name}=${Number(amount.toPrecision(6))}`)
    .join(' ')
}

/** Formats as `1 member` or `7 members`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Formats a share, as in `42 %`. Only complete work is 100 %. */
export function shareText(share: number): string {
  return `${share < 1 ? Math.min(99, Math.round(share * 100)) : 100} %`
}
