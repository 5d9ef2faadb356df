/** Returns an event as a line of `--json` and of the control socket, without the line's end. */
export function jsonLine({ event, ...rest }: { readonly event: string }, pool: string): string {
  return JSON.stringify({ event, time: Date.now(), pool, ...rest })
}
