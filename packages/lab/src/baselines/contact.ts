import type { Introducer, Member } from '@jel/protocol'
import type { Contact } from './call.ts'

export function toContact({ id, addresses: [address] }: Pick<Member, 'id' | 'addresses'>): Contact {
  if (address === undefined) throw new Error(`baseline: node ${id} has no address`)
  return { id, address }
}

export function serviceContact({ id, address }: Introducer): Contact {
  if (id === undefined) throw new Error('baseline: the service must be given with its id')
  return { id, address }
}
