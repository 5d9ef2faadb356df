/** Runs one pool in a process of its own, so that memory is that of one size only. */
import { serve } from '../base/remote.ts'
import { PhasedRun, type Phase, type Plan } from './phased-run.ts'

const worker = {
  run(plan: Plan): { readonly traceHash: string; readonly phases: readonly Phase[] } {
    const phases: Phase[] = []
    const phased = new PhasedRun(plan, (phase) => phases.push(phase))
    phased.run()
    return { traceHash: phased.traceHash, phases }
  },
}

export type SimulatorWorker = typeof worker

serve(worker)
