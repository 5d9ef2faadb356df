/** Runs one pool in a process of its own, so that memory is that of one size only. */
import { serve } from '../base/remote.ts'
import { Course, type Phase, type Plan } from './course.ts'

const worker = {
  run(plan: Plan): { readonly traceHash: string; readonly phases: readonly Phase[] } {
    const phases: Phase[] = []
    const course = new Course(plan, (phase) => phases.push(phase))
    course.run()
    return { traceHash: course.traceHash, phases }
  },
}

export type SimulatorWorker = typeof worker

serve(worker)
