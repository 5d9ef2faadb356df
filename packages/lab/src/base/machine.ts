/** What a figure was measured on, which is said beside it. */
import { cpus, loadavg, totalmem } from 'node:os'

export interface Machine {
  readonly node: string
  readonly platform: string
  readonly cores: number
  readonly processor: string
  readonly memoryGB: number
  readonly loadAverage: number
}

/** As it is now. */
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
