import type { SwarmFeature } from './swarm.ts'

/** Runs a case that needs features that the swarm lacks. Throws if the case passes. */
export async function mustFail(run: () => Promise<void>, missing: readonly SwarmFeature[]): Promise<void> {
  try {
    await run()
  } catch {
    return
  }
  throw new Error(`it passes, though this swarm is said to lack ${missing.join(' and ')}`)
}
