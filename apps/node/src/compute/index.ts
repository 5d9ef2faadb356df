/**
 * The commands that compute. They are apart from the rest, as a node that only joins a pool need
 * not load them.
 */
export { demoCompute } from './demo.ts'
export { openGrid, runJobCommand } from './job-commands.ts'
export { job, jobs } from './jobs.ts'
export { submit } from './submit.ts'
export { work } from './work.ts'
