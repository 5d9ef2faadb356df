import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MapOutcome } from '@jel/compute'
import { describe, expect, it } from 'vitest'
import { npyOf, type NdArray } from './npy.ts'
import { arrayOfOutcomes } from './sweep-array.ts'
import { inputsIn, readInputs } from './sweep-inputs.ts'
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
    ['a table of integers that no number holds', 'seed,k\n9007199254740993,1e400\n', '.csv', [{ seed: '9007199254740993', k: '1e400' }]],
    ['lines of large integers that a number holds', '{"seed":9007199254740992}\n1e30\n', '.jsonl', [{ seed: 9007199254740992 }, 1e30]],
    ['an object over several lines', '\uFEFF{\n"a": 2\n}\n', '.json', [{ a: 2 }]],
    ['nothing', '', '.json', []],
    ['an empty table', '', '.csv', []],
  ])('are read from %s', (_, content, extension, inputs) => {
    expect(inputsIn(content, extension)).toEqual(inputs)
  })

  it('that are damaged are refused with their line', () => {
    expect(() => inputsIn('1\nx\n', '.json')).toThrow('line 2 is no JSON: x')
    expect(() => inputsIn('a,b\n1,2,3\n', '.csv')).toThrow('row 1')
    expect(() => inputsIn('[{"seed":9007199254740993}]', '.json')).toThrow('no number of JavaScript is exactly 9007199254740993')
    expect(() => inputsIn('1\n{"seed":-9007199254740993}', '')).toThrow('exactly -9007199254740993')
    expect(() => inputsIn('9'.repeat(400), '')).toThrow('no number of JavaScript is exactly 999')
    expect(() => inputsIn('[1e400]', '')).toThrow('no number of JavaScript is exactly 1e400')
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

  it('are a table in which inputs come back as they were, and values that are numbers', () => {
    const given = [{ name: '-alpha', cell: '=b' }]
    const table = outcomeTable(given, [{ status: 'fulfilled', value: { low: '-5', far: '-1e400', other: '-beta' } }])
    expect(inputsIn(table, '.csv')).toEqual([{ name: '-alpha', cell: '=b', low: -5, far: '-1e400', other: "'-beta" }])
  })

  it('are a table that no spreadsheet takes for formulas', () => {
    expect(outcomeTable([1], [{ status: 'fulfilled', value: { '=a': 1 } }])).toBe("input,'=a\n1,1\n")
    expect(outcomeTable(inputs, outcomes)).toBe("n,mean,all,error,input,value\n1,0.5,[1],,,\n2,,,TASK_THREW: no,,\n,,,,7,'=1+1\n")
  })

  it('are a table with numbers that JSON lacks', () => {
    const outcomes = [{ status: 'fulfilled', value: { a: 'NaN', b: '-Infinity', c: '-x' } }] as const
    expect(outcomeTable([1], outcomes)).toBe(`input,a,b,c\n1,NaN,-Infinity,'-x\n`)
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

describe('a sweep over the rows of an array', () => {
  const inputsOf = async (array: NdArray): Promise<readonly unknown[]> => {
    const folder = mkdtempSync(join(tmpdir(), 'jel-rows-'))
    try {
      writeFileSync(join(folder, 'rows.npy'), npyOf(array) as Uint8Array)
      return await readInputs(join(folder, 'rows.npy'))
    } finally {
      rmSync(folder, { recursive: true })
    }
  }

  it.each([
    ['numbers', { shape: [2], data: Float32Array.of(0.5, 2) }, [0.5, 2]],
    [
      'lists',
      { shape: [2, 3], data: BigInt64Array.of(1n, 2n, 3n, 4n, 5n, -6n) },
      [
        [1, 2, 3],
        [4, 5, -6],
      ],
    ],
    [
      'lists of lists',
      { shape: [1, 2, 2], data: Uint8Array.of(1, 2, 3, 4) },
      [
        [
          [1, 2],
          [3, 4],
        ],
      ],
    ],
    ['empty lists', { shape: [2, 0], data: Uint8Array.of() }, [[], []]],
  ])('has %s as inputs', async (_, array, inputs) => {
    expect(await inputsOf(array)).toEqual(inputs)
  })

  it.each([
    ['one number', { shape: [], data: Uint8Array.of(7) }],
    ['NaN', { shape: [1], data: Float64Array.of(Number.NaN) }],
    ['9007199254740993', { shape: [1], data: BigInt64Array.of(2n ** 53n + 1n) }],
  ])('is refused with %s', async (reason, array) => {
    await expect(inputsOf(array)).rejects.toThrow(`has ${reason}`)
  })

  const fulfilled = (value: unknown): MapOutcome => ({ status: 'fulfilled', value })
  const rejected: MapOutcome = { status: 'rejected', reason: { code: 'TASK_THREW', message: 'no', member: 'm' } }

  it.each([
    ['numbers', [fulfilled(1), rejected, fulfilled('-Infinity')], { shape: [3], data: Float64Array.of(1, Number.NaN, -Infinity) }],
    ['lists', [rejected, fulfilled([1, true])], { shape: [2, 2], data: Float64Array.of(Number.NaN, Number.NaN, 1, 1) }],
    ['failures', [rejected], { shape: [1], data: Float64Array.of(Number.NaN) }],
    ['lists of other lengths', [fulfilled([1, 2]), fulfilled([1])], undefined],
    [
      'lists that differ deeper',
      [
        fulfilled([
          [1, 2],
          [3, 4],
        ]),
        fulfilled([
          [1, 2],
          [3, [4]],
        ]),
      ],
      undefined,
    ],
    [
      'lists whose first one alone is long',
      [fulfilled([Array.from({ length: 200_000 }, () => 0), ...Array.from({ length: 200_000 }, () => 1)])],
      undefined,
    ],
    ['texts', [fulfilled('1')], undefined],
  ])('has an array of values, or none: %s', (_, outcomes, array) => {
    expect(arrayOfOutcomes(outcomes)).toEqual(array)
  })
})
