import { describe, expect, it } from 'vitest'
import { inputsIn } from './sweep-inputs.ts'
import { outcomeLines, outcomeTable } from './sweep-table.ts'

describe('the inputs of a sweep', () => {
  it.each([
    [
      'a table',
      'a,b,c\n1,x,true\n2.5,"y, z",\n',
      '.csv',
      [
        { a: 1, b: 'x', c: true },
        { a: 2.5, b: 'y, z', c: null },
      ],
    ],
    ['a table with tabs', 'a\tb\n1\t2', '.tsv', [{ a: 1, b: 2 }]],
    ['a table of one column', 'n\n1\n2\n', '.csv', [{ n: 1 }, { n: 2 }]],
    ['a table without a name', 'a,b\n1,2\n', '', [{ a: 1, b: 2 }]],
    ['an array', '[1, {"a": 2}]', '.json', [1, { a: 2 }]],
    ['lines', '1\n\n{"a": 2}\n"x"\n', '.jsonl', [1, { a: 2 }, 'x']],
    ['one line', '{"a": 2}', '', [{ a: 2 }]],
    ['nothing', '', '.json', []],
  ])('are read from %s', (_, content, extension, inputs) => {
    expect(inputsIn(content, extension)).toEqual(inputs)
  })

  it('that are damaged are refused with their line', () => {
    expect(() => inputsIn('1\nx\n', '.json')).toThrow('line 2 is no JSON: x')
    expect(() => inputsIn('a,b\n1,2,3\n', '.csv')).toThrow('row 1')
  })
})

describe('the outcomes of a sweep', () => {
  const inputs = [{ n: 1 }, { n: 2 }, 7]
  const outcomes = [
    { status: 'fulfilled', value: { mean: 0.5, all: [1] } },
    { status: 'rejected', reason: { code: 'TASK_THREW', message: 'no', member: 'm', fn: 'f', input: '2' } },
    { status: 'fulfilled', value: '=1+1' },
  ] as const

  it('are lines of JSON with their inputs', () => {
    expect(outcomeLines(inputs, outcomes)).toBe(
      '{"input":{"n":1},"value":{"mean":0.5,"all":[1]}}\n{"input":{"n":2},"error":"TASK_THREW: no"}\n{"input":7,"value":"=1+1"}\n',
    )
  })

  it('are a table that no spreadsheet takes for formulas', () => {
    expect(outcomeTable(inputs, outcomes)).toBe('n,mean,all,error,input,value\n1,0.5,[1],,,\n2,,,TASK_THREW: no,,\n,,,,7,"\'=1+1"\n')
  })
})
