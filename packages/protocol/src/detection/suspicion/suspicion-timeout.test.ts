import { describe, expect, it } from 'vitest'
import { defaultConfig } from '../../base/config.ts'
import { silent, suspicionTimeout, type Situation } from './suspicion-timeout.ts'

const { unresponsive } = defaultConfig.detection
const usual: Situation = { evidence: 'none', isLinked: false, isDialable: true, late: 0 }

describe('how long a member is probed directly', () => {
  it.each<[string, Partial<Situation>, number]>([
    ['refused', { evidence: 'refused' }, 0],
    ['refused while its link is up', { evidence: 'refused', isLinked: true }, 1_000],
    ['silent', { evidence: 'silent' }, silent],
    ['silent while its link is up', { evidence: 'silent', isLinked: true }, silent],
    ['unresponsive', { evidence: 'unresponsive' }, unresponsive],
    ['unresponsive where all answers are late', { evidence: 'unresponsive', late: unresponsive * 2 }, unresponsive * 2],
    ['of which nothing is known yet', {}, unresponsive],
    ['that nobody can dial, without a link', { isDialable: false, evidence: 'refused' }, 4_000],
    ['that nobody can dial, while its link is up', { isDialable: false, evidence: 'silent', isLinked: true }, unresponsive],
  ])('if it is %s', (_, situation, expected) => {
    expect(suspicionTimeout({ ...usual, ...situation }, defaultConfig.detection)).toBe(expected)
  })
})
