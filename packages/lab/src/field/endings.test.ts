import { expect, it } from 'vitest'
import { Endings } from './endings.ts'

it('counts a life once however many saw it end, and each life of a member that one of them saw', () => {
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
