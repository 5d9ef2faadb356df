export { startProgram } from '../../executors/process-container.ts'
