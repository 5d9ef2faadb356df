/** The commands that compute. A node that only joins a pool does not load them. */
export { demoCompute } from './demo.ts'
export { openGrid, runJobCommand } from './job-commands.ts'
export { job, jobs } from './jobs.ts'
export { map } from './map.ts'
export { policy } from './policy.ts'
export { submit } from './submit.ts'
export { work } from './work.ts'
