import type { NodeEvent, NodeJson } from '../events/events.ts'
import { healthLevel } from '../events/health.ts'
import { eventText, memberText } from '../events/event-text.ts'
import type { Fields, Log, Level } from './log.ts'

/** Logs an event of a node. */
export function logEvent(log: Log, event: NodeEvent): void {
  const message = eventText(event, memberText)
  switch (event.event) {
    case 'started':
      log.info('STARTED', message, { ...memberFields(event.node), addresses: event.node.addresses })
      return
    case 'joined':
    case 'left':
    case 'updated':
      log.info(`MEMBER_${event.event.toUpperCase()}`, message, memberFields(event.node))
      return
    case 'died':
      log.warn('MEMBER_DIED', message, memberFields(event.node))
      return
    case 'elected': {
      const { election, epoch, node } = event
      log.info('ELECTED', message, { election, epoch, ...memberFields(node) })
      return
    }
    case 'ordered':
      // The code `ORDERED` already stands for an order to all members.
      log.info('LEDGER_ORDERED', message, { name: event.name, index: event.index, ...memberFields(event.node) })
      return
    case 'ledger': {
      const { state, term, leader, index } = event
      log.add(state === 'ready' ? 'info' : 'warn', 'LEDGER', message, { state, term, leader: leader ?? '', index })
      return
    }
    case 'signal':
      log.info('SIGNAL', message, { name: event.name, ...memberFields(event.node) })
      return
    case 'health': {
      const { links, members, suspectedShare, relayed, alone, minority } = event
      const level: Level = healthLevel(event) === 'bad' ? 'warn' : 'info'
      log.add(level, 'HEALTH', message, { links, members, suspectedShare, relayed, alone, minority })
      return
    }
    case 'record':
      log.debug('RECORD', message, { name: event.name, owner: event.owner })
      return
    // The output of programs is no log of the node.
    case 'output':
      return
    case 'error':
      // An error without a code is a fault of this program.
      log.add(event.code === 'INTERNAL' ? 'error' : 'warn', event.code, event.message)
      return
    default:
      log.info(event.event.toUpperCase(), message)
  }
}

function memberFields({ id, incarnation, location, addresses }: NodeJson): Fields {
  return { member: id, incarnation, location, address: addresses[0] ?? '' }
}
