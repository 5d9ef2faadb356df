import { expect, it } from 'vitest'
import { Endings } from './endings.ts'

it('counts an ended life once for all observers, and counts each end that one observer saw', () => {
  const [first, second] = [{}, {}]
  const endings = new Endings()
  expect(endings.count).toBe(0)
  endings.note(first, 'a')
  endings.note(second, 'a')
  expect(endings.count).toBe(1)
  endings.note(second, 'a')
  endings.note(second, 'b')
  expect(endings.count).toBe(3)
})
