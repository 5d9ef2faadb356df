import { expect, it } from 'vitest'
import type { ServiceJson } from '../events/events.ts'
import { problemOf } from './services.ts'

const service: ServiceJson = { name: 'counter', version: '1', replicas: 3, instances: ['a', 'b', 'c'], standing: ['a', 'b'], primary: 'a' }
const status = { epoch: 1, backups: ['b', 'c'], operations: 7, refusal: undefined }
const refusal = { code: 'DEGRADED', message: 'there is no backup' }

it.each<[string, Partial<ServiceJson>, string]>([
  ['with all of its backups', { status }, ''],
  ['that was not asked', {}, ''],
  ['without a state', { replicas: undefined, primary: undefined }, ''],
  ['without a primary', { primary: undefined }, 'no primary'],
  ['that takes no operations', { status: { ...status, refusal } }, 'DEGRADED: there is no backup'],
  ['that lacks a backup', { status: { ...status, backups: ['b'] } }, '1 of 2 backups'],
  ['whose primary is silent', { reason: 'no answer within 2000 ms' }, 'its primary does not answer: no answer within 2000 ms'],
])('a service %s has this problem', (_, change, problem) => {
  expect(problemOf({ ...service, ...change })).toBe(problem)
})
