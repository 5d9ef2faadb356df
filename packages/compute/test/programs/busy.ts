/** Keeps its thread busy for this time, ms. */
export function busyFor(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}
