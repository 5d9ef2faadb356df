/** Returns the reason why an address does not answer, with the address once. */
export function reasonAt(address: string, reason: string): string {
  return reason.includes(address) ? reason : `${address}: ${reason}`
}
