/**
 * Formats a measured time in ms, as in `0.4 ms`, `27 ms` or `1.5 s`. A time of a minute or more is
 * as in {@link durationText}. A negative time is `0.0 ms`. A time that is infinite or no number is
 * `–`.
 */
export function timeText(ms: number): string {
  if (ms < 9.95) return `${Math.max(0, ms).toFixed(1)} ms`
  if (ms < 999.5) return `${Math.round(ms)} ms`
  return ms < 59_950 ? `${(ms / 1000).toFixed(1)} s` : durationText(ms)
}

/**
 * Formats an age or a term in ms, as in `12 s`, `3 min 5 s`, `2 h 10 min` or `6 d 23 h`: two units
 * at most. A negative time is `0 s`. A time that is infinite or no number is `–`.
 */
export function durationText(ms: number): string {
  const total = Math.max(0, Math.round(ms / 1000))
  if (!Number.isFinite(total)) return '–'
  if (total < 60) return `${total} s`
  const [large, unit, small, rest] =
    total < 3600 ? ([60, 'min', 1, 's'] as const) : total < 86_400 ? ([3600, 'h', 60, 'min'] as const) : ([86_400, 'd', 3600, 'h'] as const)
  const further = Math.floor((total % large) / small)
  return `${Math.floor(total / large)} ${unit}${further === 0 ? '' : ` ${further} ${rest}`}`
}

/** Shortens an id to its end: ids of one kind all start alike. */
export function shortId(id: string): string {
  return `…${id.slice(-8)}`
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
