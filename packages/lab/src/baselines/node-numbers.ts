import type { Member, NodeId } from '@jel/protocol'
import type { Peer } from './arrg-cache.ts'
import type { Contact } from './call.ts'
import type { Person } from './distributed-message.ts'

/** Numbers for the nodes of one simulation, in place of the UUIDs and addresses of real nodes. */
export class NodeNumbers {
  readonly #peers = new Map<NodeId, Peer>()
  readonly #persons: Person[] = []

  register(member: Member): Person {
    const person = { number: this.#persons.length, member }
    this.#persons.push(person)
    return person
  }

  person(number: number): Person {
    const person = this.#persons[number]
    if (person === undefined) throw new RangeError(`baseline: there is no person ${number}`)
    return person
  }

  peer(contact: Contact, service: boolean): Peer {
    let peer = this.#peers.get(contact.id)
    if (peer === undefined) {
      peer = { number: this.#peers.size, contact, service }
      this.#peers.set(contact.id, peer)
    }
    return peer
  }
}
