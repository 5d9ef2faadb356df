/** Processes with a member, for the parts of this experiment. */
import { MemberProcesses, type MemberProcess } from '../swarm/member-process.ts'
import type { Commands } from './application.ts'

export const APPLICATION = new URL('application.ts', import.meta.url)

export type Member = MemberProcess<Commands>

/** The processes of one pool. */
export class Members extends MemberProcesses<Commands> {
  constructor(part: string) {
    super(`monitoring-${part}-${process.pid}`, APPLICATION)
  }
}
