import { collect, durationOf } from '../arguments.ts'

/** A flag of the command line, in the form of commander. */
export interface Flag {
  /** As in `--key-file <file>`. */
  readonly usage: string
  readonly about: string
  readonly choices?: readonly string[]
  /** Converts the text of the value; `before` is the value so far, where the flag is repeated. */
  readonly parse?: (text: string, before: never) => unknown
  readonly initial?: unknown
}

/** An argument without a name. */
export interface Operand {
  /** As in `<pool>`, `[input]` or `<ids...>`. */
  readonly usage: string
  readonly about: string
  readonly choices?: readonly string[]
  readonly initial?: string
}

export const POOL: Operand = { usage: '<pool>', about: 'name of the pool' }
export const JSON_LINES: Flag = { usage: '--json', about: 'one JSON object a line' }

/** Select a node on this machine. */
export const NODE_FLAGS: readonly Flag[] = [
  { usage: '--node <id>', about: 'the end of the id of the node that is asked, where several run here' },
  { usage: '--control <path>', about: 'its control socket, where it was given one' },
]

/** The flags of a command that has one answer. */
export const ASK_FLAGS: readonly Flag[] = [
  { usage: '--timeout <seconds>', about: 'how long the answer may take (default: as long as it takes)', parse: durationOf },
  JSON_LINES,
]

/** The flags of a command that enters a pool. */
export const ENTER_FLAGS: readonly Flag[] = [
  repeated('--bootstrap <address>', 'of a member, host:port or a multiaddr; may be repeated'),
  repeated('--listen <address>', 'where to listen, ip:port or a multiaddr; may be repeated (default: all interfaces, any port)'),
  repeated('--key-file <file>', 'key of a private pool, as jel keygen makes it; repeated: further keys that let others in'),
]

export const OWNER: Flag = { usage: '--owner <file>', about: 'key that owns your jobs (default: one that is made the first time)' }

/** Returns a flag whose values make a list. */
export function repeated(usage: string, about: string): Flag {
  return { usage, about, parse: collect, initial: [] }
}
