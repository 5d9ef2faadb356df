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
    [
      'a table whose last cell is empty',
      'a\tb\n1\t2\n3\t\n',
      '.tsv',
      [
        { a: 1, b: 2 },
        { a: 3, b: null },
      ],
    ],
    [
      'a table of names that look like numbers',
      'zip,when\n00501,2026-11-27T00:00:00Z\n',
      '.csv',
      [{ zip: '00501', when: '2026-11-27T00:00:00Z' }],
    ],
    ['an object over several lines', '\uFEFF{\n"a": 2\n}\n', '.json', [{ a: 2 }]],
    ['nothing', '', '.json', []],
    ['an empty table', '', '.csv', []],
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

  it('are a table with numbers that JSON lacks', () => {
    const outcomes = [{ status: 'fulfilled', value: { a: 'NaN', b: '-Infinity', c: '-x' } }] as const
    expect(outcomeTable([1], outcomes)).toBe(`input,a,b,c\n1,NaN,-Infinity,"'-x"\n`)
  })

  it('are a table in which no value replaces an input', () => {
    const values = [
      { status: 'fulfilled', value: { n: 7, error: 'e' } },
      { status: 'fulfilled', value: 4 },
    ] as const
    expect(
      outcomeTable(
        [
          { n: 1, error: 'x' },
          { n: 2, value: 3 },
        ],
        values,
      ),
    ).toBe('n,error,value.n,value.error,value,value.value\n1,x,7,e,,\n2,,,,3,4\n')
    expect(outcomeTable([{}], [{ status: 'fulfilled', value: {} }])).toBe('')
  })
})
