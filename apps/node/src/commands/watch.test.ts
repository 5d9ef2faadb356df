import { expect, it } from 'vitest'
import { adviceOf } from './watch.ts'

const known = ['system.cpu.utilization', 'system.memory.usage']

it.each<[string, readonly string[], readonly string[]]>([
  ['a known name', ['system.memory.usage'], []],
  ['the end of a name', ['memory.usage'], ['no member has the attribute "memory.usage" yet; did you mean system.memory.usage?']],
  [
    'a slip',
    ['system.cpu.utilisation'],
    ['no member has the attribute "system.cpu.utilisation" yet; did you mean system.cpu.utilization?'],
  ],
  ['a name like no other', ['rainfall'], ['no member has the attribute "rainfall" yet']],
  ['a constant', ['gpus'], ['gpus is a constant, which does not change: jel info shows it']],
  [
    'several',
    ['a.b', 'system.memory.usage', 'gpus'],
    ['no member has the attribute "a.b" yet', 'gpus is a constant, which does not change: jel info shows it'],
  ],
])('who watches %s is told of each name that no member has', (_, names, advice) => {
  expect(adviceOf(names, known, new Set(['gpus']))).toEqual(advice)
})
