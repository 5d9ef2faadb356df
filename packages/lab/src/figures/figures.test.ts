import { expect, it } from 'vitest'
import { experiment } from './figures.ts'

it('documents show the figures of docs/figures, and mark figures of older sources', async () => {
  expect(await experiment.run(['--check'])).toBe(0)
})
