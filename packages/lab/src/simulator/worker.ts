/** Runs one pool in a process of its own, so that memory is that of one size only. */
import { serve } from '../base/remote.ts'
import { Course, type Plan } from './course.ts'

const worker = {
  run(plan: Plan): readonly string[][] {
    const course = new Course(plan)
    course.run()
    return course.rows
  },
}

export type SimulatorWorker = typeof worker

serve(worker)
