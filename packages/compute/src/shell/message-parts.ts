import type { Message } from '../core/messages.ts'

/**
 * Lists with independent elements, which may come in several messages. A lookup and an answer to a
 * thief must arrive in one message.
 */
const LISTS = {
  awaiting: ['paths'],
  holding: ['progress'],
  moved: ['tasks'],
  unknown: ['paths', 'saved'],
  result: ['entries'],
  report: ['entries', 'claims', 'dropped', 'tried', 'saved'],
  found: ['entries', 'claims', 'tried', 'saved'],
} as const satisfies { readonly [Type in Message['type']]?: readonly (keyof Extract<Message, { type: Type }>)[] }

/** Splits a message into parts whose lists have at most `most` elements each. */
export function partsOf(message: Message, most: number): Message[] {
  if (longestList(message) <= most) return [message]
  return (halvesOf(message) ?? []).flatMap((half) => partsOf(half, most))
}

/**
 * Splits a message in two. Each message has half of every list. If no list has two elements, each
 * message has some of the lists. Returns undefined if there is only a single element. Receivers
 * acknowledge only the second message, and only the second message ends an answer.
 */
export function halvesOf(message: Message): [Message, Message] | undefined {
  const lists = listsOf(message).filter(([, { length }]) => length > 0)
  const isHalved = longestList(message) > 1
  if (!isHalved && lists.length < 2) return undefined
  const first: Record<string, unknown> = { ...message }
  const second: Record<string, unknown> = { ...message }
  for (const [at, [name, list]] of lists.entries()) {
    const middle = isHalved ? list.length >> 1 : Number(at === 0)
    first[name] = list.slice(0, middle)
    second[name] = list.slice(middle)
  }
  if (message.type === 'report') first['number'] = 0
  if (message.type === 'found') {
    first['last'] = false
    delete first['next']
  }
  return [first as unknown as Message, second as unknown as Message]
}

function longestList(message: Message): number {
  return Math.max(0, ...listsOf(message).map(([, { length }]) => length))
}

function listsOf(message: Message): [string, readonly unknown[]][] {
  const names: readonly string[] = message.type in LISTS ? LISTS[message.type as keyof typeof LISTS] : []
  const lists = message as unknown as Record<string, readonly unknown[] | undefined>
  return names.flatMap((name) => (lists[name] === undefined ? [] : [[name, lists[name]]]))
}
