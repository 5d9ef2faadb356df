import type { TestRunner } from './acceptance.ts'

/**
 * Returns a runner that skips about half of the cases. A case's name decides, so a case stays in
 * its half when others are added.
 */
export function halfOf(it: TestRunner['it']): TestRunner['it'] {
  const isChosen = (name: string): boolean => new TextEncoder().encode(name).reduce((sum, byte) => sum + byte, 0) % 2 === 0
  return Object.assign((name: string, body: () => Promise<void>) => (isChosen(name) ? it : it.skip)(name, body), { skip: it.skip })
}
