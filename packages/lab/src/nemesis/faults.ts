/** The faults: each begins, lasts, and heals. */
import { appendFileSync, closeSync, existsSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LabHost } from '../network/host.ts'
import { run } from '../network/tools.ts'
import type { Voter } from '../swarm/ledger-lines.ts'
import type { Member } from './member.ts'
import { type Kind, type Planned } from './schedule.ts'
import type { Stage } from './stage.ts'

/** A fault that can't happen at present: it could take the majority for good. */
export class Skipped extends Error {}

/** Time of a SIGSTOP, ms: a member that is silent for 15 s is expelled. */
const STOP = 20_000
/** Share of lost packets of a slow link. */
const LOSS = 0.1
/** Jump of a clock, s. */
const JUMP = 3_600

/** A place in the first record, after the line with the format of the file. */
const IN_RECORD = 40

/** The beginning of a record of 200 bytes: magic, length, checksum, and a few bytes of content. */
const RECORD = Buffer.from('JEL\u0001\u00c8\0\0\0\u0012\u0034\u0056\u0078[{"type"', 'latin1')

const CUT = { loss: 1, isRefused: false }

interface Scene {
  readonly stage: Stage
  readonly planned: Planned
  /** The members in an order drawn by the seed. */
  readonly members: readonly Member[]
  readonly leader: Member | undefined
  readonly voters: readonly Voter[]
}

/** Returns the names of the victims. Resolves when the fault is healed. */
export type Fault = (scene: Scene) => Promise<readonly Member[]>

export const FAULTS: Readonly<Record<Kind, Fault>> = {
  kill: async (scene) => await killed(scene, scene.members.slice(0, 1)),
  'kill the leader': async (scene) => await killed(scene, [leaderOf(scene)]),
  'kill 30 %': async (scene) => await killed(scene, scene.members.slice(0, Math.max(1, Math.round(scene.members.length * 0.3)))),
  'kill all': async (scene) => await killed(scene, scene.members),
  stop: async ({ members }) => {
    const victims = members.slice(0, 1)
    for (const { now } of victims) now?.process.send('SIGSTOP')
    await sleep(STOP)
    for (const { now } of victims) now?.process.send('SIGCONT')
    return victims
  },
  halves: async ({ members, stage, planned }) => {
    const half = members.slice(0, Math.floor(members.length / 2))
    return await cut(stage, planned, half, (from, to) => half.some(isOn(from)) !== half.some(isOn(to)))
  },
  ring: async ({ members, stage, planned }) => {
    const reach = Math.max(1, Math.floor(members.length / 4))
    return await cut(stage, planned, members, (from, to) => {
      const apart = Math.abs(members.findIndex(isOn(from)) - members.findIndex(isOn(to)))
      return Math.min(apart, members.length - apart) > reach
    })
  },
  'one way': async ({ members, stage, planned }) => {
    const half = members.slice(0, Math.floor(members.length / 2))
    return await cut(stage, planned, half, (from, to) => half.some(isOn(from)) && !half.some(isOn(to)))
  },
  'leader alone': async (scene) => {
    const leader = leaderOf(scene)
    return await cut(scene.stage, scene.planned, [leader], (from, to) => (from === leader.host) !== (to === leader.host))
  },
  slow: async ({ members, stage, planned }) => {
    const half = members.slice(0, Math.ceil(members.length / 2))
    const { network } = stage
    for (const { host } of half) network.locate(host, 1)
    network.shape((from, to) => (half.some(isOn(from)) || half.some(isOn(to)) ? { loss: LOSS, isRefused: false } : undefined))
    await sleep(planned.lasts)
    network.heal()
    for (const { host } of half) network.locate(host, 0)
    return half
  },
  deleted: async (scene) => {
    const victim = holder(scene)
    mayLose(scene, [victim])
    await victim.kill()
    rmSync(ledgerOf(victim))
    await sleep(1_000)
    await restarted(scene.stage, [victim])
    return [victim]
  },
  torn: async (scene) => {
    const victim = holder(scene)
    await victim.kill()
    // A crash in a write leaves the beginning of a record. It was not synced, so nothing is lost.
    appendFileSync(ledgerOf(victim), RECORD.subarray(0, 1 + Math.floor(scene.planned.random() * (RECORD.length - 1))))
    await restarted(scene.stage, [victim])
    return [victim]
  },
  corrupt: async (scene) => {
    const victim = holder(scene)
    mayLose(scene, [victim])
    await victim.kill()
    flip(ledgerOf(victim))
    await maimed(scene, victim)
    rmSync(ledgerOf(victim), { force: true })
    await restarted(scene.stage, [victim])
    return [victim]
  },
  'read-only': async (scene) => {
    const victim = holder(scene)
    mayLose(scene, [victim])
    await victim.kill()
    const file = ledgerOf(victim)
    run('mount', ['--bind', file, file])
    run('mount', ['-o', 'remount,bind,ro', file])
    await maimed(scene, victim)
    run('umount', [file])
    await restarted(scene.stage, [victim])
    return [victim]
  },
  'full disk': async (scene) => {
    const victim = holder(scene)
    mayLose(scene, [victim])
    victim.mayEnd = true
    const filler = `${victim.disk}/filler`
    fill(filler)
    await sleep(scene.planned.lasts)
    await victim.kill()
    rmSync(filler)
    await restarted(scene.stage, [victim])
    return [victim]
  },
  clock: async ({ members, stage, planned }) => {
    const victims = members.slice(0, 1)
    for (const victim of victims) stage.setClock(victim, planned.random() < 0.5 ? JUMP : -JUMP)
    await sleep(planned.lasts)
    for (const victim of victims) stage.setClock(victim, 0)
    return victims
  },
}

