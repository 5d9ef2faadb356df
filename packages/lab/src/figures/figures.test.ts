import { expect, it } from 'vitest'
import { experiment } from './command.ts'

it('documents show what is kept in docs/figures', async () => {
  expect(await experiment.run(['--check'])).toBe(0)
})
