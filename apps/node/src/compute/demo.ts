import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { show, type DemoFlags } from '../demo/demo.ts'
import type { DemoNode } from '../demo/node.ts'
import type { DemoPrinter } from '../demo/printer.ts'
import { DemoFailure, type DemoStage, type Timing } from '../demo/stage.ts'
import type { JobEvent } from '../events/job-messages.ts'
import { ownerOf } from './owner.ts'

const BOARD = 14
/** The number of solutions, known since 1969 (OEIS A000170). */
const SOLUTIONS = 365_596
const NAME = 'queens'

/** The time after which a step counts as failed, ms. It is several times the usual time. */
const LIMITS = { start: 30_000, submit: 20_000, begin: 30_000, result: 30_000 } as const

/** The path of the example, or of the bundle's copy of it. */
const program = ['../../../examples/src/queens.ts', './queens.js']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(path)) as string

/**
 * Starts a pool that computes. While a job runs, it kills a worker, the member that holds the job's
 * root, and the submitter. Returns the exit status.
 */
export async function demoCompute(script: string, flags: DemoFlags): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'jel-demo-'))
  const title = `${flags.nodes - 1} processes that work, and one that submits a job`
  try {
    return await show(script, { title, json: flags.json === true }, async (stage, printer, pool) => {
      const owner = join(folder, 'owner')
      await ownerOf(owner)
      await play(stage, printer, { pool, owner, count: flags.nodes })
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function play(
  stage: DemoStage,
  printer: DemoPrinter,
  { pool, owner, count }: { pool: string; owner: string; count: number },
): Promise<void> {
  printer.step(`${count - 1} processes start, one worker each`)
  const start = (introducer?: DemoNode): DemoNode =>
    stage.start(introducer, ['work', pool, '--workers', '1', '--owner', owner, '--location', `node${stage.nodes.length + 1}@here`])
  const first = start()
  await stage.all([first], { expected: 'the first one starts', limit: LIMITS.start, done: isStarted, seen: () => 'not started' })
  while (stage.nodes.length < count - 1) start(first)
  const workers = [...stage.nodes]
  const met = await stage.all(workers, {
    expected: 'all see all',
    limit: LIMITS.start,
    done: (node) => node.pool.here >= workers.length,
    seen: (node) => `sees ${node.pool.here}`,
  })
  printer.done(`all ${workers.length} see all`, met)

  printer.step(`one more submits a job: in how many ways ${BOARD} queens stand on a board`)
  const submitter = stage.start(first, ['submit', pool, program, 'queens', String(BOARD), '--name', NAME, '--owner', owner])
  printer.done('submitted', await until(stage, submitter, 'submitted', LIMITS.submit))
  const begun = (node: DemoNode): boolean => (eventOf(node, 'progress')?.finished ?? 0) > 20
  const progress = await stage.all([submitter], {
    expected: 'the job makes progress',
    limit: LIMITS.begin,
    done: begun,
    seen: () => 'no progress',
  })
  printer.done('first results', progress)

  const [root] = (eventOf(submitter, 'submitted')?.replicas ?? []).flatMap((id) => workers.find(({ self }) => self?.id === id) ?? [])
  const worker = workers.find((node) => node !== root && node !== first)
  if (root === undefined || worker === undefined) throw new DemoFailure('a worker is a replica of the job', 'none is')
  for (const [node, what] of [
    [worker, 'a worker'],
    [root, 'the member that sees to the root'],
    [submitter, 'the submitter'],
  ] as const) {
    printer.step(`${what}, node ${node.number}, is killed (SIGKILL)`)
    node.kill('SIGKILL')
    await node.exited
    const { covered = 0 } = eventOf(submitter, 'progress') ?? {}
    printer.node(node, undefined, `gone; ${Math.round(covered * 100)} % of the job was done when the submitter heard last`)
  }

  printer.step('a newcomer asks for the result')
  const introducer = stage.running[0] as DemoNode
  const reader = stage.start(introducer, ['job', pool, NAME, '--result', '--owner', owner])
  printer.done('the result is known', await until(stage, reader, 'done', LIMITS.result))
  const result = eventOf(reader, 'done')?.result
  if (result !== SOLUTIONS) throw new DemoFailure(`${SOLUTIONS} ways`, String(result))
  printer.node(reader, undefined, `reads ${SOLUTIONS}, which is right`)
}

function until(stage: DemoStage, node: DemoNode, event: JobEvent['event'], limit: number): Promise<Timing> {
  return stage.all([node], {
    expected: `its ${event} event`,
    limit,
    done: ({ jobEvents }) => jobEvents.has(event),
    seen: ({ jobEvents }) => [...jobEvents.keys()].join(', ') || 'nothing',
  })
}

function isStarted({ self }: DemoNode): boolean {
  return self !== undefined
}

function eventOf<Name extends JobEvent['event']>(node: DemoNode, name: Name): Extract<JobEvent, { event: Name }> | undefined {
  return node.jobEvents.get(name) as Extract<JobEvent, { event: Name }> | undefined
}
