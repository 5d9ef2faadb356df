import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { firstRelease } from './first-release.ts'
import { JelProcess, loopback, script } from './jel-process.ts'

// MINUTES=10 takes longer. In each round the winner is killed, and another member leaves. Newcomers
// of the other release take their places.
const minutes = Number(process.env['MINUTES'] ?? '0.5')
const count = 8
/**
 * The time limit of news that all members must see, ms. They see the end of a process at once; an
 * election takes a few seconds.
 */
const limit = 30_000

type Release = 'first' | 'present'

class Member extends JelProcess {
  readonly release: Release

  constructor(pool: string, release: Release, introducers: readonly Member[]) {
    const bootstrap = introducers.flatMap(({ address }) => ['--bootstrap', address])
    super(
      ['join', pool, '--json', '--elect', 'master', ...loopback, ...bootstrap, ...(introducers.length === 0 ? ['--found'] : [])],
      'pipe',
      release === 'first' ? firstRelease : script,
    )
    this.release = release
  }

  get winner(): { readonly id: string; readonly epoch: number } | undefined {
    const told = this.of('elected').at(-1)
    return told && { id: told.node.id, epoch: told.epoch }
  }
}

it(
  `nodes of the first release and of the present one are one pool, for ${minutes} minutes`,
  { timeout: minutes * 60_000 + 180_000 },
  async () => {
    const pool = `mixed-${randomUUID()}`
    const killed = new Set<string>()
    const left = new Set<string>()
    const ever: Member[] = []
    let here: Member[] = []

    const enter = async (release: Release): Promise<void> => {
      // The introducer is of the other release, if a member of that release is here.
      const introducer = here.find((member) => member.release !== release) ?? here[0]
      const member = new Member(pool, release, introducer === undefined ? [] : [introducer])
      await member.until(() => member.lines.length > 0, 'started', limit)
      ever.push(member)
      here.push(member)
      await seen('joined', member)
      await member.until(() => here.every(({ id }) => member.told('joined').includes(id)), 'the newcomer sees all', limit)
    }
    const seen = async (kind: 'joined' | 'left' | 'died', { id }: Member): Promise<void> => {
      await Promise.all(
        here.map((member) => member.until(() => member.told(kind).includes(id), `${member.release} sees ${id} ${kind}`, limit)),
      )
    }
    const end = async (member: Member, how: 'died' | 'left'): Promise<void> => {
      here = here.filter((each) => each !== member)
      const set = how === 'died' ? killed : left
      set.add(member.id)
      member.child.kill(how === 'died' ? 'SIGKILL' : 'SIGTERM')
      await seen(how, member)
    }
    const agreed = async (): Promise<Member> => {
      const running = new Set(here.map(({ id }) => id))
      const one = (): boolean => {
        const named = here.map(({ winner }) => JSON.stringify(winner))
        return new Set(named).size === 1 && running.has(here[0]?.winner?.id ?? '')
      }
      await Promise.all(here.map((member) => member.until(one, 'one winner, who is here', limit)))
      return here.find(({ id }) => id === here[0]?.winner?.id) as Member
    }

    for (let i = 0; i < count; i++) await enter(i % 2 === 0 ? 'first' : 'present')
    const [old, young] = ['first', 'present'].map((release) => here.find((member) => member.release === release)) as [Member, Member]

    // Each release understands the other: signals and records, both ways.
    for (const [from, to] of [
      [old, young],
      [young, old],
    ] as const) {
      from.send({ command: 'signal', name: `from ${from.release}`, nodes: [to.id], id: 's' })
      await to.until(() => to.of('signal').some(({ name }) => name === `from ${from.release}`), 'a signal', limit)
      from.send({ command: 'publish', name: `of/${from.release}`, value: 'aGk=', ttl: 600_000, id: 'p' })
      await Promise.all(
        here.map((member) => member.until(() => member.of('record').some(({ name }) => name === `of/${from.release}`), 'a record', limit)),
      )
    }

    const stop = Date.now() + minutes * 60_000
    for (let round = 0; round < 2 || Date.now() < stop; round++) {
      const winner = await agreed()
      const { epoch } = winner.winner as { epoch: number }
      await end(winner, 'died')
      const next = await agreed()
      expect(next.winner?.epoch).toBeGreaterThan(epoch)
      const [leaver] = here.filter((member) => member !== next)
      await end(leaver as Member, 'left')
      // A newcomer of the other release replaces each member that went. So each release is in the
      // minority at times.
      for (const gone of [winner, leaver as Member]) await enter(gone.release === 'first' ? 'present' : 'first')
    }

    // Each reported end is real, and has the right cause.
    for (const member of ever) {
      expect(member.told('died').filter((id) => !killed.has(id))).toEqual([])
      expect(member.told('left').filter((id) => !left.has(id))).toEqual([])
      // As long as a node runs, it looks for its introducer. The introducer may have gone, so this
      // error is no fault.
      expect(member.of('error').filter(({ code }) => code !== 'INTRODUCER_UNREACHABLE')).toEqual([])
    }
    for (const member of here) {
      await end(member, 'left')
      // Members of the first release that have just entered miss some leaves if many members leave
      // at once. They take the leavers for dead.
      await setTimeout(1_000)
    }
    console.log(`${ever.length} nodes, ${killed.size} killed, ${left.size} left`)
  },
)
