import { describe, expect, it } from 'vitest'
import { VirtualGroups } from '../../test/virtual-groups.ts'

const GROUP = 'group-0000000000'
const ids = ['m0', 'm1', 'm2', 'm3']
const fixed = { runs: 100, delay: () => 1, detection: () => 50 }

describe('a member among others that lie', () => {
  it('takes the lock of its starter, whatever strangers ask or report before', () => {
    const world = new VirtualGroups(ids, fixed)
    world.lease('m1', { ranks: 1 })
    world.want('m0', { group: GROUP, candidates: ids.slice(0, 2), count: 2 })
    world.after(10, () => {
      world.say('m3', 'm0', GROUP, { asks: 8 })
      world.say('m3', 'm0', GROUP, { agreement: { about: 'start', number: 16 }, said: { report: 'locked' } })
    })
    world.after(20, () => world.release('m1'))
    world.run()
    expect(world.results.get(GROUP)).toMatchObject({ result: { ranks: ['m0', 'm1'] } })
    expect(world.results.get(GROUP)?.at).toBeLessThan(30)
  })

  it('keeps nothing of groups whose starter starts them without a hold', () => {
    const world = new VirtualGroups(ids, fixed)
    world.lease('m1', { ranks: 1 })
    for (let at = 0; at < 10; at++) {
      const group = `${GROUP}${at}`
      world.say('m3', 'm1', group, { hold: { program: 'p', date: 0, amounts: {}, for: 1000 } })
      world.say('m3', 'm1', group, { lock: { attempt: 1, ranks: ['m1', 'x'], sites: ['', ''], input: '0' } })
      world.say('m3', 'm1', group, { agreement: { about: 'start', number: 1, by: '' }, said: { decided: 'start' } })
      world.say('m3', 'm1', group, { letGo: true })
    }
    world.run(1000)
    expect(world.groupsOf('m1').ranks()).toEqual([])
  })
})
