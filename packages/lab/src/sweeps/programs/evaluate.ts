export function evaluate({ x, ms }: { x: number; ms: number }) {
  const end = performance.now() + ms
  while (performance.now() < end);
  return { y: x * x }
}
