/** Keeps its thread busy, ms. */
export function busyFor(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}
