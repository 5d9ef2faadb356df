/** Runs one pool in a process of its own, so that memory is that of one size only. */
import { serve } from '../base/remote.ts'
import { PhasedRun, type Phase, type Plan } from './phased-run.ts'

const worker = {
  run(plan: Plan): readonly Phase[] {
    const phases: Phase[] = []
    new Course(plan, (phase) => phases.push(phase)).run()
    return phases
  },
}

export type SimulatorWorker = typeof worker

serve(worker)
