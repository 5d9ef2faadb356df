/** Simulates one pool in a separate process, so that the memory is that of one pool only. */
import { serve } from '../base/remote.ts'
import { PhasedRun, type Plan } from './phased-run.ts'

const worker = {
  run(plan: Plan): readonly string[][] {
    const run = new PhasedRun(plan)
    run.run()
    return run.rows
  },
}

export type SimulatorWorker = typeof worker

serve(worker)
