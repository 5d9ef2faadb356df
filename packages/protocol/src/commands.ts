/** Hands the application's commands to the parts that carry them out. */
import type { Command } from './base/io.ts'
import type { FailureDetector } from './detection/failure-detector.ts'
import type { Elections } from './election/elections.ts'
import type { Records } from './records/records.ts'
import type { Signals } from './signals.ts'

export interface Commanded {
  readonly elections: Elections
  readonly detector: FailureDetector
  readonly signals: Signals
  readonly records: Records
  readonly retag: (tag: Uint8Array) => void
  readonly setConstant: (name: string, value: Uint8Array | undefined) => void
  readonly leave: () => void
  readonly found: () => void
}

export function obey(command: Command, { elections, detector, signals, records, retag, setConstant, leave, found }: Commanded): void {
  switch (command.type) {
    case 'elect':
      elections.elect(command.election)
      break
    case 'withdraw':
      elections.withdraw(command.election)
      break
    case 'maybeDead':
      detector.suspect(command.id)
      break
    case 'signal':
      signals.send(command.ref, command.name, command.to)
      break
    case 'publish':
      records.publish(command.name, command.value, command.lifetime, command.owner)
      break
    case 'unpublish':
      records.unpublish(command.name, command.owner)
      break
    case 'retag':
      retag(command.tag)
      break
    case 'setConstant':
      setConstant(command.name, command.value)
      break
    case 'broadcast':
      records.broadcast(command.name, command.payload, command.query)
      break
    case 'leave':
      leave()
      break
    case 'found':
      found()
      break
  }
}
