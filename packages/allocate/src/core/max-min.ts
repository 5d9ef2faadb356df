/**
 * Divides an amount by max-min fairness. No share exceeds the wanted amount. A share can grow only
 * at the cost of a share that is not larger.
 *
 * @returns the shares in the order of the wants
 */
export function maxMin(total: number, wants: readonly number[]): number[] {
  const shares = wants.map(() => 0)
  let left = Math.max(0, total)
  const order = wants.map((want, at) => ({ want, at })).sort((a, b) => a.want - b.want)
  for (const [done, { want, at }] of order.entries()) {
    const share = Math.min(want, left / (order.length - done))
    shares[at] = share
    left -= share
  }
  return shares
}
