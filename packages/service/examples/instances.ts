/**
 * Many small instances inside one replicated service (OGSA): a factory makes them, their lifetimes
 * are spans that the client extends, and one whose lifetime is over is gone. A handle names an
 * instance for ever. The primary answers for it.
 *
 *     await service(pool, 'notes', instancesService)
 *     const handle = await create(client, 'farm', 'notes', { text: 'hello' }, 60_000)
 *     await invoke(client, handle, 'read')
 */
import type { ReplicatedService, ServiceClient } from '@jel/service'

interface Instance {
  data: unknown
  /** The time of the service at which it ends, ms. */
  endsAt: number
}

export interface InstancesState {
  readonly instances: Record<string, Instance>
  last: number
  /** No instance ends before this time. */
  next: number
}

export type InstancesOperation =
  | { readonly create: unknown; readonly for: number }
  | { readonly read: string }
  | { readonly write: string; readonly data: unknown }
  /** Lets an instance live for at least this time from now on, ms. A repetition changes nothing. */
  | { readonly extend: string; readonly for: number }
  | { readonly destroy: string }
  | { readonly count: true }

/** The shortest and the longest lifetime, ms. */
const [SHORTEST, LONGEST] = [100, 86_400_000]

export const instancesService: ReplicatedService<InstancesState, InstancesOperation> = {
  replicas: 3,
  initial: { instances: {}, last: 0, next: 0 },
  apply(state, operation, { now }) {
    const { instances } = state
    const [[kind, id]] = Object.entries(operation) as [[string, string]]
    const named = Object.hasOwn(instances, id) ? instances[id] : undefined
    const instance = named !== undefined && named.endsAt > now ? named : undefined
    // An apply that changes the state in place throws before it does so.
    if (instance === undefined && kind !== 'create' && kind !== 'count')
      throw new Error(`there is no instance ${id}: its lifetime is over, or it was destroyed`)
    if (now >= state.next) reclaim(state, now)
    if ('create' in operation) {
      const made = { data: operation.create, endsAt: now + within(operation.for) }
      instances[String(++state.last)] = made
      state.next = Math.min(state.next, made.endsAt)
      return [state, String(state.last)]
    }
    if (instance === undefined) return [state, Object.keys(instances).length]
    if (kind === 'destroy') delete instances[id]
    else if ('write' in operation) instance.data = operation.data
    else if ('extend' in operation) instance.endsAt = Math.max(instance.endsAt, now + within(operation.for))
    return [state, kind === 'read' ? instance.data : Math.max(0, instance.endsAt - now)]
  },
}

function within(time: number): number {
  return Math.min(Math.max(time, SHORTEST), LONGEST)
}

function reclaim(state: InstancesState, now: number): void {
  state.next = Infinity
  for (const [id, { endsAt }] of Object.entries(state.instances)) {
    if (endsAt <= now) delete state.instances[id]
    else state.next = Math.min(state.next, endsAt)
  }
  // JSON has no Infinity.
  if (state.next === Infinity) state.next = now + SHORTEST
}

/** Makes an instance. Returns its handle. */
export async function create(client: ServiceClient, pool: string, name: string, data: unknown, lifetime: number): Promise<string> {
  const id = String(await client.call(name, { create: data, for: lifetime }))
  return `service://${pool}/${name}/${id}`
}

/** Calls the instance that a handle names, at whichever member serves it now. */
export async function invoke(client: ServiceClient, handle: string, operation: string, more: object = {}): Promise<unknown> {
  const [, name = '', id = ''] = /^service:\/\/[^/]+\/([^/]+)\/([^/]+)$/u.exec(handle) ?? []
  return await client.call(name, { [operation]: id, ...more })
}
