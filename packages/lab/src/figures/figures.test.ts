import { expect, it } from 'vitest'
import { experiment } from './figures.ts'

it('documents show what is kept in docs/figures, and say where that is of sources before the present ones', async () => {
  expect(await experiment.run(['--check'])).toBe(0)
})
