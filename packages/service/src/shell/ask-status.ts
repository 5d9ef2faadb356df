import * as v from 'valibot'
import { statusMessage } from '../core/call-messages.ts'
import { CallTimeoutError, NoServerError } from '../errors.ts'
import type { ReplicaStatus } from './replica-host.ts'
import type { ServiceNode } from './service-node.ts'

/** Asks a member for its part in a replicated service: see `ServiceClient.statusOf`. */
export async function askStatus(node: ServiceNode, name: string, member: string, timeout: number): Promise<ReplicaStatus> {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(new CallTimeoutError(`${member} did not answer within ${timeout} ms`)), timeout)
  try {
    const isOwn = member === node.pool.self.id
    const outcome = isOwn ? node.statusOf(name) : await node.client.request(member, { status: name }, limit.signal)
    if ('broken' in outcome) throw outcome.broken
    if (!('result' in outcome)) throw new NoServerError('error' in outcome ? outcome.error.message : `${name}: no such service`)
    const { primary, epoch, refusal, ...status } = v.parse(statusMessage, isOwn ? JSON.parse(outcome.result as string) : outcome.result)
    return { ...status, primary, epoch, refusal }
  } finally {
    clearTimeout(timer)
  }
}
