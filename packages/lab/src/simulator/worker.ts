/** Runs one pool in a process of its own, so that memory is that of one size only. */
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
