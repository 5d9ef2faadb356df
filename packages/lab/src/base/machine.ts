/** The machine of a measurement. Documents show it beside the figures. */
import { cpus, loadavg, totalmem } from 'node:os'

export interface Machine {
  readonly node: string
  readonly platform: string
  readonly cores: number
  readonly processor: string
  readonly memoryGB: number
  readonly loadAverage: number
}

/** Returns the current state of this machine. */
export function machine(): Machine {
  return {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cores: cpus().length,
    processor: cpus()[0]?.model ?? 'unknown processor',
    memoryGB: Math.round(totalmem() / 2 ** 30),
    loadAverage: Number(loadavg()[0]?.toFixed(1)),
  }
}
