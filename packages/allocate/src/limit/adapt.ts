/** The search ends when its range is at most this share wide. The paper on GARA has this value. */
const PRECISION = 0.05

/** The bytes that a limit has seen. */
export interface Counts {
  /** Bytes that came within the leased rate. */
  readonly conforming: number
  /** Bytes that came too fast: `pace` delayed them, and `admits` refused them. */
  readonly exceeding: number
}

/**
 * Corrects a reservation of a sender that does not slow down (GARA). The share P = exceeding /
 * (conforming + borderline / 2 + exceeding) of its bytes came too fast. So it needs reserved / (1 -
 * P).
 *
 * @param counts `borderline`: bytes that came within the rate only because of a reserve; default: 0
 * @returns the doubled reservation if nothing came within the rate
 */
export function corrected(reserved: number, counts: Counts & { readonly borderline?: number }): number {
  const { conforming, exceeding, borderline = 0 } = counts
  const within = conforming + borderline / 2
  return within === 0 ? 2 * reserved : (reserved * (within + exceeding)) / within
}

/**
 * Finds the reservation for a sender that slows down, as TCP does (GARA). Such a sender never sends
 * too fast, so the counts do not show its need. Doubles the reservation until it is enough. Then
 * halves the range until the result is right within 5 %.
 *
 * @param isEnough tries a reservation; if it throws, the search ends
 * @returns a reservation that was enough
 */
export async function leastEnough(reserved: number, isEnough: (reservation: number) => Promise<boolean>): Promise<number> {
  let [low, high] = [reserved, reserved]
  while (!(await isEnough(high))) [low, high] = [high, 2 * high]
  while (high > low * (1 + PRECISION)) {
    const middle = Math.sqrt(low * high)
    if (await isEnough(middle)) high = middle
    else low = middle
  }
  return high
}
