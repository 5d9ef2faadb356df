import type { Input, Message } from '@jel/compute/internals'

/** The codes of inputs in the history. */
export const inputCodes: Record<Input['type'], number> = {
  timer: 1,
  joined: 2,
  gone: 3,
  unreached: 4,
  job: 5,
  expired: 6,
  message: 7,
  spawned: 8,
  returned: 9,
  offered: 10,
  idle: 11,
  crashed: 12,
  unfit: 13,
  watch: 14,
  leave: 15,
  reentered: 16,
  explain: 17,
  read: 18,
  restored: 19,
  saved: 20,
  stop: 21,
  shares: 22,
  reserved: 23,
}

/** Describes an input for the history, in enough detail to distinguish different inputs. */
export function describeInput(input: Input): string {
  switch (input.type) {
    case 'message':
      return `${input.from} ${describeMessage(input.message)}`
    case 'joined':
      return input.member.id
    case 'gone':
    case 'unreached':
      return input.id
    case 'job':
      return input.spec.id
    case 'spawned':
    case 'returned':
    case 'crashed':
    case 'saved':
      return `${input.job} ${input.path ?? ''}`
    case 'idle':
      return `${input.slot} ${input.seen}`
    case 'expired':
    case 'offered':
    case 'unfit':
    case 'watch':
    case 'explain':
    case 'read':
      return input.job
    case 'timer':
    case 'shares':
    case 'reserved':
    case 'stop':
    case 'leave':
    case 'reentered':
    case 'restored':
      return ''
  }
}

function describeMessage(message: Message): string {
  switch (message.type) {
    case 'work':
      return `work ${message.request} ${message.left} ${message.tasks.map(({ path }) => path).join(' ')}`
    case 'result':
      return `result ${message.entries.map(({ path }) => path).join(' ')}`
    case 'report':
      return `report ${message.number} ${message.entries.length} ${message.claims.length} ${message.dropped.length}`
    default:
      return message.type
  }
}
