import type { Colours } from './colours.ts'
import type { Place } from './layout.ts'
import type { Row } from './model.ts'

/** The time for which a member's change is visible in the picture, ms. Guess. */
export const FADES: Readonly<Record<Row['state'], number>> = { here: 4_000, left: 5_000, died: 12_000 }

/** Draws a circle around a place, in pixels. */
export function drawRing(context: CanvasRenderingContext2D, { x, y }: Place, size: number, width: number, colour: string): void {
  context.strokeStyle = colour
  context.lineWidth = width
  context.beginPath()
  context.arc(x, y, size, 0, 2 * Math.PI)
  context.stroke()
}

/**
 * Draws a recent change: a ring for a newcomer, a fading dot for a leaver, a cross for a death.
 * `share` is the part of the change's time that has passed. `dot` is the radius of a member, in
 * pixels.
 */
export function drawChange(
  context: CanvasRenderingContext2D,
  place: Place,
  { state, share, dot, colours }: { state: Row['state']; share: number; dot: number; colours: Colours },
): void {
  const { x, y } = place
  context.globalAlpha = Math.max(0, 1 - share)
  if (state === 'here') drawRing(context, place, dot + 2 + 18 * share, 2, colours.named.good)
  else {
    context.fillStyle = context.strokeStyle = state === 'died' ? colours.named.bad : colours.named.muted
    context.lineWidth = 2.5
    context.beginPath()
    if (state === 'died') {
      context.moveTo(x - dot, y - dot)
      context.lineTo(x + dot, y + dot)
      context.moveTo(x + dot, y - dot)
      context.lineTo(x - dot, y + dot)
      context.stroke()
      drawRing(context, place, dot + 4 + 22 * Math.min(1, share * 3), 1.5, colours.named.bad)
    } else {
      context.arc(x, y, dot, 0, 2 * Math.PI)
      context.fill()
    }
  }
  context.globalAlpha = 1
}
