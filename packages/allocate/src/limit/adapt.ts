/** The ends of a search lie apart by at most this share. From GARA. */
const PRECISION = 0.05

/** The bytes that a limit has seen. */
export interface Counts {
  /** They came within the leased rate. */
  readonly conforming: number
  /** They came too fast: `pace` delayed them, and `admits` refused them. */
  readonly exceeding: number
}

/**
 * Corrects a reservation by what a sender sent that does not slow down (GARA): of its bytes the
 * share P = exceeding / (conforming + borderline / 2 + exceeding) is too much, so it needs
 * reserved / (1 - P).
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
 * Finds the reservation that a sender needs that slows down, as TCP does (GARA): nothing of it is
 * ever too much, so no count says what it needs. Doubles the reservation until it is enough, and
 * then halves the range until it is right within 5 %.
 *
 * @param isEnough tries a reservation; an error of it ends the search
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
