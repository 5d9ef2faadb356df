import { parentPort } from 'node:worker_threads'
import { runTrial, type TrialPlan } from './trial.ts'

const port = parentPort
if (port === null) throw new Error('this module runs only in a worker thread of pnpm paper')
port.on('message', (plan: TrialPlan) => port.postMessage(runTrial(plan)))
