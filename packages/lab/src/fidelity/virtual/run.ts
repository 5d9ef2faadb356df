/**
 * Runs the trial on real hosts in virtual time, in a process of its own: virtual time applies to a
 * whole process.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { keep } from '../../base/child.ts'
import type { Trial, TrialPlan } from '../trial.ts'

export interface VirtualRun {
  readonly plan: TrialPlan
  readonly seed: number
  /** One-way delays, whole ms, equally likely from the first to the second. */
  readonly delays: readonly [number, number]
}

/** Largest output of a trial, bytes. */
const maxBuffer = 2 ** 26

export async function runVirtually(run: VirtualRun): Promise<Trial> {
  const program = fileURLToPath(new URL('main.ts', import.meta.url))
  const running = promisify(execFile)(process.execPath, [program, JSON.stringify(run)], { maxBuffer })
  keep(running.child)
  const { stdout } = await running
  return JSON.parse(stdout) as Trial
}
