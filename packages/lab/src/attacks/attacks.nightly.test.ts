import { describe, expect, it } from 'vitest'
import { fight } from './trial.ts'
import { attacks } from './all.ts'

/**
 * Small and short: `pnpm bench:attacks` makes the real measurement. An attack ends when the pool
 * drops the attacker.
 */
const scale = { nodes: 4, before: 200, during: 3_000, after: 500 }

/** Longest time until the pool drops an attacker on a busy machine, ms. */
const timeout = 45_000

/** Maximum resident memory, MB: three times the memory of four idle nodes. */
const memory = 500

describe('a real pool under attack', () => {
  it.concurrent.each(attacks.map((attack) => [attack.name, attack] as const))(
    '%s: the pool keeps its bounds',
    { timeout: 120_000 },
    async (_, attack) => {
      const { before, after, peak, dropped, remark, breaches } = await fight(
        attack,
        attack.isDropped === true ? { ...scale, during: timeout } : scale,
      )
      const { figures } = after
      const { fails = 0 } = attack
      expect({ remark, breaches, failed: figures.failed.length, seen: figures.fewest }).toEqual({
        remark,
        breaches: [],
        failed: fails,
        seen: scale.nodes - fails,
      })
      expect(peak).toBeLessThan(memory)
      if (attack.isDropped === true) expect({ remark, dropped }).toEqual({ remark, dropped: expect.any(Number) as number })
      if (attack.endsLives === true) return
      const { falseDeaths, lives, reigns } = figures
      expect({ remark, falseDeaths, lives, reigns }).toEqual({ remark, falseDeaths: 0, lives: 0, reigns: before.figures.reigns })
    },
  )
})
