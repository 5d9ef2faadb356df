/** The commands that list leases and groups. */
import * as v from 'valibot'
import { askLeases } from '../agent/allocation.ts'
import { texts } from '../base/schema.ts'
import { tableOf } from '../base/table.ts'
import { oneLine } from '../base/text.ts'
import { groupsOf, groupText, rankText, shortGroup } from '../model/groups.ts'
import { command } from './command.ts'
import { JSON_LINES, repeated } from './flags.ts'
import { memberAt } from './member-at.ts'
import { amountsText, durationText, shortId } from '../events/quantity.ts'

export const leases = command({
  about:
    'the capacities that members offer, their leases, and the groups of members; ranks: the ranks of a member; starts: the groups that it starts; nodes: ids or ends of ids (default: all members)',
  fields: { nodes: v.optional(texts) },
  answer: 'leases',
  async run({ nodes }, { agent: { pool, allocator } }) {
    const ids = nodes?.map((end) => memberAt(pool.members(), end).id)
    return { members: await askLeases(pool, allocator, ids) }
  },
  shell: {
    asksAny: () => true,
    about: 'list the capacities that members offer, and the leases of them',
    flags: [repeated('--member <id>', 'only this member; may be repeated (default: all)'), JSON_LINES],
    line: ({ member }: { readonly member: readonly string[] }) => ({ command: 'leases', nodes: member.length === 0 ? undefined : member }),
    text: async ({ members }) =>
      await tableOf([
        ['MEMBER', 'OFFERS', 'LEASE', 'AMOUNTS', 'HOLDER', 'BEGINS IN', 'ENDS IN'],
        ...members.flatMap(({ member, totals = {}, leases: list = [], reason }) => {
          const offers = oneLine(reason ?? amountsText(totals))
          if (list.length === 0) return [[shortId(member), offers]]
          return list.map((each, at) => [
            shortId(member),
            at === 0 ? offers : '',
            `${each.number}${each.background ? ' background' : ''}`,
            oneLine(amountsText(each.amounts)),
            oneLine(each.group === undefined ? shortId(each.holder) : `group ${shortGroup(each.group)}`),
            each.startsIn > 0 ? durationText(each.startsIn) : 'now',
            durationText(each.endsIn),
          ])
        }),
      ]),
  },
})

export const groups = command({
  about:
    'the groups of all members, waiting groups first; count and held: the numbers of places that are wanted and held; members: for a waiting member, the groups and leases for which it waits',
  fields: {},
  answer: 'groups',
  run: async (_, { agent: { pool, allocator } }) => ({ groups: groupsOf(await askLeases(pool, allocator)) }),
  shell: {
    asksAny: () => true,
    about: 'list the programs that run on several members at once: their ranks, and the reason why a program waits',
    flags: [JSON_LINES],
    async text({ groups: all }) {
      const known = new Map(all.map((each) => [each.group, each]))
      return await tableOf([
        ['GROUP', 'PROGRAM', 'STARTER', 'MEMBER', 'STATE'],
        ...all.flatMap((group) => [
          [oneLine(shortGroup(group.group)), oneLine(group.program), shortId(group.starter), '', groupText(group)],
          ...group.members.map((member) => ['', '', '', oneLine(shortId(member.member)), oneLine(rankText(member, known))]),
        ]),
      ])
    },
  },
})
