import type { Theme } from './case.ts'
import { check } from './failure.ts'
import type { SwarmNode, SwarmReign } from './swarm.ts'
import { byId, describe, sameReign, type World } from './world.ts'

const election = 'master'

/** Nominates all candidates. Resolves with the reign on which all members agree. */
async function elect(world: World, candidates: readonly SwarmNode[], everybody: readonly SwarmNode[]): Promise<SwarmReign> {
  const results = world.outcome(Promise.all(candidates.map(async (node) => await node.elect(election))))
  const reign = await world.allAgree(3_000, election, everybody)
  const told = await world.kept(3_000, 'each candidate has its result', results.promise)
  for (const result of told) check(result.election === election, () => `the result is that of the election ${result.election}`)
  return reign
}

/** Returns the node that won. */
function winnerOf(reign: SwarmReign, nodes: readonly SwarmNode[]): SwarmNode {
  const winner = nodes.find(({ id }) => id === reign.winner.id)
  check(winner !== undefined, () => `${describe(reign)} is none of the candidates`)
  return winner
}

export const electing: Theme = {
  name: 'electing',
  cases: [
    {
      name: 'all members stand at once, and all name the same winner',
      async run(world) {
        const nodes = await world.pool()
        const reign = await elect(world, nodes, nodes)
        winnerOf(reign, nodes)
        check(reign.epoch === 1, () => `the first epoch is ${reign.epoch}`)
        await world.watch(3_000)
        const still = await world.allAgree(1, election, nodes)
        check(sameReign(reign, still), () => `${describe(reign)} was followed by ${describe(still)}`)
      },
    },
    {
      name: 'a single candidate wins',
      async run(world) {
        const nodes = await world.pool(5)
        const reign = await elect(world, nodes.slice(3, 4), nodes)
        winnerOf(reign, nodes.slice(3, 4))
      },
    },
    {
      name: 'a member that is alone wins',
      async run(world) {
        const alone = await world.spawn()
        await world.allSee(3_000, [alone])
        winnerOf(await elect(world, [alone], [alone]), [alone])
      },
    },
    {
      name: 'a node whose introducer does not answer wins nothing before another node comes',
      needs: ['kill'],
      async run(world) {
        const gone = await world.spawn()
        await world.allSee(3_000, [gone])
        await gone.kill()
        const alone = await world.spawn({ introducers: [gone] })
        await world.allSee(10_000, [alone])
        const result = world.outcome(alone.elect(election))
        await world.watch(5_000)
        check(result.state === 'waiting', () => 'the candidate won although its introducer had not answered')
        const newcomer = await world.spawn({ introducers: [alone] })
        await world.allSee(3_000, [alone, newcomer])
        const told = await world.kept(5_000, 'the candidate has its result', result.promise)
        check(told.winner.id === alone.id, () => `the result of the candidate is ${describe(told)}`)
      },
    },
    {
      name: 'a late candidate with a lower id does not unseat the winner',
      async run(world) {
        const nodes = await world.pool()
        const [lowest, ...others] = byId(nodes)
        check(lowest !== undefined, () => 'the pool has no members')
        const reign = await elect(world, others, nodes)
        await world.watch(2_000)
        const told = await world.kept(3_000, 'the late candidate has its result', lowest.elect(election))
        check(sameReign(told, reign), () => `the result of the late candidate is ${describe(told)}, not ${describe(reign)}`)
        await world.watch(3_000)
        const still = await world.allAgree(1, election, nodes)
        check(sameReign(still, reign), () => `${describe(reign)} was unseated by ${describe(still)}`)
      },
    },
    {
      name: 'when the winner is killed, all name the next winner with a higher epoch, without a new call',
      needs: ['kill'],
      async run(world) {
        const nodes = await world.pool()
        const reign = await elect(world, nodes, nodes)
        const winner = winnerOf(reign, nodes)
        const others = nodes.filter((node) => node !== winner)
        await winner.kill()
        const next = await world.allAgree(2_000, election, others, ({ epoch }) => epoch > reign.epoch)
        winnerOf(next, others)
      },
    },
    {
      name: 'when the winner leaves, all name the next winner with a higher epoch',
      async run(world) {
        const nodes = await world.pool()
        const reign = await elect(world, nodes, nodes)
        const winner = winnerOf(reign, nodes)
        const others = nodes.filter((node) => node !== winner)
        world.outcome(winner.leave())
        const next = await world.allAgree(2_000, election, others, ({ epoch }) => epoch > reign.epoch)
        winnerOf(next, others)
      },
    },
    {
      name: 'epochs grow while winners are killed one after the other',
      needs: ['kill'],
      async run(world) {
        let nodes: SwarmNode[] = await world.pool(Math.min(world.size, 8))
        let reign = await elect(world, nodes, nodes)
        while (nodes.length > 3) {
          const before = reign
          const winner = winnerOf(reign, nodes)
          nodes = nodes.filter((node) => node !== winner)
          await winner.kill()
          reign = await world.allAgree(3_000, election, nodes, ({ epoch }) => epoch > before.epoch)
        }
      },
    },
    {
      name: 'a winner that withdraws has a successor; without a candidate all still name the last winner',
      needs: ['withdraw'],
      async run(world) {
        const nodes = await world.pool(5)
        const candidates = nodes.slice(0, 2)
        const reign = await elect(world, candidates, nodes)
        const winner = winnerOf(reign, candidates)
        await winner.withdraw(election)
        const next = await world.allAgree(3_000, election, nodes, ({ epoch }) => epoch > reign.epoch)
        const second = winnerOf(next, candidates)
        check(second !== winner, () => 'the first winner won again after it had withdrawn')
        await second.withdraw(election)
        await world.watch(3_000)
        const still = await world.allAgree(1, election, nodes)
        check(sameReign(still, next), () => `${describe(still)} reigns without being a candidate`)
      },
    },
    {
      name: 'a member that only asks for the result gets it, now or later, and is no candidate',
      async run(world) {
        const nodes = await world.pool(5)
        const [asker, , candidate] = byId(nodes)
        check(asker !== undefined && candidate !== undefined, () => 'the pool has fewer than three members')
        const early = world.outcome(asker.result(election)).promise
        await world.watch(2_000)
        check(world.account(asker).reigns.size === 0, () => 'there was a result without a candidate')
        const reign = await elect(world, [candidate], nodes)
        winnerOf(reign, [candidate])
        for (const result of [early, asker.result(election)]) {
          const told = await world.kept(1_000, 'the asker has the result', result)
          check(sameReign(told, reign), () => `the result of the asker is ${describe(told)}, not ${describe(reign)}`)
        }
      },
    },
    {
      name: 'a newcomer learns of the current reign',
      async run(world) {
        const [first, second, ...others] = await world.pool(5)
        const reign = await elect(world, [second], [first, second, ...others])
        const newcomer = await world.spawn({ introducers: [first] })
        const told = await world.kept(5_000, 'the newcomer has the result', newcomer.result(election))
        check(sameReign(told, reign), () => `the result of the newcomer is ${describe(told)}, not ${describe(reign)}`)
      },
    },
    {
      name: 'an abort before the result withdraws the candidacy',
      needs: ['abort'],
      async run(world) {
        const nodes = await world.pool(5)
        const [lowest, , other] = byId(nodes)
        check(lowest !== undefined && other !== undefined, () => 'the pool has fewer than three members')
        const abort = new AbortController()
        const attempt = world.outcome(lowest.elect(election, { signal: abort.signal }))
        abort.abort()
        await world.within(1_000, 'the attempt is given up', () => attempt.state === 'broken')
        await world.watch(1_000)
        winnerOf(await elect(world, [other], nodes), [other])
      },
    },
    {
      name: 'elections of different names are independent of each other',
      async run(world) {
        const nodes = await world.pool(5)
        const [first, second] = nodes
        await world.kept(3_000, 'both have their results', Promise.all([first.elect('painter'), second.elect('singer')]))
        for (const [name, node] of [
          ['painter', first],
          ['singer', second],
        ] as const) {
          const reign = await world.allAgree(3_000, name, nodes)
          check(reign.winner.id === node.id, () => `${name} is ${describe(reign)}`)
        }
      },
    },
    {
      name: 'epochs outlive a time without candidates',
      needs: ['kill'],
      async run(world) {
        const nodes = await world.pool(5)
        const [first, second, ...others] = nodes
        const reign = await elect(world, [second], nodes)
        await second.kill()
        await world.allHear(2_000, 'died', [second], [first, ...others])
        await world.watch(3_000)
        check(sameReign(await world.allAgree(1, election, [first, ...others]), reign), () => 'a node that is no candidate reigns')
        const result = world.outcome(first.elect(election))
        const next = await world.allAgree(3_000, election, [first, ...others], ({ epoch }) => epoch > reign.epoch)
        winnerOf(next, [first])
        await world.kept(1_000, 'the candidate has its result', result.promise)
      },
    },
  ],
}
