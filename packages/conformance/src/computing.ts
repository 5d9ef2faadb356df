import type { Theme } from './case.ts'
import { check } from './failure.ts'
import type { SwarmJob, SwarmNode } from './swarm.ts'
import type { World } from './world.ts'

/** A job that keeps a pool of ordinary size busy for some seconds. */
const job: SwarmJob = { name: 'count', tasks: 100, time: 300 }

/** Starts a pool whose nodes all compute. The second node submits the job. */
async function poolWithJob(world: World): Promise<[first: SwarmNode, submitter: SwarmNode, ...others: SwarmNode[]]> {
  const nodes = await world.pool(world.size, { computes: true })
  await world.kept(5_000, 'the pool keeps the job', nodes[1].submit(job))
  return nodes
}

/** Waits until each of these nodes knows the result of the job. */
async function allKnowResult(world: World, nodes: readonly SwarmNode[]): Promise<void> {
  const asked = Promise.all(nodes.map(async (node) => await node.jobResult(job.name)))
  for (const result of await world.kept(60_000, 'the job ends', asked))
    check(result === job.tasks, () => `a member has the result ${result} of ${job.tasks} tasks`)
}

export const computing: Theme = {
  name: 'computing',
  cases: [
    {
      name: 'a job has one result at all members, newcomers included',
      needs: ['jobs'],
      async run(world) {
        const nodes = await poolWithJob(world)
        await allKnowResult(world, nodes)
        const newcomer = await world.spawn({ introducers: [nodes[0]], computes: true })
        await allKnowResult(world, [newcomer])
      },
    },
    {
      name: 'a job goes on after its submitter was killed',
      needs: ['jobs', 'kill'],
      async run(world) {
        const [first, submitter, ...others] = await poolWithJob(world)
        await submitter.kill()
        await allKnowResult(world, [first, ...others])
      },
    },
    {
      name: 'a job has the right result though a third of the members is killed at once',
      needs: ['jobs', 'kill'],
      async run(world) {
        const nodes = await poolWithJob(world)
        await world.pass(500)
        const victims = nodes.slice(2, 2 + Math.round(nodes.length * 0.3))
        await Promise.all(victims.map(async (node) => await node.kill()))
        await allKnowResult(
          world,
          nodes.filter((node) => !victims.includes(node)),
        )
      },
    },
    {
      name: 'a cancelled job ends without a result at all members',
      needs: ['jobs'],
      async run(world) {
        const nodes = await poolWithJob(world)
        const outcomes = nodes.map((node) => world.outcome(node.jobResult(job.name)))
        await nodes[1].cancelJob(job.name)
        await world.within(10_000, 'the job ends', () => outcomes.every(({ state }) => state !== 'waiting'))
        check(
          outcomes.every(({ state }) => state === 'broken'),
          () => 'a member has a result of a cancelled job',
        )
      },
    },
    {
      name: 'a job that both halves of a pool compute has one result everywhere after the heal',
      needs: ['jobs', 'partition', 'slow'],
      async run(world) {
        const nodes = await poolWithJob(world)
        await world.pass(500)
        const half = Math.floor(nodes.length / 2)
        const halves = [nodes.slice(0, half), nodes.slice(half)]
        await world.partition(...halves)
        for (const members of halves) await allKnowResult(world, members)
        await world.heal()
        await world.allSee(20_000, nodes)
        await allKnowResult(world, nodes)
      },
    },
  ],
}
