import { describe, expect, it } from 'vitest'
import { defaultConfig } from '../../base/config.ts'
import { silent, suspicionTimeout, type Situation } from './suspicion-timeout.ts'

const { unresponsive } = defaultConfig.detection
const usual: Situation = { evidence: 'none', isLinked: false, isDialable: true, isHidden: false, late: 0 }

describe('the time for direct probes of a member', () => {
  it.each<[string, Partial<Situation>, number]>([
    ['refused', { evidence: 'refused' }, 0],
    ['refused while its link is up', { evidence: 'refused', isLinked: true }, 1_000],
    ['silent', { evidence: 'silent' }, silent],
    ['silent while its link is up', { evidence: 'silent', isLinked: true }, silent],
    ['unresponsive', { evidence: 'unresponsive' }, unresponsive],
    ['unresponsive while all answers are late', { evidence: 'unresponsive', late: unresponsive * 2 }, unresponsive * 2],
    ['not probed yet', {}, unresponsive],
    ['undialable, without a link', { isDialable: false, evidence: 'refused' }, 4_000],
    ['undialable, without a link, and silent', { isDialable: false, evidence: 'silent' }, 4_000],
    ['hidden, and its relays miss it', { isDialable: false, isHidden: true, evidence: 'silent' }, silent],
    ['hidden, and it does not answer', { isDialable: false, isHidden: true, evidence: 'unresponsive' }, unresponsive],
    ['hidden, and not asked for yet', { isDialable: false, isHidden: true }, 4_000],
    ['hidden, and silent while its link is up', { isDialable: false, isHidden: true, evidence: 'silent', isLinked: true }, unresponsive],
    ['undialable, while its link is up', { isDialable: false, evidence: 'silent', isLinked: true }, unresponsive],
  ])('if it is %s', (_, situation, expected) => {
    expect(suspicionTimeout({ ...usual, ...situation }, defaultConfig.detection)).toBe(expected)
  })
})
