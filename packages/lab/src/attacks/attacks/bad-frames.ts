import type { Attack } from '../trial.ts'
import type { HostileLink } from '../attacker.ts'

/** Nested groups, which a decoder skips by calling itself. */
const nested = (depth: number): Uint8Array => new Uint8Array(depth).fill((15 << 3) | 3)

const bad: ((link: HostileLink) => unknown)[] = [
  // 200,000,000: a length far above the bound
  (link) => link.raw(Uint8Array.of(0x80, 0x84, 0xaf, 0x5f)),
  (link) => link.sendBytes(nested(200_000)),
  (link) => link.sendBytes(Uint8Array.from({ length: 100 }, () => Math.floor(Math.random() * 256))),
  (link) => link.raw(Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x80)), // a length without an end
  (link) => link.raw(Uint8Array.of(0)), // an empty frame
  (link) => link.sendBytes(new Uint8Array(300_000)), // a bit too large
]

/** How often it comes. From the fourth time on it is kept away. */
const most = 20

export const badFrames: Attack = {
  name: 'oversized and deeply nested frames',
  does: 'sends frames of 200 MB, groups 200,000 deep and garbage, is sent away, and comes back',
  bound: 'nothing is held of them; it is sent away, and after the third time kept away for a minute',
  isDropped: true,
  run: async ({ pool, attacker, sleep, until }) => {
    const mallory = await attacker()
    let [came, sent] = [0, 0]
    while (performance.now() < until && came < most) {
      const link = await mallory.link(pool.address()).catch(() => undefined)
      if (link === undefined) {
        await sleep(100)
        continue
      }
      came += 1
      const before = performance.now()
      while (link.isUp && performance.now() < until && performance.now() - before < 2_000) {
        bad[sent % bad.length]!(link)
        sent += 1
        await sleep(20)
      }
      if (link.isUp) break
      await link.connection.close().catch(() => {})
    }
    return `came ${came} times with ${sent} bad frames`
  },
}
