/** Facts about this machine. A browser tells little. */

export function machineName(): string {
  return 'tab'
}

export function sinceBoot(): number | undefined {
  return undefined
}
