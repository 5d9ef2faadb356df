import { expect, it } from 'vitest'
import { checkLocalOptions, checkLocalSubmitOptions, checkOptions, checkSubmitOptions } from './options.ts'

const owner = { id: '12D3', seed: new Uint8Array(32) }

it('valid options pass', () => {
  const all = { workers: 0, accept: ['own'], tickets: { own: 2 }, limits: { time: 1, memory: 16 }, owner, cache: '/tmp' }
  for (const options of [{}, all, { owner: undefined, accept: undefined }]) expect(() => checkOptions(options)).not.toThrow()
  expect(() => checkLocalOptions({ workers: 2, place: 'sandbox' })).not.toThrow()
})

it.each<[unknown, RegExp]>([
  [null, /^the options: must be an object/u],
  [7, /^the options: must be an object/u],
  [{ worker: 2 }, /^worker: there is no such option/u],
  [{ workers: '2' }, /^workers: must be a whole number/u],
  [{ workers: -1 }, /^workers: must be a whole number/u],
  [{ workers: Number.NaN }, /^workers: must be a whole number/u],
  [{ accept: 'own' }, /^accept: must be an array of strings/u],
  [{ accept: [7] }, /^accept\.0: must be a string/u],
  [{ tickets: 2 }, /^tickets: must be an object/u],
  [{ tickets: { own: '2' } }, /^tickets\.own: must be a number/u],
  [{ limits: 7 }, /^limits: must be an object/u],
  [{ limits: { time: '10' } }, /^limits\.time: must be milliseconds above 0/u],
  [{ limits: { memory: 0 } }, /^limits\.memory: must be MiB above 0/u],
  [{ limits: { cpu: 1 } }, /^limits\.cpu: there is no such option/u],
  [{ owner: 'me' }, /^owner: must be an owner/u],
  [{ owner: { id: 'a', seed: 'b' } }, /^owner\.seed: must be a Uint8Array/u],
  [{ cache: '' }, /^cache: must not be empty/u],
])('%j is refused by name', (options, message) => {
  expect(() => checkOptions(options)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringMatching(message) }))
})

it.each<[unknown, RegExp]>([
  [{}, /^workers: must be a whole number/u],
  [7, /^the options: must be an object/u],
  [{ workers: 1, accept: [] }, /^accept: there is no such option/u],
  [{ workers: 1, place: 'moon' }, /^place: must be 'own' or 'sandbox'/u],
])('%j is refused by name without a pool', (options, message) => {
  expect(() => checkLocalOptions(options)).toThrow(message)
})

it.each<[unknown, RegExp]>([
  [null, /^the options: must be an object/u],
  [{ vote: 3 }, /^vote: there is no such option/u],
  [{ name: 7 }, /^name: must be a string/u],
  [{ keep: 0 }, /^keep: must be milliseconds above 0/u],
  [{ keep: 32 * 86_400_000 }, /^keep: must be at most 31 days/u],
  [{ votes: '3' }, /^votes: must be a number/u],
  [{ blobs: 'all' }, /^blobs: must be an array of blobs/u],
])('%j of a job is refused by name', (options, message) => {
  expect(() => checkSubmitOptions(options)).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringMatching(message) }),
  )
})

it('valid options of a job pass, and without a pool there are fewer', () => {
  for (const options of [{}, { name: 'a', keep: 1, votes: 3, blobs: [] }, { name: undefined }])
    expect(() => checkSubmitOptions(options)).not.toThrow()
  expect(() => checkLocalSubmitOptions({ blobs: [] })).not.toThrow()
  expect(() => checkLocalSubmitOptions({ votes: 3 })).toThrow(/^votes: there is no such option/u)
})
