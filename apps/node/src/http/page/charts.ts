import type { Sample } from '../../model/history.ts'
import type { Colours } from './colours.ts'
import { durationText } from '../../events/quantity.ts'

interface Kind {
  /** Steps from one value to the next, or one mark for each value. */
  readonly kind: 'steps' | 'marks'
  readonly colour: keyof Colours['named']
  readonly format: (value: number) => string
}

/** A span of time, on the clock of the samples. All charts have the same one. */
interface TimeAxis {
  readonly begin: number
  readonly now: number
}

/** The shortest span of an axis, ms. Guess: a shorter span would stretch with each second. */
const LEAST_SPAN = 60_000

/**
 * Returns the axis of time for these charts: from the first sample of any of them to the present.
 */
export function timeAxisOf(charts: readonly (readonly Sample[])[], now: number): TimeAxis {
  return { begin: Math.min(now - LEAST_SPAN, ...charts.map(([first]) => first?.[0] ?? now)), now }
}

/** Returns the median of the values; 0 if there are none. */
export function medianOf(samples: readonly Sample[]): number {
  const values = samples.map(([, value]) => value).sort((a, b) => a - b)
  return values[values.length >> 1] ?? 0
}

/** Draws samples over time, up to the present. */
export function drawChart(
  canvas: HTMLCanvasElement,
  samples: readonly Sample[],
  { begin, now }: TimeAxis,
  { kind, colour, format }: Kind,
  { named }: Colours,
): void {
  const { clientWidth: width, clientHeight: height } = canvas
  const ratio = devicePixelRatio
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio)
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio)
  const context = canvas.getContext('2d') as CanvasRenderingContext2D
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.clearRect(0, 0, width, height)
  context.font = '10px system-ui, sans-serif'
  const [left, right, top, bottom] = [30, 6, 8, 16]
  const most = niceAbove(Math.max(...samples.map(([, value]) => value), kind === 'steps' ? 4 : 1))
  const x = (time: number): number => left + ((time - begin) / (now - begin)) * (width - left - right)
  const y = (value: number): number => height - bottom - (value / most) * (height - top - bottom)
  context.fillStyle = named.muted
  context.strokeStyle = named.line
  context.textBaseline = 'middle'
  context.textAlign = 'right'
  for (const value of [0, most / 2, most]) {
    context.fillText(format(value), left - 5, y(value))
    context.beginPath()
    context.moveTo(left, Math.round(y(value)) + 0.5)
    context.lineTo(width - right, Math.round(y(value)) + 0.5)
    context.stroke()
  }
  context.textBaseline = 'alphabetic'
  context.textAlign = 'left'
  context.fillText(`${durationText(now - begin)} ago`, left, height - 3)
  context.textAlign = 'right'
  context.fillText('now', width - right, height - 3)
  context.fillStyle = context.strokeStyle = named[colour]
  if (kind === 'marks') {
    for (const [time, value] of samples) {
      context.beginPath()
      context.arc(x(time), y(value), 2.5, 0, 2 * Math.PI)
      context.fill()
    }
    return
  }
  if (samples.length === 0) return
  context.lineWidth = 1.5
  context.beginPath()
  for (const [i, [time, value]] of samples.entries()) {
    if (i === 0) context.moveTo(x(time), y(value))
    else {
      context.lineTo(x(time), y(samples[i - 1]?.[1] ?? 0))
      context.lineTo(x(time), y(value))
    }
  }
  context.lineTo(x(now), y(samples.at(-1)?.[1] ?? 0))
  context.stroke()
}

/** Returns the next round number that is not below the value. */
export function niceAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 4, 6, 8, 10].find((step) => step * power >= value) ?? 10) * power
}
