import { describe, expect, it } from 'vitest'
import { Controls } from './controls.ts'
import type { Row } from './view.ts'

function row(id: string, more: Partial<Row> = {}): Row {
  const node = { id, reach: 'direct' as const, incarnation: 1, joinedAt: 0, addresses: [], location: '', tag: '' }
  return { node, state: 'here', since: 0, location: '', tag: '', address: '', roundTrip: undefined, elected: [], ...more }
}

const ROWS = [
  row('a', { since: 3, location: 'one@delft', tag: 'cpu' }),
  row('b', { since: 2, location: 'two@delft', tag: 'GPU=2' }),
  row('c', { since: 1, roundTrip: 0.4, location: 'one@nl', state: 'died' }),
  row('d', { since: 0, location: 'three', elected: [{ election: 'master', epoch: 1 }] }),
]

function ids(controls: Controls): string {
  return controls
    .choose(ROWS)
    .map(({ node }) => node.id)
    .join('')
}

/** Presses keys: a name, or a character. */
function press(controls: Controls, ...keys: string[]): void {
  for (const key of keys)
    controls.take({ name: /^[/?=]$/u.test(key) ? undefined : key, sequence: key.length === 1 ? key : '\u001B' }, controls.choose(ROWS))
}

describe('keys', () => {
  it('sort by one column after the other, gone or elected members first of all', () => {
    const controls = new Controls()
    const orders = Array.from({ length: 9 }, () => {
      const order = `${controls.sort} ${ids(controls)}`
      press(controls, 's')
      return order
    })
    expect(orders).toEqual([
      'state cdba',
      'for dcba',
      'rtt cdba',
      'location acdb',
      'tag badc',
      'address dcba',
      'elected dcba',
      'node abcd',
      'state cdba',
    ])
  })

  it('filter by id, location and tag, in upper and lower case', () => {
    const controls = new Controls()
    press(controls, '/', 'g', 'p', 'u', '=')
    expect([controls.typing, controls.filter, ids(controls)]).toEqual([true, 'gpu=', 'b'])
    press(controls, 'backspace', 'return')
    expect([controls.typing, controls.filter]).toEqual([false, 'gpu'])
    press(controls, 'escape')
    expect([controls.filter, ids(controls)]).toEqual(['', 'cdba'])
    // Command keys are text while a filter is typed.
    press(controls, '/', 'q', 's', '?')
    expect(controls).toMatchObject({ filter: 'qs?', sort: 'state', help: false })
    press(controls, 'escape')
    expect(controls).toMatchObject({ filter: '', typing: false })
  })

  it('select a member, which stays selected and in sight however rows move', () => {
    const controls = new Controls()
    press(controls, 'j', 'down', 'k')
    expect(controls.selected).toBe('c')
    press(controls, 'end')
    expect(controls.selected).toBe('a')
    expect(controls.window(controls.choose(ROWS), 2).map(({ node }) => node.id)).toEqual(['b', 'a'])
    press(controls, 's', 's', 's', 's', 's', 's', 's')
    expect(controls.window(controls.choose(ROWS), 2).map(({ node }) => node.id)).toEqual(['a', 'b'])
    press(controls, 'pagedown')
    expect(controls.selected).toBe('c')
    press(controls, 'pageup', 'pageup', 'k')
    expect(controls.selected).toBe('a')
  })

  it('show details of the first member where none is selected, panes and help, and quit', () => {
    const controls = new Controls()
    press(controls, 'd', 'e', '?')
    expect(controls).toMatchObject({ selected: 'c', details: true, events: false, help: true })
    // Any key closes the help.
    press(controls, 'q')
    expect(controls.help).toBe(false)
    press(controls, 'escape', 'escape')
    expect(controls).toMatchObject({ selected: undefined, details: false })
    expect(controls.take({ name: 'q', sequence: 'q' }, ROWS)).toBe('quit')
  })

  it('show jobs or leases in place of members, from the top, and the members again', () => {
    const controls = new Controls()
    const tables = (...keys: string[]): string[] =>
      keys.map((key) => {
        controls.take(key === 'tab' ? { name: 'tab', sequence: '\t' } : { name: key, sequence: key }, ROWS)
        return `${controls.table} ${controls.lineOffset}`
      })
    expect(tables('l', 'j', 'j', 'tab', 'j', 'l', 'l')).toEqual([
      'leases 0',
      'leases 1',
      'leases 2',
      'jobs 0',
      'jobs 1',
      'leases 0',
      'members 0',
    ])
    expect(tables('tab', 'tab', 'l', 'escape')).toEqual(['jobs 0', 'members 0', 'leases 0', 'members 0'])
    // The keys of the table of members do nothing in another one.
    press(controls, 'l', 's', '/')
    expect(controls).toMatchObject({ sort: 'state', typing: false, table: 'leases' })
  })

  it('do nothing harmful where no member is shown', () => {
    const controls = new Controls()
    for (const name of ['j', 'k', 'pagedown', 'end', 'd']) expect(controls.take({ name, sequence: name }, [])).toBeUndefined()
    expect(controls.selected).toBeUndefined()
    expect(controls.window([], 5)).toEqual([])
  })
})
