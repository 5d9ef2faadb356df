import type { Attack, Attacker } from './attacker.ts'

/** Changes its addresses all the time, also to addresses of other members. */
export class Moving implements Attack {
  turn(attacker: Attacker): void {
    if (attacker.turns % 5 !== 1) return
    const others = attacker.targets()
    const own = attacker.self?.addresses[0]
    const other = others[attacker.turns % Math.max(1, others.length)]?.addresses[0]
    const addresses = [own, other].filter((address) => address !== undefined)
    if (addresses.length > 0) attacker.move(attacker.turns % 2 === 0 ? addresses : addresses.toReversed(), attacker.now)
  }
}
