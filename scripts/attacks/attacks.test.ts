import { describe, expect, it } from 'vitest'
import { fight } from './arena.ts'
import { attacks } from './attacks/index.ts'

/** Small and short: the figures are those of `pnpm bench:attacks`. An attack ends when the attacker is sent away. */
const scale = { nodes: 4, before: 200, during: 3_000, after: 500 }

/** MB: three times what four idle nodes take. */
const memory = 500

describe('a real pool under attack', () => {
  it.concurrent.each(attacks.map((attack) => [attack.name, attack] as const))(
    '%s: nothing is lost',
    { timeout: 120_000 },
    async (_, attack) => {
      const { before, after, peak, dropped, remark } = await fight(attack, scale)
      const { figures } = after
      expect({ remark, failed: figures.failed, seen: figures.fewest }).toEqual({ remark, failed: [], seen: scale.nodes })
      expect(peak).toBeLessThan(memory)
      if (attack.isDropped === true) expect(dropped).toBeDefined()
      if (attack.endsLives === true) return
      expect({ remark, deaths: figures.falseDeaths, reigns: figures.reigns }).toEqual({ remark, deaths: 0, reigns: before.figures.reigns })
    },
  )
})
