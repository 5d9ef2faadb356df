import type { Member } from '@jel/protocol'
import type { PoolEvent } from './event-stream.ts'
import type { MemberList } from './member-list.ts'
import * as sizes from './sizes.ts'

/** The members of the pool before the event with the number `time`. */
export interface PoolState {
  readonly time: number
  readonly members: MemberList
}

/** The messages of the central implementation. */
export type CentralMessage = { readonly bytes: number } & (
  | { readonly type: 'join'; readonly member: Member }
  | { readonly type: 'welcome'; readonly join: PoolEvent; readonly since: number; readonly peers: readonly PoolEvent[] }
  | { readonly type: 'leave'; readonly join: PoolEvent }
  | { readonly type: 'heartbeat'; readonly join: PoolEvent }
  | { readonly type: 'ping' }
  | { readonly type: 'getState' }
  | { readonly type: 'state'; readonly state: PoolState }
  | { readonly type: 'noState' }
  /** Asks which events the peer lacks. */
  | { readonly type: 'push' }
  | { readonly type: 'lacks'; readonly from: number; readonly bootstrap: boolean }
  | {
      readonly type: 'update'
      readonly state: PoolState | undefined
      readonly events: readonly PoolEvent[]
      readonly purge: number | undefined
    }
  /** `time`: the sender has all events before it. */
  | { readonly type: 'gossip'; readonly time: number }
  | { readonly type: 'gossipAnswer'; readonly time: number; readonly events: readonly PoolEvent[] }
  | { readonly type: 'gossipEvents'; readonly events: readonly PoolEvent[] }
  | { readonly type: 'ok' }
)

export const ok: CentralMessage = { type: 'ok', bytes: sizes.answerBytes }
export const noState: CentralMessage = { type: 'noState', bytes: sizes.answerBytes + 24 }
export const ping: CentralMessage = { type: 'ping', bytes: sizes.opcodeBytes }
export function pong(): CentralMessage {
  return { type: 'ok', bytes: sizes.answerBytes + sizes.memberBytes() }
}
export function getState(): CentralMessage {
  return { type: 'getState', bytes: sizes.opcodeBytes + sizes.memberBytes() + sizes.timeBytes }
}
export const push: CentralMessage = { type: 'push', bytes: sizes.opcodeBytes + sizes.poolNameBytes }

export function join(member: Member): CentralMessage {
  return { type: 'join', member, bytes: sizes.opcodeBytes + sizes.memberBytes() + sizes.joinSettingsBytes }
}

export function welcome(event: PoolEvent, since: number, peers: readonly PoolEvent[]): CentralMessage {
  const { answerBytes, timeBytes, countBytes } = sizes
  const bytes = answerBytes + 2 * timeBytes + countBytes + (1 + peers.length) * sizes.memberBytes()
  return { type: 'welcome', join: event, since, peers, bytes }
}

export function aboutSelf(type: 'leave' | 'heartbeat', event: PoolEvent): CentralMessage {
  return { type, join: event, bytes: sizes.opcodeBytes + sizes.memberBytes() }
}

export function stateAnswer(state: PoolState): CentralMessage {
  return { type: 'state', state, bytes: sizes.answerBytes + stateBytes(state) }
}

export function lacks(from: number, bootstrap: boolean): CentralMessage {
  return { type: 'lacks', from, bootstrap, bytes: sizes.answerBytes + 2 * sizes.timeBytes }
}

export function update(state: PoolState | undefined, events: readonly PoolEvent[], purge: number | undefined): CentralMessage {
  const bytes = sizes.answerBytes + (state === undefined ? 0 : stateBytes(state)) + eventsBytes(events) + sizes.timeBytes
  return { type: 'update', state, events, purge, bytes }
}

export function gossip(time: number): CentralMessage {
  return { type: 'gossip', time, bytes: sizes.opcodeBytes + sizes.memberBytes() + sizes.timeBytes }
}

export function gossipAnswer(time: number, events: readonly PoolEvent[]): CentralMessage {
  const bytes = sizes.answerBytes + sizes.timeBytes + (events.length > 0 ? eventsBytes(events) : 0)
  return { type: 'gossipAnswer', time, events, bytes }
}

export function gossipEvents(events: readonly PoolEvent[]): CentralMessage {
  return { type: 'gossipEvents', events, bytes: eventsBytes(events) }
}

function stateBytes({ members }: PoolState): number {
  return sizes.countBytes + sizes.stateHeaderBytes + members.size * sizes.stateEntryBytes()
}

function eventsBytes(events: readonly PoolEvent[]): number {
  return sizes.countBytes + events.length * sizes.eventBytes()
}
