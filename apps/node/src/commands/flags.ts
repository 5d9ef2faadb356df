import { collect, durationOf } from '../arguments.ts'

/** Converts the text of a value. `before` is the value so far, if the flag is repeated. */
type Parse = (text: string, before: never) => unknown

/** A flag of the command line, or an argument without a name, in the form of commander. */
export interface Flag {
  /** As in `--key-file <file>`, `<pool>`, `[input]` or `<ids...>`. */
  readonly usage: string
  readonly about: string
  /** The allowed values, or a function that converts any value. */
  readonly value: readonly string[] | Parse | undefined
  readonly initial: unknown
}

export function flag(usage: string, about: string, value?: Flag['value'], initial?: unknown): Flag {
  return { usage, about, value, initial }
}

/** Returns a flag whose values make a list. */
export function repeated(usage: string, about: string): Flag {
  return flag(usage, about, collect, [])
}

export const POOL = flag('<pool>', 'the name of the pool')
export const OWNER = flag('--owner <file>', 'key that owns your jobs (default: one that is made the first time)')
export const TIMEOUT = flag('--timeout <seconds>', 'the longest wait for the answer (default: no limit)', durationOf)
export const JSON_LINES = flag('--json', 'one JSON object a line')

/** The flags that select a node on this machine. */
export const NODE_FLAGS: readonly Flag[] = [
  flag('--node <id>', 'the end of the id of the node that is asked, where several run here (default: $JEL_NODE)'),
  flag('--control <path>', 'the control socket of the node, if it was started with --control'),
]

/** The flags of a command that has one answer. */
export const ASK_FLAGS: readonly Flag[] = [TIMEOUT, JSON_LINES]

/** The flags of a command that enters a pool. */
export const ENTER_FLAGS: readonly Flag[] = [
  repeated('--bootstrap <address>', 'the address of a member: host:port or a multiaddr; may be repeated'),
  repeated('--listen <address>', 'the address to listen on: ip:port or a multiaddr; may be repeated (default: all interfaces, any port)'),
  repeated('--key-file <file>', 'the file with the key of a private pool (jel keygen); repeated: nodes with any of the keys may enter'),
]
