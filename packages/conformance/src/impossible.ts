import type { SwarmFeature } from './swarm.ts'

/**
 * Runs a case that is declared impossible because the swarm lacks some features. Throws if the case
 * passes.
 */
export async function mustFail(run: () => Promise<void>, missing: readonly SwarmFeature[]): Promise<void> {
  try {
    await run()
  } catch {
    return
  }
  throw new Error(`it passes, though this swarm is said to lack ${missing.join(' and ')}`)
}
