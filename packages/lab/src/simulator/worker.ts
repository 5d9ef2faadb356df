/**
 * Runs one pool in a process of its own, so that memory is that of one size only. The plan comes as
 * JSON; it prints a line of JSON for each phase.
 */
import { Course, type Plan } from './course.ts'

const plan = JSON.parse(process.argv[2] ?? '{}') as Plan
const course = new Course(plan, (phase) => console.log(JSON.stringify(phase)))
course.run()
console.log(JSON.stringify({ traceHash: course.traceHash }))