const isOn =
  (host: LabHost) =>
  (member: Member): boolean =>
    member.host === host

function leaderOf({ leader }: Scene): Member {
  if (leader === undefined) throw new Skipped('no leader is known')
  return leader
}

/** A member with a file of the ledger. */
function holder({ members }: Scene): Member {
  const found = members.find(({ ledger }) => ledger !== undefined && existsSync(ledger) && statSync(ledger).size > 0)
  if (found === undefined) throw new Skipped('no member has a ledger file')
  return found
}

function ledgerOf({ ledger }: Member): string {
  if (ledger === undefined) throw new Error('the member has no ledger file')
  return ledger
}

/** Refuses a fault that would leave no majority of the voters for good. */
function mayLose({ voters }: Scene, lost: readonly Member[]): void {
  const left = voters.filter(({ id, reachable }) => reachable && !lost.some((member) => member.id === id))
  if (2 * left.length <= voters.length) throw new Skipped(`${left.length} of ${voters.length} voters would be left`)
}

/** Kills members at once. Those without a file lose their seats. */
async function killed(scene: Scene, victims: readonly Member[]): Promise<readonly Member[]> {
  mayLose(
    scene,
    victims.filter(({ disk }) => disk === undefined),
  )
  await Promise.all(victims.map((victim) => victim.kill()))
  await sleep(scene.planned.lasts / 4)
  await restarted(scene.stage, victims)
  return victims
}

/** Starts the processes of these members again. */
async function restarted(stage: Stage, victims: readonly Member[]): Promise<void> {
  const isTotal = stage.running.length === 0
  for (const victim of victims) victim.mayEnd = false
  await Promise.all(
    victims.map(async (victim, at) => {
      if (await stage.start(victim, isTotal && at === 0 ? ['--found'] : [])) return
      // The fault may have made the first start fail. The second attempt counts.
      if (!(await stage.start(victim))) stage.losses.push(`${victim.name} did not start again: ${victim.complaint}`)
    }),
  )
}

/** Runs a member with a bad file for a while, if it starts at all, and kills it. */
async function maimed({ stage, planned }: Scene, victim: Member): Promise<void> {
  victim.mayEnd = true
  await stage.start(victim)
  await sleep(planned.lasts / 2)
  await victim.kill()
}

async function cut(
  { network }: Stage,
  { lasts }: Planned,
  victims: readonly Member[],
  isCut: (from: LabHost, to: LabHost) => boolean,
): Promise<readonly Member[]> {
  network.shape((from, to) => (from !== to && isCut(from, to) ? CUT : undefined))
  await sleep(lasts)
  network.heal()
  return victims
}

/**
 * Changes a byte of the first record, which has the seat. A change of the last one would look as if
 * the record had never been synced.
 */
function flip(file: string): void {
  const bytes = readFileSync(file)
  const at = bytes.indexOf('\n') + IN_RECORD
  bytes[at] = (bytes[at] ?? 0) ^ 0xff
  writeFileSync(file, bytes)
}

/** Fills the disk. */
function fill(file: string): void {
  const descriptor = openSync(file, 'w')
  try {
    for (const size of [2 ** 20, 4_096]) writeUntilFull(descriptor, Buffer.alloc(size))
  } finally {
    closeSync(descriptor)
  }
}

function writeUntilFull(descriptor: number, bytes: Buffer): void {
  try {
    for (;;) if (writeSync(descriptor, bytes) < bytes.length) return
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  }
}
