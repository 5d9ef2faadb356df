import { parentPort } from 'node:worker_threads'
import { runTrial, type TrialPlan } from './trial.ts'

const port = parentPort
if (port === null) throw new Error('this is the part of pnpm paper that runs in a thread of its own')
port.on('message', (plan: TrialPlan) => port.postMessage(runTrial(plan)))
